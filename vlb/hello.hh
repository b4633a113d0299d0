// SPDX-License-Identifier: Apache-2.0
// The hello frame: what the two ends of a fabric link tell each other many times a second, so that
// each knows whether frames arrive in both directions and what lies beyond the other. The two-way
// check is that of BFD (RFC 5880), told by boot id. Layout in docs/hello_frame.md, pinned by
// tests/vlb/hello_test.cc. It has a fabric tag of kind hello and an EtherType of its own, and never
// goes further than one link. Reading checks everything once; nothing here allocates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tl/expected.hpp>

#include "base/id.hh"
#include "vlb/fabric_view.hh"
#include "vlb/flowlet_table.hh"

namespace rackway::vlb {

inline constexpr std::uint16_t kHelloEtherType = 0x88b5;  // IEEE 802: local experimental 1
inline constexpr std::uint8_t kHelloVersion = 1;
inline constexpr std::size_t kMinHelloBytes = 60;         // the least that Ethernet carries
inline constexpr std::size_t kMaxHelloBytes = 14 + 1500;  // without the frame check sequence
inline constexpr Time kMinHelloInterval = 1'000;          // microseconds
inline constexpr Time kMaxHelloInterval = 10'000'000;
inline constexpr std::uint8_t kMinHelloMultiplier = 2, kMaxHelloMultiplier = 50;

// How often hellos go out, and how many may be missed.
struct HelloTiming {
  Time interval{10'000};  // microseconds
  std::uint8_t multiplier{3};
  // Silence for so long means that the link is down.
  [[nodiscard]] Time detection() const noexcept { return interval * multiplier; }
  bool operator==(const HelloTiming&) const = default;
};

// What is the same for all destinations.
struct Hello {
  NodeId sender, receiver;
  std::uint64_t boot_id{};   // the sender's, never 0
  std::uint64_t hears{};     // boot id of the node that it hears on this link; 0: nobody
  std::uint32_t sequence{};  // of this link, one more each time
  HelloTiming timing;        // the sender's own
  bool ready{false};         // see PeerView
  bool draining{false};      // see PeerView
  bool held{false};          // it does not trust this link yet: it went down too often
  Time stamp{};              // the sender's clock as the frame leaves
  Time echo{};               // stamp of the last hello that it got here; if it hears somebody
  Time echo_held{};          // how long ago it got that one
  bool operator==(const Hello&) const = default;
};

// The sender's ways to all nodes, in the octets of a frame that read_hello() found good.
class HelloWays {
 public:
  HelloWays() = default;
  HelloWays(std::span<const std::uint8_t> reachable, std::span<const std::uint8_t> told)
      : reachable_(reachable), told_(told) {}

  // Brings `to`, by NodeId, up to date: which nodes can be reached, and load and delay of those of
  // them that this hello tells (the others keep theirs). Returns whether one became reachable or
  // unreachable. Nodes beyond `to` are left out.
  bool update(std::span<LinkView> to) const noexcept;

 private:
  std::span<const std::uint8_t> reachable_;  // a bit a node, the highest of the first octet is 0
  std::span<const std::uint8_t> told_;       // five octets each: node, load, delay
};

struct HeardHello {
  Hello hello;
  std::uint16_t nodes{};  // in the sender's cluster document
  HelloWays ways;
};

enum class HelloFault : std::uint8_t {
  malformed,  // too short or long, wrong fixed or spare bits, a value out of bounds
  version,    // of another version
};

// The frame must stay where it is while the result's ways are in use.
[[nodiscard]] tl::expected<HeardHello, HelloFault> read_hello(
    std::span<const std::uint8_t> frame) noexcept;

// ways: the sender's own, by NodeId, of every node in its document (2..kMaxNodes); the sender's own
// entry is not looked at. Where load and delay of all that can be reached do not fit, each hello
// tells some, in turn by sequence. Returns the frame's octets, at most kMaxHelloBytes.
[[nodiscard]] std::size_t write_hello(const Hello& hello, std::span<const LinkView> ways,
                                      std::span<std::uint8_t, kMaxHelloBytes> frame) noexcept;

}  // namespace rackway::vlb
