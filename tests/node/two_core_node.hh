// SPDX-License-Identifier: Apache-2.0
// A node of two forwarding cores between ports in memory that have two queues each way. A test puts
// frames into a queue of a place, lets the cores make their rounds, one by one or on threads of
// their own, and takes what leaves by a queue or is punted by a core. The node and its FIB are the
// packet harness's.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "node/forwarding_core.hh"
#include "tests/node/packet_harness.hh"

namespace rackway::node::testing {

constexpr std::size_t kCores = 2;

// Made once in a process.
class TwoQueueDevices {
 public:
  static TwoQueueDevices& instance() {
    Devices::instance();  // lives longer
    static TwoQueueDevices devices;
    return devices;
  }
  TwoQueueDevices(const TwoQueueDevices&) = delete;
  TwoQueueDevices& operator=(const TwoQueueDevices&) = delete;
  ~TwoQueueDevices() {
    for (const auto port : device) {
      rte_eth_dev_stop(port);
      rte_eth_dev_close(port);
    }
  }

  using Rings = std::array<rte_ring*, kCores>;
  std::array<std::uint16_t, kOutputs> device{};
  std::array<Rings, kOutputs> to_core{}, from_core{};  // by place and queue
  Rings punted{}, injected{};

 private:
  TwoQueueDevices() {
    for (std::size_t core = 0; core < kCores; ++core) {
      punted[core] = ring("punted-of-" + std::to_string(core));
      injected[core] = ring("injected-to-" + std::to_string(core));
    }
    for (std::size_t i = 0; i < kOutputs; ++i) make_port(i);
  }

  static rte_ring* ring(const std::string& name) {
    auto* made = rte_ring_create(name.c_str(), kRingFrames + 1, SOCKET_ID_ANY,
                                 RING_F_SP_ENQ | RING_F_SC_DEQ);
    require(made != nullptr, "no ring");
    return made;
  }

  void make_port(std::size_t i) {
    const std::string name = "two" + std::to_string(i);
    for (std::size_t queue = 0; queue < kCores; ++queue) {
      to_core[i][queue] = ring(name + "-to-" + std::to_string(queue));
      from_core[i][queue] = ring(name + "-from-" + std::to_string(queue));
    }
    const int made =
        rte_eth_from_rings(name.c_str(), to_core[i].data(), kCores, from_core[i].data(), kCores, 0);
    require(made >= 0, "no port in memory");
    device[i] = static_cast<std::uint16_t>(made);
    const rte_eth_conf configuration{};
    require(rte_eth_dev_configure(device[i], kCores, kCores, &configuration) == 0, "no queues");
    for (std::uint16_t queue = 0; queue < kCores; ++queue) {
      auto* pool = Devices::instance().pool;
      require(rte_eth_rx_queue_setup(device[i], queue, 64, 0, nullptr, pool) == 0 &&
                  rte_eth_tx_queue_setup(device[i], queue, 64, 0, nullptr) == 0,
              "no queue");
    }
    require(rte_eth_dev_start(device[i]) == 0, "a port in memory does not start");
  }
};

class TwoCoreNode {
 public:
  static constexpr std::uint64_t kTicksPerSecond = 1'000'000;

  TwoCoreNode()
      : shared(kSelf, vlb::Steering(topo::FabricTable(kSelf, kNodes, mesh()), kSelf), kCores),
        free_at_start_(PacketHarness::free_frames()) {
    for (std::size_t i = 0; i < kOutputs; ++i) {
      auto place = std::make_unique<Place>(kCores);
      place->device = devices_.device[i];
      place->receive_queues = kCores;
      place->mac = i == kPort0 ? kPort0Mac : i == kPort1 ? kPort1Mac : MacAddress{};
      place->mtu = 1500;
      place->usable.store(true);
      shared.places.outputs.push_back(std::move(place));
    }
    shared.places.ports = kPorts;
    shared.pool = &*packet_pool();
    shared.controller_present.store(true);
    for (std::size_t core = 0; core < kCores; ++core) {
      shared.lcores[core]->punt_queue = devices_.punted[core];
      shared.lcores[core]->inject_queue = devices_.injected[core];
    }
    publish(sample_fib().snapshot());
  }
  ~TwoCoreNode() { drain(); }
  TwoCoreNode(const TwoCoreNode&) = delete;
  TwoCoreNode& operator=(const TwoCoreNode&) = delete;

  void publish(const fib::Delta& snapshot) {
    require(shared.fib.prepare_snapshot(snapshot).has_value(), "a FIB is refused");
    shared.fib.commit();
  }

  [[nodiscard]] ForwardingCore core(std::uint16_t number) {
    return {shared, number, true, kTicksPerSecond};
  }

  // False when the queue is full.
  bool arrive(std::size_t place, std::size_t queue, const Bytes& bytes) {
    return put(devices_.to_core[place][queue], new_frame(bytes, {.tailroom = 64}));
  }
  // As the slow path does.
  void inject(std::uint16_t port, const Bytes& bytes) {
    auto* frame = new_frame(bytes);
    frame->port = port;
    require(put(shared.injector_of(PortId{port}).inject_queue, frame), "a full ring");
  }
  // The next to leave by a queue, and to be punted by a core.
  std::optional<Bytes> leaves(std::size_t output, std::size_t queue) {
    return take(devices_.from_core[output][queue]);
  }
  std::optional<Bytes> is_punted(std::size_t core) { return take(devices_.punted[core]); }

  void drain() {
    for (std::size_t queue = 0; queue < kCores; ++queue) {
      while (is_punted(queue)) {
      }
      for (std::size_t output = 0; output < kOutputs; ++output) {
        while (leaves(output, queue)) {
        }
      }
    }
  }
  // No buffer lost or freed twice, once all is drained.
  [[nodiscard]] bool pools_are_full() const {
    return PacketHarness::free_frames() == free_at_start_;
  }

  Shared shared;

 private:
  static bool put(rte_ring* ring, rte_mbuf* frame) {
    if (rte_ring_enqueue(ring, frame) == 0) return true;
    rte_pktmbuf_free(frame);
    return false;
  }
  static std::optional<Bytes> take(rte_ring* ring) {
    void* frame = nullptr;
    if (rte_ring_dequeue(ring, &frame) != 0) return std::nullopt;
    auto bytes = bytes_of(static_cast<rte_mbuf*>(frame));
    rte_pktmbuf_free(static_cast<rte_mbuf*>(frame));
    return bytes;
  }

  TwoQueueDevices& devices_ = TwoQueueDevices::instance();
  unsigned free_at_start_;
};

}  // namespace rackway::node::testing
