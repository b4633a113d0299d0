// SPDX-License-Identifier: Apache-2.0
// Keeps the node's state file up to date: a thread of its own, so that neither the agent nor the
// forwarding cores ever wait for a disk. The latest wins; after a file of n MB it rests for n + 2
// seconds. It reads the active FIB as the cores do (rcu::ReaderThread) while it copies its records;
// an epoch that is committed meanwhile is in use at once, and only its answer waits. A disk that is
// full or broken is told once, and tried again.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "fib/left_right.hh"
#include "fib/rcu.hh"
#include "node/state_file.hh"

namespace rackway::node {

// A version of the FIB.
struct Held {
  Epoch epoch;
  fib::Digest digest;
  bool operator==(const Held&) const = default;
};

class StateKeeper {
 public:
  StateKeeper(std::filesystem::path file, std::string node, std::uint64_t boot_id,
              const fib::LeftRight& fib);
  // Writes what is not written yet.
  ~StateKeeper();
  StateKeeper(const StateKeeper&) = delete;
  StateKeeper& operator=(const StateKeeper&) = delete;

  // ---- of the agent: what is to be kept from now on
  void orders(Orders orders);
  // The active FIB is this.
  void committed(Held held);

  // The oldest that a restart from now on may bring back; nothing when that is not known, as before
  // the first file of this run.
  [[nodiscard]] std::optional<Held> kept() const;

 private:
  using Clock = std::chrono::steady_clock;

  struct Wanted {
    std::shared_ptr<const Orders> orders;
    Held held;
  };

  void run();
  // Nothing when the FIB is another by now, of which the agent is about to tell.
  [[nodiscard]] std::optional<std::string> content_of(const Wanted& wanted,
                                                      fib::rcu::ReaderThread& reader) const;
  // Octets of the file; 0 when none was written, as the FIB is another by now.
  [[nodiscard]] Result<std::size_t> write(const Wanted& wanted, fib::rcu::ReaderThread& reader);
  Clock::duration note(const Result<std::size_t>& written, const Wanted& wanted);

  const std::filesystem::path file_;
  const std::string node_;
  const std::uint64_t boot_id_;
  const fib::LeftRight& fib_;

  mutable std::mutex mutex_;  // of all that follows
  std::condition_variable changed_;
  Wanted wanted_;
  bool dirty_ = false, stopping_ = false, failing_ = false;
  std::optional<Held> kept_;

  std::thread thread_;
};

}  // namespace rackway::node
