// SPDX-License-Identifier: Apache-2.0
// The one log of a program: a line per event on standard error, "time level program: text".
// Format strings are {fmt}'s. Any thread may write; never called per packet.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <utility>

namespace rackway::log {

enum class Level : std::uint8_t { debug, info, warning, error };

// level: debug, info, warning or error. Called once, first thing in main().
void start(const std::string& program, const std::string& level);

void write(Level level, const std::string& text);

template <class... Arguments>
void debug(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write(Level::debug, fmt::format(format, std::forward<Arguments>(arguments)...));
}
template <class... Arguments>
void info(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write(Level::info, fmt::format(format, std::forward<Arguments>(arguments)...));
}
template <class... Arguments>
void warn(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write(Level::warning, fmt::format(format, std::forward<Arguments>(arguments)...));
}
template <class... Arguments>
void error(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write(Level::error, fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace rackway::log
