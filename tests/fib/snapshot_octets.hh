// SPDX-License-Identifier: Apache-2.0
// Snapshot files by hand: octets from hex, and size and checksum made good after a change.
#pragma once

#include <xxhash.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/byte_order.hh"

namespace rackway::fib::testing {

constexpr std::size_t kSnapshotSizeAt = 10, kSnapshotRecordsAt = 18, kSnapshotChecksum = 16;

// Blanks are for the reader.
inline std::string octets(std::string_view hex) {
  std::string digits, out;
  for (const char c : hex) {
    if (c != ' ') digits += c;
  }
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    out += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return out;
}

// A file of everything before the checksum.
inline std::string sealed(std::string bytes) {
  store_be(&bytes[kSnapshotSizeAt], std::uint64_t{bytes.size() + kSnapshotChecksum});
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  char checksum[kSnapshotChecksum];
  store_be(checksum, std::uint64_t{hash.high64});
  store_be(checksum + 8, std::uint64_t{hash.low64});
  return bytes.append(checksum, sizeof checksum);
}

inline std::string without_checksum(const std::string& bytes) {
  return bytes.substr(0, bytes.size() - kSnapshotChecksum);
}

}  // namespace rackway::fib::testing
