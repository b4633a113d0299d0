// SPDX-License-Identifier: Apache-2.0
// Capture files for tests, in the format of 1998 with nanoseconds, little endian.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace rackway::traffic::testing {

using Octets = std::vector<std::uint8_t>;

struct Captured {
  std::uint32_t seconds, nanoseconds;
  Octets octets;             // what is in the file
  std::uint32_t length = 0;  // on the cable; 0: all is in the file
};

inline void put(Octets& to, std::uint32_t value, int octets = 4) {
  for (int i = 0; i < octets; ++i) to.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}

inline Octets capture_of(const std::vector<Captured>& packets, std::uint32_t link_type = 1) {
  Octets file;
  put(file, 0xa1b23c4d);
  put(file, 2, 2);
  put(file, 4, 2);
  put(file, 0);
  put(file, 0);
  put(file, 65535);
  put(file, link_type);
  for (const auto& [seconds, nanoseconds, octets, length] : packets) {
    put(file, seconds);
    put(file, nanoseconds);
    put(file, static_cast<std::uint32_t>(octets.size()));
    put(file, length == 0 ? static_cast<std::uint32_t>(octets.size()) : length);
    file.insert(file.end(), octets.begin(), octets.end());
  }
  return file;
}

inline void write_file(const std::string& path, const Octets& octets) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(octets.data()),
             static_cast<std::streamsize>(octets.size()));
}

// UDP from 10.0.x.x to 10.1.y.y.
inline Octets ipv4_packet(std::uint16_t from, std::uint16_t to, std::uint16_t port = 53) {
  Octets packet{0x45, 0, 0, 32, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0};
  put(packet, from, 2);
  packet.insert(packet.end(), {10, 1});
  put(packet, to, 2);
  put(packet, port, 2);
  packet.insert(packet.end(), 10, 0);
  return packet;
}

inline Octets in_ethernet(const Octets& packet, std::uint16_t type = 0x0800,
                          const Octets& tags = {}) {
  Octets frame(12, 2);
  frame.insert(frame.end(), tags.begin(), tags.end());
  frame.push_back(static_cast<std::uint8_t>(type >> 8));
  frame.push_back(static_cast<std::uint8_t>(type));
  frame.insert(frame.end(), packet.begin(), packet.end());
  return frame;
}

}  // namespace rackway::traffic::testing
