// SPDX-License-Identifier: Apache-2.0
#include "vlb/link_liveness.hh"

#include <algorithm>

namespace rackway::vlb {
namespace {

constexpr bool reached(Time now, Time moment) {
  return static_cast<std::int32_t>(now - moment) >= 0;
}

constexpr bool newer(std::uint32_t sequence, std::uint32_t than) {
  return static_cast<std::int32_t>(sequence - than) > 0;
}

}  // namespace

LinkLiveness::Heard LinkLiveness::hear(const Hello& hello, Time now) noexcept {
  const bool same = hello.boot_id == peer_boot_id_;
  // After a silence the numbers may start anywhere: the far end may have been stopped for long.
  if (same && hears_ && !newer(hello.sequence, peer_sequence_)) return Heard::stale;
  const bool restarted = !same && peer_boot_id_ != 0;
  if (restarted) {
    delay_.forget();
    up_since_ = now;
    if (!hears_) forgive();
  }
  if (!same || !hears_) {
    sending_since_ = now;
    sent_long_enough_ = false;
  }
  // A restart is not the link's fault: it leaves `up` without a mark.
  if (restarted && up()) state_ = LinkState::opening;
  peer_boot_id_ = hello.boot_id;
  peer_sequence_ = hello.sequence;
  peer_ = hello.timing;
  heard_by_peer_ = hello.hears == boot_id_;
  held_by_peer_ = hello.held;
  hears_ = true;
  heard_at_ = received_at_ = now;
  peer_stamp_ = hello.stamp;
  if (heard_by_peer_) delay_.echoed(hello.echo, hello.echo_held, now);
  decide(now);
  return restarted ? Heard::restarted : Heard::good;
}

void LinkLiveness::carrier(bool up, Time now) noexcept {
  if (carrier_ == up) return;
  carrier_ = up;
  if (!up) hears_ = heard_by_peer_ = false;
  sending_since_ = now;
  sent_long_enough_ = false;
  decide(now);
}

void LinkLiveness::advance(Time now) noexcept {
  if (hears_ && reached(now, heard_at_ + peer_.detection())) hears_ = heard_by_peer_ = false;
  if (!sent_long_enough_ && reached(now, sending_since_ + own_.detection())) {
    sent_long_enough_ = true;
  }
  if (holds_ && reached(now, held_until_)) holds_ = false;
  if (up() && flaps_ > 0 && reached(now, up_since_ + kCleanAfter)) flaps_ = 0;
  decide(now);
}

// The far end may have given us up meanwhile, which does not mean that our frames do not arrive.
void LinkLiveness::slept(Time duration, Time now) noexcept {
  if (hears_) heard_at_ += duration;
  delay_.distrust_before(now);
  sending_since_ = now;
  sent_long_enough_ = false;
}

LinkState LinkLiveness::wanted() const noexcept {
  if (carrier_ && holds_) return LinkState::flapping;
  if (!hears_) return state_ == LinkState::never_heard ? LinkState::never_heard : LinkState::down;
  if (!heard_by_peer_) return sent_long_enough_ ? LinkState::one_way : LinkState::opening;
  return held_by_peer_ ? LinkState::flapping : LinkState::up;
}

void LinkLiveness::decide(Time now) noexcept {
  const LinkState next = wanted();
  if (next == state_) return;
  if (up() && (next == LinkState::down || next == LinkState::one_way)) failed(now);
  if (next == LinkState::up) up_since_ = now;
  state_ = next;
}

void LinkLiveness::failed(Time now) noexcept {
  if (++flaps_ <= kFreeFlaps) return;
  const unsigned doublings = std::min(flaps_ - kFreeFlaps - 1, 6u);
  holds_ = true;
  held_until_ = now + std::min(kFirstHold << doublings, kLongestHold);
}

// The last failure was the far end's death, not the link's.
void LinkLiveness::forgive() noexcept {
  if (flaps_ == 0) return;
  --flaps_;
  holds_ = false;
}

void LinkLiveness::describe(Hello& hello, Time now) const noexcept {
  hello.hears = hears_ ? peer_boot_id_ : 0;
  hello.held = holds_;
  hello.echo = hears_ ? peer_stamp_ : 0;
  hello.echo_held = hears_ ? now - received_at_ : 0;
}

}  // namespace rackway::vlb
