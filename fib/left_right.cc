// SPDX-License-Identifier: Apache-2.0
#include "fib/left_right.hh"

#include <cassert>
#include <new>

#include "fib/rcu.hh"

namespace rackway::fib {
namespace {

constexpr const char* kOutOfMemory = "out of memory";  // short enough for a string to need none

}  // namespace

LeftRight::LeftRight() : active_(&sides_[0]) {}

Result<Digest> LeftRight::prepare(Delta delta) {
  abandon();
  if (stale_ && !renew_standby()) return fail(kOutOfMemory);
  try {
    Fib& next = standby();
    if (auto applied = next.apply(delta); !applied) return tl::unexpected(applied.error());
    pending_ = Pending{std::move(delta), false};
    return next.digest();
  } catch (const std::bad_alloc&) {
    renew_standby();  // it may have taken half of the delta
    return fail(kOutOfMemory);
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
    return fail(kOutOfMemory);
  }
  stale_ = false;
  pending_ = Pending{{}, true};
  return standby().digest();
}

void LeftRight::commit() {
  assert(prepared());
  // Release: whoever reads the new pointer (acquire in active()) sees the whole new FIB.
  active_.store(&standby(), std::memory_order_release);
  rcu::synchronize();
  // Equal copies take a delta equally; a copy that does not is replaced rather than trusted.
  if (pending_->snapshot || !catches_up(standby(), pending_->delta)) renew_standby();
  pending_.reset();
}

void LeftRight::abandon() {
  if (!prepared()) return;
  pending_.reset();
  renew_standby();
}

bool LeftRight::catches_up(Fib& old, const Delta& delta) const {
  try {
    return old.apply(delta).has_value() && old.digest() == active()->digest();
  } catch (const std::bad_alloc&) {
    return false;
  }
}

// What is thrown away goes first: its memory may be what the new copy needs.
bool LeftRight::renew_standby() {
  stale_ = true;
  { const Fib gone = std::move(standby()); }
  try {
    standby() = active()->clone();
    stale_ = false;
  } catch (const std::bad_alloc&) {
    // There is no standby copy until memory has come back.
  }
  return !stale_;
}

}  // namespace rackway::fib
