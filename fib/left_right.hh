// SPDX-License-Identifier: Apache-2.0
// Two FIBs of which readers see one at any time. Life of an epoch:
//   prepare(delta)  applies it to the standby copy; readers notice nothing
//   commit()        readers move to the standby copy (one pointer store); after a grace period the
//                   old copy is given the same delta, so that both are equal again
//   abandon()       throws a prepared delta away; the standby copy is made anew from the active one
// When memory runs out only the standby copy is lost, and made anew by the next prepare that can.
// One writer thread; readers are registered rcu::ReaderThreads that keep the pointer of active() no
// longer than until their next quiescent state.
#pragma once

#include <atomic>
#include <optional>

#include "fib/fib.hh"

namespace rackway::fib {

class LeftRight {
 public:
  LeftRight();

  // For readers. Acquire, pairs with the release in commit().
  [[nodiscard]] const Fib* active() const noexcept {
    return active_.load(std::memory_order_acquire);
  }

  // Digest of the FIB that commit() would publish. On error, also when memory runs out, nothing is
  // prepared and what comes next finds both copies as they were. Preparing again abandons what was
  // prepared before.
  [[nodiscard]] Result<Digest> prepare(Delta delta);
  // The same over the empty FIB: the whole content is replaced.
  [[nodiscard]] Result<Digest> prepare_snapshot(const Delta& snapshot);
  [[nodiscard]] bool prepared() const { return pending_.has_value(); }
  // Requires prepared(). Waits for a grace period.
  void commit();
  void abandon();

 private:
  struct Pending {
    Delta delta;
    bool snapshot;
  };
  Fib sides_[2];
  std::atomic<const Fib*> active_;
  std::optional<Pending> pending_;
  bool stale_ = false;  // memory ran out: the standby copy has to be made anew before it is used

  // True if the copy took the delta and is equal to the active one now.
  [[nodiscard]] bool catches_up(Fib& old, const Delta& delta) const;
  // False if there is no memory for it; then the next prepare tries again.
  bool renew_standby();
  [[nodiscard]] Fib& standby() { return active() == &sides_[0] ? sides_[1] : sides_[0]; }
};

}  // namespace rackway::fib
