// SPDX-License-Identifier: Apache-2.0
// The fabric tag: where a frame goes inside the cluster, written into its two MAC addresses, so
// that it costs no octets and leaves the IP packet untouched. Layout in docs/fabric_tag.md, pinned
// by tests/vlb/fabric_tag_test.cc. After RouteBricks (SOSP'09, section 4.3), which used one MAC.
//
//   destination MAC   octet 0     kind (locally administered, unicast)
//                     octets 1-3  target (12 bits), egress (12 bits)
//                     octets 4-5  hop budget (4 bits), time stamp (12 bits)
//   source MAC        octet 0     epoch mark (6 bits), then binary 10
//                     octets 1-2  ingress (12 bits), spare (4 bits, zero)
//                     octets 3-5  adjacency (24 bits)
//
// Functions take a pointer to the first octet of the frame, which has at least 12 octets.
#pragma once

#include <cstdint>

#include "base/byte_order.hh"
#include "base/id.hh"
#include "base/mac_address.hh"

namespace rackway::vlb {

enum class FabricKind : std::uint8_t {
  data = 0xd2,   // an IP packet on its way to its egress node
  hello = 0xd6,  // liveness of a link: vlb/hello.hh
};

struct FabricTag {
  FabricKind kind{FabricKind::data};
  NodeId target;               // the node to deliver it to now: a relay or the egress node
  NodeId egress;               // the node where it leaves the cluster
  std::uint8_t hop_budget{};   // relays it may still pass, 0..15
  std::uint16_t time_stamp{};  // when it entered, see time_stamp_at() (12 bits)
  std::uint8_t epoch_mark{};   // of the epoch the ingress looked it up in, see epoch_mark_of()
  NodeId ingress;              // the node where it entered
  AdjacencyId adjacency;       // how the egress node sends it

  bool operator==(const FabricTag&) const = default;
};

// Of the ingress node's clock, in units of 16 microseconds; comes round every 65.5 ms.
[[nodiscard]] constexpr std::uint16_t time_stamp_at(std::uint32_t microseconds) noexcept {
  return microseconds >> 4 & 0xfff;
}

// 0 to 51. The mark is the first octet of a source address; 52 and 53 would make that of a
// destination of it, and a switch between nodes that learns sources would filter frames by them.
inline constexpr std::uint8_t kEpochMarks = 52;
[[nodiscard]] constexpr std::uint8_t epoch_mark_of(Epoch epoch) noexcept {
  return static_cast<std::uint8_t>(epoch.value % kEpochMarks);
}
static_assert((kEpochMarks << 2 | 2) == static_cast<int>(FabricKind::data));

// Writes tags that differ in where they lead, which is all that differs in a burst. All 12 octets;
// fields are cut to their width.
class TagWriter {
 public:
  // What is the same for all: of `like` everything but target, egress and adjacency.
  explicit TagWriter(const FabricTag& like) noexcept
      : front_(static_cast<std::uint64_t>(like.kind) << 56 |
               static_cast<std::uint64_t>(like.hop_budget & 0xf) << 28 |
               static_cast<std::uint64_t>(like.time_stamp & 0xfff) << 16 |
               static_cast<std::uint64_t>((like.epoch_mark << 2 & 0xff) | 0x02) << 8 |
               (like.ingress.value & 0xfff) >> 4),
        back_(std::uint32_t{like.ingress.value} << 28) {}

  void write(std::uint8_t* frame, NodeId target, NodeId egress,
             AdjacencyId adjacency) const noexcept {
    const std::uint64_t to = target.value & 0xfff, at_last = egress.value & 0xfff;
    store_be<std::uint64_t>(frame, front_ | to << 44 | at_last << 32);
    store_be<std::uint32_t>(frame + 8, back_ | (adjacency.value & 0x00ffffff));
  }

 private:
  std::uint64_t front_;
  std::uint32_t back_;
};
inline void write_tag(std::uint8_t* frame, const FabricTag& tag) noexcept {
  TagWriter(tag).write(frame, tag.target, tag.egress, tag.adjacency);
}
// Reads all 12 octets; the kind is not checked, see is_data().
[[nodiscard]] FabricTag read_tag(const std::uint8_t* frame) noexcept;

// True for a frame that carries a packet: kind and the fixed and spare bits are as written above.
[[nodiscard]] inline bool is_data(const std::uint8_t* frame) noexcept {
  return frame[0] == static_cast<std::uint8_t>(FabricKind::data) && (frame[6] & 0x03) == 0x02 &&
         (frame[8] & 0x0f) == 0;
}

// True for a frame that is for vlb/hello.hh to read.
[[nodiscard]] inline bool is_hello(const std::uint8_t* frame) noexcept {
  return frame[0] == static_cast<std::uint8_t>(FabricKind::hello);
}

// The first eight octets of a data frame in a register, for stages that look at every frame. Valid
// of any frame of at least 12 octets.
class TagWord {
 public:
  explicit TagWord(const std::uint8_t* frame) noexcept
      : bits_(load_be<std::uint64_t>(frame)), spare_(frame[8] & 0x0f) {}

  // A data frame that the fabric delivers to this node now.
  [[nodiscard]] bool is_data_for(NodeId target) const noexcept {
    const std::uint64_t wrong = (bits_ ^ kData ^ std::uint64_t{target.value} << 44) & kChecked;
    return (wrong | spare_) == 0;
  }
  // A data frame.
  [[nodiscard]] bool is_data() const noexcept {
    return (((bits_ ^ kData) & kChecked & ~kTarget) | spare_) == 0;
  }
  [[nodiscard]] NodeId target() const noexcept {
    return NodeId{static_cast<std::uint16_t>(bits_ >> 44 & 0xfff)};
  }
  [[nodiscard]] NodeId egress() const noexcept {
    return NodeId{static_cast<std::uint16_t>(bits_ >> 32 & 0xfff)};
  }
  [[nodiscard]] unsigned hop_budget() const noexcept { return bits_ >> 28 & 0xf; }

  // The frame gets another target, and has one hop less; the budget must not be 0.
  void pass_on(NodeId target) noexcept {
    bits_ = ((bits_ & ~kTarget) | std::uint64_t{target.value} << 44) - kOneHop;
  }
  void store(std::uint8_t* frame) const noexcept { store_be(frame, bits_); }

 private:
  static constexpr std::uint64_t kData = std::uint64_t{0xd2} << 56 | 0x0200;
  static constexpr std::uint64_t kTarget = std::uint64_t{0xfff} << 44;
  static constexpr std::uint64_t kChecked = std::uint64_t{0xff} << 56 | kTarget | 0x0300;
  static constexpr std::uint64_t kOneHop = std::uint64_t{1} << 28;
  static_assert(kData >> 56 == static_cast<std::uint8_t>(FabricKind::data));

  std::uint64_t bits_;
  std::uint64_t spare_;
};

// Parts of a tag, each one load.
[[nodiscard]] inline NodeId target_of(const std::uint8_t* frame) noexcept {
  return NodeId{static_cast<std::uint16_t>(load_be<std::uint16_t>(frame + 1) >> 4)};
}
[[nodiscard]] inline NodeId egress_of(const std::uint8_t* frame) noexcept {
  return NodeId{static_cast<std::uint16_t>(load_be<std::uint16_t>(frame + 2) & 0x0fff)};
}
[[nodiscard]] inline std::uint8_t hop_budget_of(const std::uint8_t* frame) noexcept {
  return frame[4] >> 4;
}
[[nodiscard]] inline NodeId ingress_of(const std::uint8_t* frame) noexcept {
  return NodeId{static_cast<std::uint16_t>(load_be<std::uint16_t>(frame + 7) >> 4)};
}
[[nodiscard]] inline AdjacencyId adjacency_of(const std::uint8_t* frame) noexcept {
  return AdjacencyId{load_be<std::uint32_t>(frame + 8) & 0x00ffffff};
}

// True for an address that an external port must neither have nor accept frames to.
[[nodiscard]] inline bool is_fabric_address(const MacAddress& mac) noexcept {
  return mac.bytes[0] == static_cast<std::uint8_t>(FabricKind::data) ||
         mac.bytes[0] == static_cast<std::uint8_t>(FabricKind::hello);
}

}  // namespace rackway::vlb
