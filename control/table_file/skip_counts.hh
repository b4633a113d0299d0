// SPDX-License-Identifier: Apache-2.0
// Why something in a file of routes was passed over, and how often. Nothing in a file is fatal:
// what can not be used is counted by its reason, and reading goes on behind it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>

namespace rackway::table_file {

enum class Skip : std::uint8_t {
  // ---- records of MRT
  not_a_rib,          // of another type: updates, states, peers with positions
  unsupported_rib,    // multicast, or of a family that is no IP unicast
  too_long,           // more octets than any RIB record needs
  broken_record,      // its fields do not fit into it
  bad_prefix,         // longer than its family's addresses
  no_peer_index,      // a RIB before the peers that it refers to
  broken_peer_index,  // none of the RIBs behind it can be used
  cut_off,            // the file ends within it
  // ---- paths within a record
  unknown_peer,
  broken_attributes,
  no_next_hop,
  unusable_next_hop,  // unspecified, multicast, or link-local
  // ---- lines of CSV
  bad_line,
  long_line,
  too_many_targets,  // more different ones than a FIB has groups
  // ---- the file
  broken_stream,  // the compressed data is damaged or cut off, or can not be read
};
inline constexpr std::size_t kSkips = 16;

// "cut off": for people.
[[nodiscard]] std::string_view to_string(Skip reason);

struct SkipCounts {
  std::array<std::uint64_t, kSkips> by_reason{};

  void add(Skip reason) { ++by_reason[static_cast<std::size_t>(reason)]; }
  [[nodiscard]] std::uint64_t of(Skip reason) const {
    return by_reason[static_cast<std::size_t>(reason)];
  }
  [[nodiscard]] std::uint64_t total() const {
    return std::accumulate(by_reason.begin(), by_reason.end(), std::uint64_t{0});
  }
  bool operator==(const SkipCounts&) const = default;
};

}  // namespace rackway::table_file
