// SPDX-License-Identifier: Apache-2.0
// Counts what a thread does that a forwarding core must not do between two packets: system calls (a
// seccomp filter traps every one), allocations and locks (this program has its own malloc() and
// pthread_mutex_lock(), in front of the C library's).
//
// Watches one thread at a time. A watched thread can make no system call afterwards either: the
// filter stays. It may end.
#pragma once

#include <cstdint>

namespace rackway::bench {

struct Noises {
  std::uint64_t system_calls, allocations, locks;
  long last_system_call;  // number, of those trapped
};

// By the thread that is to be watched. False where the kernel has no such filter.
[[nodiscard]] bool begin_watch() noexcept;
void end_watch() noexcept;
// By any thread: of all watches so far.
[[nodiscard]] Noises noises() noexcept;

}  // namespace rackway::bench
