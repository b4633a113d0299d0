// SPDX-License-Identifier: Apache-2.0
// Reads the RIBs of an MRT file: TABLE_DUMP and TABLE_DUMP_V2 (RFC 6396 4.2, 4.3), the latter also
// with path identifiers (RFC 8050 section 4). IP unicast; everything else is counted and passed
// over, as is whatever is broken. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/ip_address.hh"
#include "base/wire.hh"
#include "control/table_file/mrt_records.hh"
#include "control/table_file/path_attributes.hh"

namespace rackway::table_file {

struct MrtPeer {
  IpAddress address;
  std::uint32_t as{};
  auto operator<=>(const MrtPeer&) const = default;
};

struct MrtPath {
  std::uint32_t peer{};     // index in peers()
  std::uint32_t path_id{};  // 0 where there are none
  PathAttributes attributes;
  bool operator==(const MrtPath&) const = default;
};

// One record: a prefix and paths to it. TABLE_DUMP has a record for every path.
struct MrtRib {
  IpPrefix prefix;
  std::vector<MrtPath> paths;  // 1 or more
  bool is_complete{};          // these are all paths to the prefix
};

class MrtReader {
 public:
  // Must outlive this.
  explicit MrtReader(OctetSource& source) : records_(source, skipped_) {}
  MrtReader(const MrtReader&) = delete;
  MrtReader& operator=(const MrtReader&) = delete;

  // The next RIB that has a usable path; false at the end. `rib` is overwritten, so that its memory
  // serves again.
  [[nodiscard]] bool next(MrtRib& rib);

  // Of the last peer index, or, in TABLE_DUMP, those met so far.
  [[nodiscard]] const std::vector<MrtPeer>& peers() const { return peers_; }
  [[nodiscard]] std::uint64_t records() const { return records_read_; }
  [[nodiscard]] std::uint64_t paths() const { return paths_; }
  [[nodiscard]] const SkipCounts& skipped() const { return skipped_; }

 private:
  struct Layout {
    Family family;
    bool path_ids;
  };
  void read_peer_index(std::string_view body);
  void read_table_dump(const MrtRecord& record, MrtRib& rib);
  void read_v2(const MrtRecord& record, MrtRib& rib);
  void read_rib(std::string_view body, Layout layout, MrtRib& rib);
  void read_generic(std::string_view body, MrtRib& rib);
  void read_entries(WireReader& in, Layout layout, MrtRib& rib);
  void add_path(std::uint32_t peer, std::uint32_t path_id, std::string_view attributes,
                std::size_t as_octets, MrtRib& rib);
  [[nodiscard]] std::uint32_t index_of(const MrtPeer& peer);

  SkipCounts skipped_;
  MrtRecords records_;
  std::vector<MrtPeer> peers_;
  std::map<MrtPeer, std::uint32_t> indices_;  // of TABLE_DUMP's
  bool has_peer_index_ = false;
  std::uint64_t records_read_ = 0, paths_ = 0;
};

}  // namespace rackway::table_file
