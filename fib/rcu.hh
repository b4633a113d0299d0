// SPDX-License-Identifier: Apache-2.0
// Read-copy-update, quiescent-state flavour (liburcu QSBR): the only file that knows of liburcu.
// A reader thread registers, announces a quiescent state between bursts, and goes offline while it
// sleeps or has nothing to read. synchronize() returns when every online reader has announced one
// since the call; it must not be called by a registered online reader.
#pragma once

namespace rackway::fib::rcu {

// Registers the calling thread as a reader for the life of this object.
class ReaderThread {
 public:
  ReaderThread();
  ~ReaderThread();
  ReaderThread(const ReaderThread&) = delete;
  ReaderThread& operator=(const ReaderThread&) = delete;

  // "I hold no pointer into the FIB." Cheap: one load, a store when a grace period waits.
  void quiescent() noexcept;
  void offline() noexcept;
  void online() noexcept;
};

void synchronize();

}  // namespace rackway::fib::rcu
