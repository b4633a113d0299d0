// SPDX-License-Identifier: Apache-2.0
// A node without a process around it: the packet's journey between ports in memory. A test hands in
// frames as bytes and gets back, for each, its fate and the exact bytes that left or were punted;
// and the frames that the node made of its own because of them.
//
// The node is number 1 of a full mesh of four, with two external ports and three fabric links (to
// the nodes 0, 2 and 3, in this order); what its FIB holds is in sample_fib.hh.
//
// After every burst the harness checks what holds for any input and throws std::logic_error if it
// does not: no slot undecided, counters add up, each frame is in one place, no buffer lost.
// Everything is used by one thread. No gtest in here: the fuzzer uses it too.
#pragma once

#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <rte_ring.h>

#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "node/journey.hh"
#include "tests/node/heap_frame.hh"
#include "tests/node/memory_devices.hh"
#include "tests/node/outcome.hh"
#include "tests/node/packet_pool.hh"
#include "tests/node/sample_fib.hh"

namespace rackway::node::testing {

enum class Entrance { port0, port1, link0, link1, link2, controller };

struct HarnessOptions {
  // Of a fabric in which this node has links to nodes 0, 2 and 3, in that order.
  std::vector<topo::LinkEnds> fabric = mesh();
  std::size_t nodes = kNodes;
  topo::SteeringMode mode = topo::SteeringMode::adaptive;  // with idle links: straight
  std::vector<double> node_rates;
  std::vector<bool> live_links = std::vector<bool>(kLinks, true);
  bool controller_present = true;
  // True: every burst finds full token buckets, of punts and of ICMP errors.
  bool fresh_punt_rates = true;
  // Somebody listens to hellos; they do not change how packets are steered.
  bool hears_hellos = false;
};

class PacketHarness {
 public:
  explicit PacketHarness(HarnessOptions options = {}) : PacketHarness(std::move(options), {}) {}
  // With another FIB.
  PacketHarness(HarnessOptions options, const fib::Delta& content)
      : options_(std::move(options)),
        fib_(content.empty() ? sample_fib() : fib_of(content)),
        steering_(topo::FabricTable(kSelf, options_.nodes, options_.fabric), kSelf,
                  {.mode = options_.mode,
                   .node_rates = options_.node_rates,
                   .own_rate = 0,
                   .link_rates = {},
                   .gap = {}}) {
    make_places(places);
    steering_.see(vlb::view_of_carriers(steering_.table(), options_.live_links), 0);
    if (options_.hears_hellos) {
      watch_.emplace(places, steering_.table(), kSelf, 1, vlb::HelloTiming{},
                     std::span<const double>{}, *packet_pool());
    }
    start_journey();
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
    made.generated.name = "generated";
  }

  // Up to kBurst frames at once; the outcome of each, in their order.
  std::vector<Outcome> run(Entrance entrance, std::span<rte_mbuf* const> frames) {
    if (options_.fresh_punt_rates) start_journey();
    Place& in = place_of(entrance);
    const auto before = in.counters.read(), generated_before = places.generated.counters.read();
    for (std::size_t i = 0; i < frames.size(); ++i) {
      burst_.frames[i] = frames[i];
      octets_[i] = frames[i]->pkt_len;
    }
    burst_.begin(static_cast<std::uint16_t>(frames.size()));
    enter(entrance, in);
    take_output();
    auto outcomes = outcomes_of_burst(entrance);
    check_counters(before, in);
    check_generated(generated_before);
    if (keep_output) return outcomes;
    require(rte_ring_empty(devices_.punted) != 0, "a frame was punted that did not come in");
    for (const auto& left : output_) require(left.empty(), "a frame left that did not come in");
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
  [[nodiscard]] cluster::PlaceCounters generated_counters() const {
    return places.generated.counters.read();
  }

  [[nodiscard]] Place& place_of(Entrance entrance) {
    return entrance == Entrance::controller ? places.controller
                                            : *places.outputs[static_cast<std::size_t>(entrance)];
  }
  [[nodiscard]] WakeUp& slow_path() { return slow_path_; }
  [[nodiscard]] static unsigned free_frames() {
    return rte_mempool_avail_count(Devices::instance().pool) + packet_pool().free_buffers();
  }

  static constexpr std::uint64_t kTicksPerSecond = 1'000'000;

  Places places;
  // Frames of the node's own that left in the last burst, by output; not with keep_output.
  std::vector<Outcome> generated;
  bool keep_output = false;  // leave the frames in the rings, to fill them
  std::uint16_t inject_port = 0;
  vlb::Time now = 0;
  std::uint64_t ticks = 0;

 private:
  void start_journey() {
    journey_.emplace(places, steering_, devices_.punted, slow_path_, *packet_pool(),
                     kTicksPerSecond, 0, HelloTakers{watch_ ? &*watch_ : nullptr, nullptr});
  }

  void enter(Entrance entrance, Place& in) {
    const auto index = static_cast<std::size_t>(entrance);
    const bool external = index < kPorts;
    const Context context{.fib = fib_,
                          .self = kSelf,
                          .port = PortId{static_cast<std::uint16_t>(external ? index : 0)},
                          .in = in,
                          .counters = in.counters[0],
                          .controller_present = options_.controller_present,
                          .epoch_mark = kEpochMark,
                          .now = now,
                          .ticks = ticks};
    if (external) {
      journey_->from_external_port(burst_, context);
    } else if (entrance == Entrance::controller) {
      journey_->from_controller(burst_, context);
    } else {
      journey_->from_fabric_link(burst_, context);
    }
  }

  // What left, apart: frames that came in, in order, and those of the node's own.
  void take_output() {
    generated.clear();
    if (keep_output) return;
    for (std::size_t output = 0; output < kOutputs; ++output) {
      output_[output].clear();
      void* left = nullptr;
      while (rte_ring_dequeue(devices_.from_core[output], &left) == 0) {
        auto* frame = static_cast<rte_mbuf*>(left);
        if (frame->pool != &*packet_pool()) {
          output_[output].push_back(frame);
          continue;
        }
        generated.push_back(sent(output, bytes_of(frame)));
        rte_pktmbuf_free(frame);
      }
    }
  }

  // Takes what came out and matches it with the slots: each frame exactly where its slot says.
  std::vector<Outcome> outcomes_of_burst(Entrance entrance) {
    std::vector<Outcome> outcomes;
    require((burst_.transmitted & burst_.punted) == 0 &&
                ((burst_.transmitted | burst_.punted) & burst_.dropped) == 0,
            "a slot has two fates");
    for (std::size_t i = 0; i < burst_.size; ++i) {
      rte_mbuf* frame = burst_.frames[i];
      const auto punt_class = burst_.punt_class[i];
      const auto output = burst_.output[i];
      switch (burst_.fate(i)) {
        case Fate::undecided: broken("a slot ended undecided");
        case Fate::transmit:
          require(output < kOutputs, "a frame for an output that is not there");
          outcomes.push_back(sent(output, take_sent(output, frame)));
          break;
        case Fate::punt:
          require(frame->port == static_cast<std::uint16_t>(entrance), "punted port");
          require(frame->hash.usr == static_cast<std::uint32_t>(punt_class), "punted class");
          outcomes.push_back(punted(punt_class, take_punted(frame)));
          break;
        case Fate::take_in:
          require(options_.hears_hellos, "a hello was taken in, and nobody listens");
          outcomes.push_back({.fate = Fate::take_in});
          break;
        case Fate::drop:
          require(static_cast<std::size_t>(burst_.reason[i]) < cluster::kDropReasons,
                  "drop reason");
          outcomes.push_back(dropped(burst_.reason[i]));
      }
    }
    return outcomes;
  }

  static Bytes take(rte_mbuf* found, const rte_mbuf* expected) {
    require(found == expected, "another frame came out");
    auto bytes = bytes_of(found);
    rte_pktmbuf_free(found);
    return bytes;
  }
  Bytes take_punted(const rte_mbuf* expected) {
    if (keep_output) return bytes_of(expected);
    void* found = nullptr;
    require(rte_ring_dequeue(devices_.punted, &found) == 0, "a frame did not come out");
    return take(static_cast<rte_mbuf*>(found), expected);
  }
  Bytes take_sent(std::size_t output, const rte_mbuf* expected) {
    if (keep_output) return bytes_of(expected);
    require(!output_[output].empty(), "a frame did not come out");
    auto* found = output_[output].front();
    output_[output].pop_front();
    return take(found, expected);
  }

  void check_counters(const cluster::PlaceCounters& before, const Place& in) {
    const auto after = in.counters.read();
    std::array<std::uint64_t, 2> expected{};  // sent, punted
    std::array<std::uint64_t, cluster::kDropReasons> drops{};
    std::uint64_t hellos = 0, octets = 0;
    for (std::size_t i = 0; i < burst_.size; ++i) {
      if (burst_.fate(i) == Fate::take_in) {
        ++hellos;
        continue;
      }
      octets += octets_[i];
      if (burst_.fate(i) == Fate::transmit) ++expected[0];
      if (burst_.fate(i) == Fate::punt) ++expected[1];
      if (burst_.fate(i) == Fate::drop) ++drops[static_cast<std::size_t>(burst_.reason[i])];
    }
    require(after.received - before.received == burst_.size - hellos, "frames received");
    require(after.hellos_received - before.hellos_received == hellos, "hellos received");
    require(after.received_bytes - before.received_bytes == octets, "octets received");
    require(after.sent - before.sent == expected[0], "frames sent");
    require(after.punted - before.punted == expected[1], "frames punted");
    std::uint64_t all = after.sent + after.punted;
    for (std::size_t i = 0; i < drops.size(); ++i) {
      require(after.dropped[i] - before.dropped[i] == drops[i], "frames dropped");
      all += after.dropped[i];
    }
    require(after.received == all, "received = sent + punted + dropped");
    const auto due =
        after.icmp_sent - before.icmp_sent + after.icmp_withheld - before.icmp_withheld;
    require(due <= static_cast<std::uint64_t>(std::popcount(burst_.answered)), "ICMP errors");
  }

  void check_generated(const cluster::PlaceCounters& before) {
    const auto after = generated_counters();
    std::uint64_t all = after.sent + after.punted;
    for (const auto drops : after.dropped) all += drops;
    require(after.received == all, "received = sent + punted + dropped, of generated frames");
    require(after.punted == 0, "a frame of the node's own was punted");
    require(keep_output || after.sent - before.sent == generated.size(), "generated frames sent");
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
  std::optional<FabricWatch> watch_;
  std::optional<Journey> journey_;
  std::array<std::uint64_t, kBurst> octets_{};  // of the frames that came in
  std::array<std::deque<rte_mbuf*>, kOutputs> output_;
  Burst burst_{};
  unsigned free_at_start_{};
};

}  // namespace rackway::node::testing
