// SPDX-License-Identifier: Apache-2.0
// Whether one end of a fabric link may send frames on it: after BFD (RFC 5880, asynchronous mode),
// told apart by what is wrong. The link is up while the device has a carrier, hellos come, the far
// end says that it hears us (by our boot id, so that it can not mean an earlier run of this node),
// and neither end holds the link down because it went down too often (back-off after RFC 2439's
// idea, without its decay). Time comes from outside; advance() must be called at least every
// interval, or slept() first. One thread.
#pragma once

#include <cstdint>

#include "vlb/hello.hh"
#include "vlb/link_delay.hh"

namespace rackway::vlb {

enum class LinkState : std::uint8_t {
  never_heard,  // no hello yet since this node started
  opening,      // hellos come; the far end has not had the time to hear us
  up,
  one_way,   // hellos come, and the far end does not hear ours
  down,      // silence, or no carrier
  flapping,  // went down so often that it is held down for a while, by this end or the other
};
inline constexpr std::size_t kLinkStates = static_cast<std::size_t>(LinkState::flapping) + 1;

class LinkLiveness {
 public:
  LinkLiveness(HelloTiming own, std::uint64_t boot_id) : own_(own), boot_id_(boot_id) {}

  enum class Heard : std::uint8_t {
    stale,  // not newer than one that came before: not believed
    good,
    restarted,  // good, and the far end has another boot id than before
  };
  Heard hear(const Hello& hello, Time now) noexcept;
  // Without a carrier the link is down at once.
  void carrier(bool up, Time now) noexcept;
  void advance(Time now) noexcept;
  // This node did not run for so long: silence in that time is nobody's fault.
  void slept(Time duration, Time now) noexcept;

  [[nodiscard]] LinkState state() const noexcept { return state_; }
  [[nodiscard]] bool up() const noexcept { return state_ == LinkState::up; }
  // Hellos of the far end come.
  [[nodiscard]] bool hears() const noexcept { return hears_; }
  // Of the far end: the last that was heard, 0 if none ever was.
  [[nodiscard]] std::uint64_t peer_boot_id() const noexcept { return peer_boot_id_; }
  [[nodiscard]] std::uint16_t one_way_delay() const noexcept { return delay_.one_way(); }
  // This end wants the link down for having failed too often.
  [[nodiscard]] bool holds() const noexcept { return holds_; }

  // What a hello on this link says of the link.
  void describe(Hello& hello, Time now) const noexcept;

  // How often a link may fail before it is held down, and for how long (doubled each time).
  static constexpr unsigned kFreeFlaps = 2;
  static constexpr Time kFirstHold = 1'000'000;
  static constexpr Time kLongestHold = 64'000'000;
  // A link that was up for this long has a clean record again.
  static constexpr Time kCleanAfter = 10'000'000;

 private:
  void decide(Time now) noexcept;
  [[nodiscard]] LinkState wanted() const noexcept;
  void failed(Time now) noexcept;
  void forgive() noexcept;

  HelloTiming own_;
  std::uint64_t boot_id_;
  LinkState state_ = LinkState::never_heard;
  bool carrier_ = false;
  bool hears_ = false;  // a hello came within the detection time of the far end
  bool heard_by_peer_ = false;
  bool held_by_peer_ = false;
  std::uint64_t peer_boot_id_ = 0;
  std::uint32_t peer_sequence_ = 0;
  HelloTiming peer_;
  // While hears_: when the last hello came, the time not counted in which this node did not run;
  // when it came by the clock; its stamp.
  Time heard_at_ = 0, received_at_ = 0, peer_stamp_ = 0;
  Time sending_since_ = 0;         // the far end could have heard us from then on
  bool sent_long_enough_ = false;  // a detection time has passed since
  unsigned flaps_ = 0;
  bool holds_ = false;
  Time held_until_ = 0;  // while holds_
  Time up_since_ = 0;    // while up
  LinkDelay delay_;
};

}  // namespace rackway::vlb
