// SPDX-License-Identifier: Apache-2.0
#include "vlb/hello.hh"

#include <algorithm>
#include <cstring>

#include "base/byte_order.hh"
#include "vlb/fabric_tag.hh"

namespace rackway::vlb {
namespace {

// Octets of the frame; docs/hello_frame.md.
constexpr std::size_t kEtherType = 12, kVersion = 14, kMultiplier = 15, kFlags = 16, kSpare = 17;
constexpr std::size_t kNodes = 18, kTold = 20, kSequence = 22, kInterval = 26, kBootId = 30;
constexpr std::size_t kHears = 38, kStamp = 46, kEcho = 50, kEchoHeld = 54, kReachable = 58;

constexpr std::uint8_t kReady = 1, kDraining = 2, kHeld = 4;

constexpr std::size_t kWayBytes = 5;  // node (16), load (8), delay (16)

constexpr std::size_t reachable_bytes(std::size_t nodes) {
  return (nodes + 7) / 8;
}
// The most ways that are told beside the reachable set of so many nodes.
constexpr std::size_t room_for_ways(std::size_t nodes) {
  return (kMaxHelloBytes - kReachable - reachable_bytes(nodes)) / kWayBytes;
}
static_assert(room_for_ways(kMaxNodes) >= 128 && room_for_ways(128) >= 128);

constexpr bool is_set(const std::uint8_t* bits, std::size_t node) {
  return (bits[node / 8] & 0x80 >> node % 8) != 0;
}

FabricTag tag_of(const Hello& hello) {
  return {.kind = FabricKind::hello,
          .target = hello.receiver,
          .egress = hello.receiver,
          .ingress = hello.sender};
}

void write_header(const Hello& hello, std::size_t nodes, std::uint8_t* frame) noexcept {
  write_tag(frame, tag_of(hello));
  store_be(frame + kEtherType, kHelloEtherType);
  frame[kVersion] = kHelloVersion;
  frame[kMultiplier] = hello.timing.multiplier;
  frame[kFlags] = static_cast<std::uint8_t>(
      (hello.ready ? kReady : 0) | (hello.draining ? kDraining : 0) | (hello.held ? kHeld : 0));
  frame[kSpare] = 0;
  store_be(frame + kNodes, static_cast<std::uint16_t>(nodes));
  store_be(frame + kSequence, hello.sequence);
  store_be(frame + kInterval, hello.timing.interval);
  store_be(frame + kBootId, hello.boot_id);
  store_be(frame + kHears, hello.hears);
  store_be(frame + kStamp, hello.stamp);
  store_be(frame + kEcho, hello.echo);
  store_be(frame + kEchoHeld, hello.echo_held);
}

void write_reachable(std::span<const LinkView> ways, std::size_t self, std::uint8_t* bits) {
  std::memset(bits, 0, reachable_bytes(ways.size()));
  for (std::size_t node = 0; node < ways.size(); ++node) {
    if (ways[node].alive && node != self) {
      bits[node / 8] = static_cast<std::uint8_t>(bits[node / 8] | 0x80 >> node % 8);
    }
  }
}

// Returns how many it wrote. Where there is no room for all, each hello begins where the one before
// it may have ended at the latest.
std::size_t write_told(std::span<const LinkView> ways, const Hello& hello, std::uint8_t* at) {
  const std::size_t nodes = ways.size(), room = room_for_ways(nodes);
  const std::size_t first = nodes <= room ? 0 : std::size_t{hello.sequence} * room % nodes;
  std::size_t told = 0;
  for (std::size_t i = 0; i < nodes && told < room; ++i) {
    const std::size_t node = first + i < nodes ? first + i : first + i - nodes;
    const LinkView& way = ways[node];
    if (!way.alive || node == hello.sender.value) continue;
    store_be(at, static_cast<std::uint16_t>(node));
    at[2] = way.load;
    store_be(at + 3, way.delay);
    at += kWayBytes;
    ++told;
  }
  return told;
}

Hello read_header(const std::uint8_t* frame) noexcept {
  return {.sender = NodeId{static_cast<std::uint16_t>(load_be<std::uint16_t>(frame + 7) >> 4)},
          .receiver = target_of(frame),
          .boot_id = load_be<std::uint64_t>(frame + kBootId),
          .hears = load_be<std::uint64_t>(frame + kHears),
          .sequence = load_be<std::uint32_t>(frame + kSequence),
          .timing = {load_be<std::uint32_t>(frame + kInterval), frame[kMultiplier]},
          .ready = (frame[kFlags] & kReady) != 0,
          .draining = (frame[kFlags] & kDraining) != 0,
          .held = (frame[kFlags] & kHeld) != 0,
          .stamp = load_be<std::uint32_t>(frame + kStamp),
          .echo = load_be<std::uint32_t>(frame + kEcho),
          .echo_held = load_be<std::uint32_t>(frame + kEchoHeld)};
}

// All that the tag of a hello does not say is 0, or fixed.
bool tag_is_good(const std::uint8_t* frame, const Hello& hello) noexcept {
  std::uint8_t expected[12];
  write_tag(expected, tag_of(hello));
  return std::memcmp(frame, expected, sizeof expected) == 0 && hello.sender != hello.receiver;
}

bool values_are_good(const Hello& hello, std::size_t nodes) noexcept {
  const HelloTiming& timing = hello.timing;
  return nodes <= kMaxNodes && hello.sender.value < nodes && hello.receiver.value < nodes &&
         hello.boot_id != 0 && timing.interval >= kMinHelloInterval &&
         timing.interval <= kMaxHelloInterval && timing.multiplier >= kMinHelloMultiplier &&
         timing.multiplier <= kMaxHelloMultiplier;
}

bool reachable_is_good(const std::uint8_t* bits, std::size_t nodes, NodeId sender) noexcept {
  if (is_set(bits, sender.value)) return false;
  for (std::size_t beyond = nodes; beyond % 8 != 0; ++beyond) {
    if (is_set(bits, beyond)) return false;
  }
  return true;
}

// Only of nodes that can be reached.
bool told_is_good(const std::uint8_t* at, std::size_t told, const std::uint8_t* reachable,
                  std::size_t nodes) noexcept {
  for (; told > 0; --told, at += kWayBytes) {
    const std::size_t node = load_be<std::uint16_t>(at);
    if (node >= nodes || !is_set(reachable, node)) return false;
  }
  return true;
}

}  // namespace

bool HelloWays::update(std::span<LinkView> to) const noexcept {
  const std::size_t nodes = std::min(to.size(), reachable_.size() * 8);
  bool changed = false;
  for (std::size_t node = 0; node < nodes; ++node) {
    const bool alive = is_set(reachable_.data(), node);
    if (alive == to[node].alive) continue;
    to[node] = {.alive = alive};
    changed = true;
  }
  for (std::size_t at = 0; at < told_.size(); at += kWayBytes) {
    const std::size_t node = load_be<std::uint16_t>(&told_[at]);
    if (node >= nodes) continue;
    to[node].load = told_[at + 2];
    to[node].delay = load_be<std::uint16_t>(&told_[at + 3]);
  }
  return changed;
}

tl::expected<HeardHello, HelloFault> read_hello(std::span<const std::uint8_t> frame) noexcept {
  const auto malformed = tl::unexpected(HelloFault::malformed);
  const std::uint8_t* const octets = frame.data();
  if (frame.size() < kMinHelloBytes || frame.size() > kMaxHelloBytes || !is_hello(octets) ||
      load_be<std::uint16_t>(octets + kEtherType) != kHelloEtherType) {
    return malformed;
  }
  if (octets[kVersion] != kHelloVersion) return tl::unexpected(HelloFault::version);
  const Hello hello = read_header(octets);
  const std::size_t nodes = load_be<std::uint16_t>(octets + kNodes);
  const std::size_t told = load_be<std::uint16_t>(octets + kTold);
  const std::size_t first_told = kReachable + reachable_bytes(nodes);
  const std::size_t size = first_told + told * kWayBytes;
  if (!tag_is_good(octets, hello) || !values_are_good(hello, nodes) ||
      (octets[kFlags] & ~(kReady | kDraining | kHeld)) != 0 || octets[kSpare] != 0 ||
      frame.size() != std::max(size, kMinHelloBytes) ||
      !reachable_is_good(octets + kReachable, nodes, hello.sender) ||
      !told_is_good(octets + first_told, told, octets + kReachable, nodes)) {
    return malformed;
  }
  return HeardHello{hello, static_cast<std::uint16_t>(nodes),
                    HelloWays(frame.subspan(kReachable, reachable_bytes(nodes)),
                              frame.subspan(first_told, told * kWayBytes))};
}

std::size_t write_hello(const Hello& hello, std::span<const LinkView> ways,
                        std::span<std::uint8_t, kMaxHelloBytes> frame) noexcept {
  std::uint8_t* const octets = frame.data();
  const std::size_t first_told = kReachable + reachable_bytes(ways.size());
  write_header(hello, ways.size(), octets);
  write_reachable(ways, hello.sender.value, octets + kReachable);
  const std::size_t told = write_told(ways, hello, octets + first_told);
  store_be(octets + kTold, static_cast<std::uint16_t>(told));
  const std::size_t size = first_told + told * kWayBytes;
  if (size >= kMinHelloBytes) return size;
  std::memset(octets + size, 0, kMinHelloBytes - size);
  return kMinHelloBytes;
}

}  // namespace rackway::vlb
