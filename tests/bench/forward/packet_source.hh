// SPDX-License-Identifier: Apache-2.0
// A source of packets for any DPDK program, by public API only: a receive callback that writes the
// next packet of a list into each buffer that a port of net_null hands out, and tells its type as a
// NIC would. The same code whether preloaded into DPDK's programs or compiled into ours.
//
// All that a source feeds is polled by one thread. Each port goes through the list from a place of
// its own.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "tests/bench/forward/packet_list.hh"
#include "tests/bench/forward/throughput_meter.hh"

namespace rackway::bench {

class PacketSource {
 public:
  PacketSource(const PacketList& list, ThroughputMeter& meter);
  ~PacketSource();
  PacketSource(const PacketSource&) = delete;
  PacketSource& operator=(const PacketSource&) = delete;

  // From now on what that queue of the port receives is of this source. Throws std::runtime_error.
  void feed(std::uint16_t port, std::uint16_t queue = 0);

  // What a port's callback knows; stays where it is.
  struct alignas(64) Port {
    alignas(64) std::array<std::uint8_t, kPacketOctets> packet;
    const std::uint8_t* patches;
    std::uint32_t records, at;
    std::uint32_t packet_type;
    ThroughputMeter* meter;
  };

 private:
  static constexpr std::size_t kMostPorts = 16;
  Patch patch_;
  Port prototype_;
  std::uint8_t* patches_;
  std::array<Port, kMostPorts> ports_;
  std::size_t used_ = 0;
};

// The source that the environment asks for (RACKWAY_PACKETS, RACKWAY_RESULT, RACKWAY_WARM_UP,
// RACKWAY_WINDOW in seconds, RACKWAY_WINDOWS); none if it does not. Made when first asked for, with
// its meter, once DPDK runs.
struct SourceOfEnvironment {
  SourceOfEnvironment(MeterSetup setup, const PacketList& list)
      : meter(std::move(setup)), source(list, meter) {}

  ThroughputMeter meter;
  PacketSource source;
};
[[nodiscard]] SourceOfEnvironment* source_of_environment();

}  // namespace rackway::bench
