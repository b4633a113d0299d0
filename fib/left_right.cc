// SPDX-License-Identifier: Apache-2.0
#include "fib/left_right.hh"

#include <cassert>
#include <new>

#include "fib/rcu.hh"

namespace rackway::fib {

LeftRight::LeftRight() : active_(&sides_[0]) {}

Result<Digest> LeftRight::prepare(Delta delta) {
  abandon();
  try {
    Fib& next = standby();
    if (auto applied = next.apply(delta); !applied) return tl::unexpected(applied.error());
    pending_ = Pending{std::move(delta), false};
    return next.digest();
  } catch (const std::bad_alloc&) {
    standby() = active()->clone();  // it may have taken half of the delta
    return fail("out of memory");
  }
}

// Built beside the two copies, so that a snapshot that is refused leaves them alone. The old copy
// is made from the new one at commit, hence the records need not be kept.
Result<Digest> LeftRight::prepare_snapshot(const Delta& snapshot) {
  abandon();
  try {
    Fib fresh;
    if (auto applied = fresh.apply(snapshot); !applied) return tl::unexpected(applied.error());
    standby() = std::move(fresh);
  } catch (const std::bad_alloc&) {
    return fail("out of memory");
  }
  pending_ = Pending{{}, true};
  return standby().digest();
}

void LeftRight::commit() {
  assert(prepared());
  // Release: whoever reads the new pointer (acquire in active()) sees the whole new FIB.
  active_.store(&standby(), std::memory_order_release);
  rcu::synchronize();
  Fib& old = standby();
  const bool same = !pending_->snapshot && old.apply(pending_->delta).has_value() &&
                    old.digest() == active()->digest();
  // Equal copies take a delta equally; a copy that does not is replaced rather than trusted.
  if (!same) old = active()->clone();
  pending_.reset();
}

void LeftRight::abandon() {
  if (!prepared()) return;
  standby() = active()->clone();
  pending_.reset();
}

}  // namespace rackway::fib
