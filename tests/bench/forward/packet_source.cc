// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/forward/packet_source.hh"

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

namespace rackway::bench {
namespace {

constexpr std::size_t kHugePage = std::size_t{1} << 21;

template <Patch kPatch>
void write_patch(std::uint8_t* packet, const std::uint8_t* patch) noexcept {
  if constexpr (kPatch == Patch::ipv4) {
    std::memcpy(packet + 24, patch, 2);      // header checksum
    std::memcpy(packet + 30, patch + 2, 4);  // destination
  } else if constexpr (kPatch == Patch::ipv6) {
    std::memcpy(packet + 38, patch, 16);  // destination
  } else if constexpr (kPatch == Patch::fabric_tag) {
    std::memcpy(packet, patch, 12);  // both MAC addresses
  }
}

template <Patch kPatch>
std::uint16_t receive(std::uint16_t, std::uint16_t, rte_mbuf** frames, std::uint16_t count,
                      std::uint16_t, void* port_of_callback) {
  auto& port = *static_cast<PacketSource::Port*>(port_of_callback);
  const std::uint8_t* patch = port.patches + port.at * patch_octets(kPatch);
  for (std::uint16_t i = 0; i < count; ++i) {
    frames[i]->packet_type = port.packet_type;
    if constexpr (kPatch != Patch::none) {
      auto* packet = rte_pktmbuf_mtod(frames[i], std::uint8_t*);
      std::memcpy(packet, port.packet.data(), kPacketOctets);
      write_patch<kPatch>(packet, patch);
      patch += patch_octets(kPatch);
    }
  }
  port.at += count;
  if (port.at >= port.records) port.at -= port.records;
  port.meter->count(count);
  return count;
}

rte_rx_callback_fn callback(Patch patch) {
  switch (patch) {
    case Patch::none: return receive<Patch::none>;
    case Patch::ipv4: return receive<Patch::ipv4>;
    case Patch::ipv6: return receive<Patch::ipv6>;
    case Patch::fabric_tag: return receive<Patch::fabric_tag>;
  }
  return nullptr;
}

// In huge pages where the system has them, so that the list costs no misses of the TLB.
std::uint8_t* keep(const std::vector<std::uint8_t>& patches) {
  const std::size_t size = (patches.size() / kHugePage + 1) * kHugePage;
  void* memory = std::aligned_alloc(kHugePage, size);
  if (memory == nullptr) throw std::runtime_error("no memory for the packet list");
  ::madvise(memory, size, MADV_HUGEPAGE);
  std::memset(memory, 0, size);
  std::memcpy(memory, patches.data(), patches.size());
  return static_cast<std::uint8_t*>(memory);
}

const char* word(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) throw std::runtime_error(std::string("no ") + name);
  return value;
}

}  // namespace

PacketSource::PacketSource(const PacketList& list, ThroughputMeter& meter)
    : patch_(list.patch), patches_(keep(list.patches)) {
  prototype_ = {list.packet, patches_, list.records, 0, list.packet_type, &meter};
}

PacketSource::~PacketSource() {
  std::free(patches_);
}

void PacketSource::feed(std::uint16_t port, std::uint16_t queue) {
  if (used_ == ports_.size()) throw std::runtime_error("too many ports for the source");
  Port& state = ports_[used_];
  state = prototype_;
  state.at = static_cast<std::uint32_t>(state.records / kMostPorts * used_);
  ++used_;
  if (rte_eth_add_rx_callback(port, queue, callback(patch_), &state) == nullptr) {
    throw std::runtime_error("no receive callback on port " + std::to_string(port));
  }
}

SourceOfEnvironment* source_of_environment() {
  static const std::unique_ptr<SourceOfEnvironment> made =
      []() -> std::unique_ptr<SourceOfEnvironment> {
    const char* path = std::getenv("RACKWAY_PACKETS");
    if (path == nullptr) return nullptr;
    MeterSetup setup{word("RACKWAY_RESULT"), std::atof(word("RACKWAY_WARM_UP")),
                     std::atof(word("RACKWAY_WINDOW")),
                     static_cast<unsigned>(std::atoi(word("RACKWAY_WINDOWS")))};
    return std::make_unique<SourceOfEnvironment>(std::move(setup), read_packet_list(path));
  }();
  return made.get();
}

}  // namespace rackway::bench
