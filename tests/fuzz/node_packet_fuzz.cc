// SPDX-License-Identifier: Apache-2.0
// One frame of any content through every entrance of the node: as it is, and with its front and its
// checksums made good, and in a VLAN that is there, so that the fuzzer need not guess them; whole
// and in two segments; with the controller there, and away with strict
// sources. The frame lies in a heap buffer of
// exactly its size. Besides what the sanitizers see, a fault is what the packet harness and
// sound_output.hh say is one. Now and then a frame is not mutated but made anew by
// random_frames.hh: some fields must repeat others, which is hard to guess.
#include <algorithm>
#include <cstdint>

#include "tests/node/packet_harness.hh"
#include "tests/node/random_frames.hh"
#include "tests/node/sound_output.hh"
#include "vlb/fabric_tag.hh"
#include "vlb/hello.hh"

namespace rackway::node::testing {
namespace {

// The port's own address, unless the frame goes to a group.
Bytes for_port(Bytes frame) {
  if (!frame.empty() && (frame[0] & 1) == 0) {
    std::copy_n(kPort0Mac.bytes.begin(), std::min<std::size_t>(6, frame.size()), frame.begin());
  }
  return with_good_checksums(std::move(frame));
}

// A data frame for this node; egress, hops and adjacency stay what they are.
Bytes for_link(Bytes frame) {
  if (frame.size() < kMacs) return frame;
  frame[0] = 0xd2;
  frame[1] = static_cast<std::uint8_t>(kSelf.value >> 4);
  frame[2] = static_cast<std::uint8_t>(kSelf.value << 4 | (frame[2] & 0x0f));
  frame[6] = static_cast<std::uint8_t>((frame[6] & 0xfc) | 0x02);
  frame[8] &= 0xf0;
  return frame;
}

// A hello of the node at the far end; all that it says stays what it is.
Bytes hello_for_link(Bytes frame) {
  if (frame.size() < kEthernet + 2) return frame;
  const vlb::FabricTag tag{.kind = vlb::FabricKind::hello, .target = kSelf, .egress = kSelf};
  vlb::write_tag(frame.data(), tag);
  frame[12] = vlb::kHelloEtherType >> 8;
  frame[13] = vlb::kHelloEtherType & 0xff;
  frame[14] = vlb::kHelloVersion;
  return frame;
}

void send(PacketHarness& node, Entrance entrance, const Bytes& frame) {
  const std::size_t split = frame.empty() ? 0 : frame.back() % (frame.size() + 1);
  for (const auto& how :
       {Reception{}, Reception{.tailroom = 64, .headroom = 128}, Reception{.split = split}}) {
    const auto outcome = node.run(entrance, frame, how);
    const char* fault = fault_in(entrance, frame, outcome);
    if (fault == nullptr) fault = fault_in_generated(frame, outcome, node.generated);
    if (fault != nullptr) broken(fault);
  }
}

}  // namespace
}  // namespace rackway::node::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rackway::node::testing;
  static PacketHarness present(
      {.mode = rackway::topo::SteeringMode::valiant, .hears_hellos = true}),
      away({.controller_present = false});
  if (size > 10'000) return -1;
  away.places.outputs[kPort0]->urpf = rackway::topo::Urpf::strict;
  const Bytes frame(data, data + size);
  for (auto* node : {&present, &away}) {
    send(*node, Entrance::port0, frame);
    send(*node, Entrance::port0, for_port(frame));
    send(*node, Entrance::port0, tagged(for_port(frame), 100));
    send(*node, Entrance::link0, frame);
    send(*node, Entrance::link0, for_link(frame));
    send(*node, Entrance::link0, hello_for_link(frame));
    node->inject_port = static_cast<std::uint16_t>(size % 3);
    send(*node, Entrance::controller, frame);
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  using namespace rackway::node::testing;
  if (seed % 64 != 0) return LLVMFuzzerMutate(data, size, max_size);
  RandomFrames random(seed);
  auto frame = random.below(2) == 0 ? random.for_port() : random.for_link();
  frame.resize(std::min(frame.size(), max_size));
  std::copy(frame.begin(), frame.end(), data);
  return frame.size();
}
