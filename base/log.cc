// SPDX-License-Identifier: Apache-2.0
#include "base/log.hh"

#include <spdlog/sinks/stdout_sinks.h>

namespace rackway::log {

void start(const std::string& program, const std::string& level) {
  auto logger = spdlog::stderr_logger_mt(program);
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %n: %v");
  logger->set_level(spdlog::level::from_str(level));
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(logger);
}

}  // namespace rackway::log
