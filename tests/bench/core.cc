// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/core.hh"

#include <sched.h>

#include <vector>

namespace rackway::bench {
namespace {

// As of the start: pinning a thread narrows what it is told later.
const std::vector<int>& cores() {
  static const std::vector<int> usable = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    ::sched_getaffinity(0, sizeof set, &set);
    std::vector<int> found;
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(core, &set)) found.push_back(core);
    }
    return found;
  }();
  return usable;
}

}  // namespace

int last_core() {
  return cores().back();
}

bool may_use_core(int core) {
  for (const int usable : cores()) {
    if (usable == core) return true;
  }
  return false;
}

std::optional<int> other_core(int core) {
  for (const int usable : cores()) {
    if (usable != core) return usable;
  }
  return std::nullopt;
}

void pin_to_core(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  ::sched_setaffinity(0, sizeof set, &set);
}

}  // namespace rackway::bench
