// SPDX-License-Identifier: Apache-2.0
// Cuts a stream of octets into MRT records (RFC 6396 section 2): a header of 12 octets, then as
// many octets as it says. A record longer than any RIB needs is read over. Memory is bounded by the
// longest record. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "control/table_file/octet_source.hh"
#include "control/table_file/skip_counts.hh"

namespace rackway::table_file {

struct MrtRecord {
  std::uint16_t type{};  // RFC 6396 section 4
  std::uint16_t subtype{};
  std::string_view body;  // valid until the next record
};

class MrtRecords {
 public:
  // 65,535 paths of a prefix with 250 octets each.
  static constexpr std::size_t kMostOctets = std::size_t{16} << 20;

  // Both must outlive this.
  MrtRecords(OctetSource& source, SkipCounts& skipped) : source_(source), skipped_(skipped) {}

  // Nothing at the end of the stream, or where it breaks off.
  [[nodiscard]] std::optional<MrtRecord> next();

 private:
  [[nodiscard]] bool fill(std::size_t octets);
  [[nodiscard]] bool pass_over(std::size_t octets);
  [[nodiscard]] std::optional<MrtRecord> stop();

  OctetSource& source_;
  SkipCounts& skipped_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // of what is in the buffer and not given out
  bool stopped_ = false;
};

}  // namespace rackway::table_file
