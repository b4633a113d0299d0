// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/machine.hh"

#include <sys/utsname.h>

#include <fstream>
#include <thread>

#include "tests/bench/huge_pages.hh"

namespace rackway::bench {
namespace {

std::optional<std::string> first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

// The word in brackets.
std::optional<std::string> chosen(const std::optional<std::string>& words) {
  if (!words || words->find('[') == std::string::npos) return std::nullopt;
  const auto from = words->find('[') + 1;
  return words->substr(from, words->find(']') - from);
}

}  // namespace

Machine machine() {
  utsname system{};
  ::uname(&system);
  return {cpu_model(),
          std::thread::hardware_concurrency(),
          system.release,
          first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
          HugePages::reserved().value_or(0),
          chosen(first_line("/sys/kernel/mm/transparent_hugepage/enabled"))};
}

std::string Machine::text() const {
  return std::to_string(cores) + " x " + cpu + ", Linux " + kernel + ", governor " +
         governor.value_or("unknown") + ", " + std::to_string(huge_pages) +
         " hugepages of 2 MB, transparent ones " + transparent_huge_pages.value_or("unknown");
}

}  // namespace rackway::bench
