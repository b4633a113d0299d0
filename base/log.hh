// SPDX-License-Identifier: Apache-2.0
// The one log of a program: a line per event on standard error, "time level program: text".
// Never called per packet.
#pragma once

#include <spdlog/spdlog.h>

#include <string>

namespace rackway::log {

using spdlog::debug;
using spdlog::error;
using spdlog::info;
using spdlog::warn;

// level: trace, debug, info, warning, error. Called once, first thing in main().
void start(const std::string& program, const std::string& level);

}  // namespace rackway::log
