// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/forward/packet_list.hh"

#include <fstream>
#include <stdexcept>

namespace rackway::bench {

void write_packet_list(PacketList list, const std::string& path) {
  const std::size_t size = patch_octets(list.patch);
  for (std::size_t i = 0; i < kOverhang * size; ++i) list.patches.push_back(list.patches[i]);
  const PacketListHeader header{kPacketListMagic, list.patch, list.records,
                                list.packet_type, 0,          list.packet};
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(&header), sizeof header);
  file.write(reinterpret_cast<const char*>(list.patches.data()),
             static_cast<std::streamsize>(list.patches.size()));
  if (!file.flush()) throw std::runtime_error("can not write " + path);
}

PacketList read_packet_list(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  PacketListHeader header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  if (!file || header.magic != kPacketListMagic) {
    throw std::runtime_error("not a packet list: " + path);
  }
  PacketList list{header.patch, header.packet_type, header.packet, header.records, {}};
  list.patches.resize((std::size_t{header.records} + kOverhang) * patch_octets(header.patch));
  file.read(reinterpret_cast<char*>(list.patches.data()),
            static_cast<std::streamsize>(list.patches.size()));
  if (!file) throw std::runtime_error("too short: " + path);
  return list;
}

}  // namespace rackway::bench
