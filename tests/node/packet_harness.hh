// SPDX-License-Identifier: Apache-2.0
// A node without a process around it: the packet's journey between ports in memory. A test hands in
// frames as bytes and gets back, for each, its fate and the exact bytes that left or were punted.
//
// The node is number 1 of a full mesh of four, with two external ports and three fabric links (to
// the nodes 0, 2 and 3, in this order); what its FIB holds is in sample_fib.hh. Frames lie in heap
// buffers of exactly their size, so that an address sanitizer sees a read behind their end.
//
// After every burst the harness checks what holds for any input and throws std::logic_error if it
// does not: no slot undecided, counters add up, each frame is in one place, no buffer lost.
// Everything is used by one thread. No gtest in here: the fuzzer uses it too.
#pragma once

#include <rte_eal.h>
#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_ring.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "node/journey.hh"
#include "tests/node/frames.hh"
#include "tests/node/sample_fib.hh"

namespace rackway::node::testing {

constexpr std::size_t kPorts = 2, kLinks = 3, kOutputs = kPorts + kLinks;
constexpr unsigned kRingFrames = 127;  // that fit into a ring
constexpr unsigned kPoolFrames = 4095;

[[noreturn]] inline void broken(const std::string& what) {
  throw std::logic_error("packet harness: " + what);
}
inline void require(bool holds, const char* what) {
  if (!holds) broken(what);
}

// DPDK, the buffers and the ports: made once in a process, as DPDK can not be started twice.
class Devices {
 public:
  static Devices& instance() {
    static Devices devices;
    return devices;
  }

  Devices(const Devices&) = delete;
  Devices& operator=(const Devices&) = delete;
  ~Devices() {
    for (const auto port : device) {
      rte_eth_dev_stop(port);
      rte_eth_dev_close(port);
    }
    const std::filesystem::path left_behind = rte_eal_get_runtime_dir();
    rte_eal_cleanup();
    std::error_code ignored;
    std::filesystem::remove_all(left_behind, ignored);
  }

  rte_mempool* pool{};
  std::array<std::uint16_t, kOutputs> device{};
  std::array<rte_ring*, kOutputs> to_core{}, from_core{};  // as the node sees it
  rte_ring *punted{}, *injected{};

 private:
  Devices() {
    start_eal();
    pool = rte_pktmbuf_pool_create("frames", kPoolFrames, 0, 0, 2 * RTE_PKTMBUF_HEADROOM,
                                   SOCKET_ID_ANY);
    require(pool != nullptr, "no buffers");
    punted = ring("punted");
    injected = ring("injected");
    for (std::size_t i = 0; i < kOutputs; ++i) make_port(i);
  }

  // All CPUs for the one lcore: EAL would pin the test to one otherwise, and its threads with it.
  static std::string lcores() {
    cpu_set_t allowed;
    ::sched_getaffinity(0, sizeof allowed, &allowed);
    std::string all;
    for (unsigned i = 0; i < CPU_SETSIZE; ++i) {
      if (CPU_ISSET(i, &allowed)) all += (all.empty() ? "" : ",") + std::to_string(i);
    }
    return "0@(" + all + ")";
  }

  static void start_eal() {
    std::vector<std::string> arguments{"test_node",
                                       "--lcores",
                                       lcores(),
                                       "--no-huge",
                                       "--no-shconf",
                                       "--no-pci",
                                       "--no-telemetry",
                                       "--log-level",
                                       "*:critical",
                                       "-m",
                                       "64",
                                       "--file-prefix",
                                       "test-node-" + std::to_string(::getpid())};
    std::vector<char*> argv;
    for (auto& argument : arguments) argv.push_back(argument.data());
    require(rte_eal_init(static_cast<int>(argv.size()), argv.data()) >= 0, "DPDK does not start");
  }

  static rte_ring* ring(const std::string& name) {
    auto* made = rte_ring_create(name.c_str(), kRingFrames + 1, SOCKET_ID_ANY,
                                 RING_F_SP_ENQ | RING_F_SC_DEQ);
    require(made != nullptr, "no ring");
    return made;
  }

  void make_port(std::size_t i) {
    const auto name = std::to_string(i);
    to_core[i] = ring("to-core-" + name);
    from_core[i] = ring("from-core-" + name);
    const int made = rte_eth_from_rings(name.c_str(), &to_core[i], 1, &from_core[i], 1, 0);
    require(made >= 0, "no port in memory");
    device[i] = static_cast<std::uint16_t>(made);
    const rte_eth_conf configuration{};
    require(rte_eth_dev_configure(device[i], 1, 1, &configuration) == 0 &&
                rte_eth_rx_queue_setup(device[i], 0, 64, 0, nullptr, pool) == 0 &&
                rte_eth_tx_queue_setup(device[i], 0, 64, 0, nullptr) == 0 &&
                rte_eth_dev_start(device[i]) == 0,
            "a port in memory does not start");
  }
};

// A frame's buffer on the heap, freed by DPDK when the frame is.
struct HeapBuffer {
  explicit HeapBuffer(std::span<const std::uint8_t> bytes, std::size_t tailroom)
      : octets(new std::uint8_t[bytes.size() + tailroom]) {
    if (!bytes.empty()) std::memcpy(octets.get(), bytes.data(), bytes.size());
    shared.free_cb = [](void*, void* self) { delete static_cast<HeapBuffer*>(self); };
    shared.fcb_opaque = this;
    rte_mbuf_ext_refcnt_set(&shared, 1);
  }
  std::unique_ptr<std::uint8_t[]> octets;
  rte_mbuf_ext_shared_info shared{};
};

// How a frame lies in memory and what its receive queue said of it.
struct Reception {
  static constexpr std::size_t kWhole = SIZE_MAX;
  std::size_t tailroom = 0;    // octets behind it in its buffer
  std::size_t split = kWhole;  // the first segment's octets; the rest is in a second one
  std::uint64_t offload_flags = 0;
};

inline rte_mbuf* new_segment(std::span<const std::uint8_t> bytes, std::size_t tailroom) {
  rte_mbuf* segment = rte_pktmbuf_alloc(Devices::instance().pool);
  require(segment != nullptr, "out of buffers");
  auto* buffer = new HeapBuffer(bytes, tailroom);
  rte_pktmbuf_attach_extbuf(segment, buffer->octets.get(), 0,
                            static_cast<std::uint16_t>(bytes.size() + tailroom), &buffer->shared);
  segment->data_off = 0;
  segment->data_len = static_cast<std::uint16_t>(bytes.size());
  segment->pkt_len = segment->data_len;
  return segment;
}

inline rte_mbuf* new_frame(std::span<const std::uint8_t> bytes, const Reception& how = {}) {
  rte_mbuf* frame = new_segment(bytes.first(std::min(how.split, bytes.size())), how.tailroom);
  if (how.split != Reception::kWhole) {
    require(rte_pktmbuf_chain(frame, new_segment(bytes.subspan(how.split), 0)) == 0, "no chain");
  }
  frame->ol_flags |= how.offload_flags;
  return frame;
}

inline Bytes bytes_of(const rte_mbuf* frame) {
  Bytes bytes;
  for (const auto* segment = frame; segment != nullptr; segment = segment->next) {
    const auto* at = rte_pktmbuf_mtod(segment, const std::uint8_t*);
    bytes.insert(bytes.end(), at, at + segment->data_len);
  }
  return bytes;
}

// Where one frame ended. Unused parts are as default, so that outcomes can be compared.
struct Outcome {
  Fate fate{};
  DropReason reason{};     // drop
  PuntClass punt_class{};  // punt
  std::size_t output{};    // transmit: ports first, then links
  Bytes bytes{};           // transmit, punt
  bool operator==(const Outcome&) const = default;
};

inline Outcome dropped(DropReason reason) {
  return {.fate = Fate::drop, .reason = reason};
}
// A punted frame is the one that was received, untouched.
inline Outcome punted(PuntClass to, Bytes bytes) {
  return {.fate = Fate::punt, .punt_class = to, .bytes = std::move(bytes)};
}
inline Outcome sent(std::size_t output, Bytes bytes) {
  return {.fate = Fate::transmit, .output = output, .bytes = std::move(bytes)};
}

// For gtest's failure messages.
inline void PrintTo(const Outcome& outcome, std::ostream* out) {
  switch (outcome.fate) {
    case Fate::undecided: *out << "undecided"; break;
    case Fate::drop: *out << "dropped: " << cluster::to_string(outcome.reason); break;
    case Fate::punt:
      *out << "punted as " << cluster::to_string(outcome.punt_class) << ":\n"
           << to_hex(outcome.bytes);
      break;
    case Fate::transmit:
      *out << "sent to output " << outcome.output << ":\n" << to_hex(outcome.bytes);
      break;
  }
}

enum class Entrance { port0, port1, link0, link1, link2, controller };

struct HarnessOptions {
  std::uint8_t relay_percent = 0;
  std::vector<bool> live_links = std::vector<bool>(kLinks, true);
  bool controller_present = true;
  // True: every burst finds full token buckets.
  bool fresh_punt_rates = true;
};

class PacketHarness {
 public:
  explicit PacketHarness(HarnessOptions options = {})
      : options_(std::move(options)),
        fib_(sample_fib()),
        steering_(topo::FabricTable(kSelf, kNodes, mesh()), kSelf, options_.relay_percent) {
    make_places(places);
    for (std::size_t i = 0; i < kPorts; ++i) addresses_[i] = addresses_of_port(i);
    steering_.set_live(options_.live_links);
    journey_.emplace(places, steering_, devices_.punted, slow_path_);
    free_at_start_ = free_frames();
  }
  ~PacketHarness() { drain(); }
  PacketHarness(const PacketHarness&) = delete;
  PacketHarness& operator=(const PacketHarness&) = delete;

  static void make_places(Places& made) {
    for (std::size_t i = 0; i < kOutputs; ++i) {
      auto place = std::make_unique<Place>();
      place->name = std::to_string(i);
      place->device = Devices::instance().device[i];
      place->mac = i == 0 ? kPort0Mac : i == 1 ? kPort1Mac : MacAddress{};
      place->mtu = 1500;
      place->usable.store(true);
      made.outputs.push_back(std::move(place));
    }
    made.ports = kPorts;
  }

  // Up to kBurst frames at once; the outcome of each, in their order.
  std::vector<Outcome> run(Entrance entrance, std::span<rte_mbuf* const> frames) {
    if (options_.fresh_punt_rates) {
      journey_.emplace(places, steering_, devices_.punted, slow_path_);
    }
    Place& in = place_of(entrance);
    const auto before = in.counters.read();
    std::uint64_t octets = 0;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      burst_.frames[i] = frames[i];
      octets += frames[i]->pkt_len;
    }
    burst_.begin(static_cast<std::uint16_t>(frames.size()));
    enter(entrance, in);
    auto outcomes = outcomes_of_burst(entrance);
    check_counters(before, in, octets);
    if (keep_output) return outcomes;
    drain();
    require(free_frames() == free_at_start_, "a buffer was lost or freed twice");
    return outcomes;
  }

  Outcome run(Entrance entrance, const Bytes& bytes, const Reception& how = {}) {
    rte_mbuf* frame = new_frame(bytes, how);
    if (entrance == Entrance::controller) frame->port = inject_port;
    return run(entrance, std::span(&frame, 1)).front();
  }
  Outcome from_port(const Bytes& bytes, const Reception& how = {}) {
    return run(Entrance::port0, bytes, how);
  }
  Outcome from_link(const Bytes& bytes, const Reception& how = {}) {
    return run(Entrance::link0, bytes, how);
  }
  Outcome from_controller(const Bytes& bytes, std::uint16_t port) {
    inject_port = port;
    return run(Entrance::controller, bytes);
  }

  // Frees what has left and what was punted.
  void drain() {
    empty(devices_.punted);
    for (auto* ring : devices_.from_core) empty(ring);
  }

  [[nodiscard]] Place& place_of(Entrance entrance) {
    return entrance == Entrance::controller ? places.controller
                                            : *places.outputs[static_cast<std::size_t>(entrance)];
  }
  [[nodiscard]] WakeUp& slow_path() { return slow_path_; }
  [[nodiscard]] static unsigned free_frames() {
    return rte_mempool_avail_count(Devices::instance().pool);
  }

  Places places;
  bool keep_output = false;  // leave the frames in the rings, to fill them
  std::uint16_t inject_port = 0;

 private:
  [[nodiscard]] std::vector<fib::PortAddress> addresses_of_port(std::size_t port) const {
    std::vector<fib::PortAddress> found;
    for (const auto& address : fib_.addresses_of(kSelf)) {
      if (address.port.value == port) found.push_back(address);
    }
    return found;
  }

  void enter(Entrance entrance, Place& in) {
    const auto index = static_cast<std::size_t>(entrance);
    const bool external = index < kPorts;
    const Context context{.fib = fib_,
                          .self = kSelf,
                          .port = PortId{static_cast<std::uint16_t>(external ? index : 0)},
                          .in = in,
                          .addresses = external
                                           ? std::span<const fib::PortAddress>(addresses_[index])
                                           : std::span<const fib::PortAddress>(),
                          .controller_present = options_.controller_present,
                          .epoch_mark = kEpochMark};
    if (external) {
      journey_->from_external_port(burst_, context);
    } else if (entrance == Entrance::controller) {
      journey_->from_controller(burst_, context);
    } else {
      journey_->from_fabric_link(burst_, context);
    }
  }

  // Takes what came out and matches it with the slots: each frame exactly where its slot says.
  std::vector<Outcome> outcomes_of_burst(Entrance entrance) {
    std::vector<Outcome> outcomes;
    for (auto& slot : burst_.all()) {
      require(slot.fate != Fate::undecided, "a slot ended undecided");
      switch (slot.fate) {
        case Fate::transmit:
          require(slot.output < kOutputs, "a frame for an output that is not there");
          outcomes.push_back(sent(slot.output, take(devices_.from_core[slot.output], slot.frame)));
          break;
        case Fate::punt:
          require(slot.frame->port == static_cast<std::uint16_t>(entrance), "punted port");
          require(slot.frame->hash.usr == static_cast<std::uint32_t>(slot.punt_class),
                  "punted class");
          outcomes.push_back(punted(slot.punt_class, take(devices_.punted, slot.frame)));
          break;
        default:
          require(static_cast<std::size_t>(slot.reason) < cluster::kDropReasons, "drop reason");
          outcomes.push_back(dropped(slot.reason));
      }
    }
    return outcomes;
  }

  Bytes take(rte_ring* ring, const rte_mbuf* expected) {
    if (keep_output) return bytes_of(expected);
    void* found = nullptr;
    require(rte_ring_dequeue(ring, &found) == 0, "a frame did not come out");
    auto* frame = static_cast<rte_mbuf*>(found);
    require(frame == expected, "another frame came out");
    auto bytes = bytes_of(frame);
    rte_pktmbuf_free(frame);
    return bytes;
  }

  void check_counters(const cluster::PlaceCounters& before, const Place& in, std::uint64_t octets) {
    const auto after = in.counters.read();
    std::array<std::uint64_t, 2> expected{};  // sent, punted
    std::array<std::uint64_t, cluster::kDropReasons> drops{};
    for (const auto& slot : burst_.all()) {
      if (slot.fate == Fate::transmit) ++expected[0];
      if (slot.fate == Fate::punt) ++expected[1];
      if (slot.fate == Fate::drop) ++drops[static_cast<std::size_t>(slot.reason)];
    }
    require(after.received - before.received == burst_.size, "frames received");
    require(after.received_bytes - before.received_bytes == octets, "octets received");
    require(after.sent - before.sent == expected[0], "frames sent");
    require(after.punted - before.punted == expected[1], "frames punted");
    std::uint64_t all = after.sent + after.punted;
    for (std::size_t i = 0; i < drops.size(); ++i) {
      require(after.dropped[i] - before.dropped[i] == drops[i], "frames dropped");
      all += after.dropped[i];
    }
    require(after.received == all, "received = sent + punted + dropped");
  }

  static void empty(rte_ring* ring) {
    void* frame = nullptr;
    while (rte_ring_dequeue(ring, &frame) == 0) rte_pktmbuf_free(static_cast<rte_mbuf*>(frame));
  }

  Devices& devices_ = Devices::instance();
  HarnessOptions options_;
  fib::Fib fib_;
  vlb::Steering steering_;
  WakeUp slow_path_;
  std::array<std::vector<fib::PortAddress>, kPorts> addresses_;
  std::optional<Journey> journey_;
  Burst burst_{};
  unsigned free_at_start_{};
};

}  // namespace rackway::node::testing
