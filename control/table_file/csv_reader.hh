// SPDX-License-Identifier: Apache-2.0
// Reads routes as lines of text (docs/route_files.md):
//
//   prefix,next hop[,weight][,next hop[,weight]]...
//   prefix,blackhole            (or unreachable, prohibit)
//
// Fields are separated by commas and blanks. Empty lines, comments ('#' to the end) and a first
// line that begins with "prefix" are no routes. A bad line is counted and passed over. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "control/table_file/octet_source.hh"
#include "control/table_file/route_target.hh"
#include "control/table_file/skip_counts.hh"

namespace rackway::table_file {

struct CsvRoute {
  IpPrefix prefix;
  std::uint32_t target{};  // index in targets()
};

struct BadLine {
  std::uint64_t number{};  // from 1
  std::string why;
};

class CsvReader {
 public:
  static constexpr std::size_t kMostLineOctets = 64 * 1024;
  static constexpr std::size_t kMostTargets = std::size_t{1} << 20;
  static constexpr std::size_t kBadLinesKept = 10;

  // Must outlive this.
  explicit CsvReader(OctetSource& source) : source_(source) {}

  // False at the end.
  [[nodiscard]] bool next(CsvRoute& route);

  // The different targets so far: tables have few.
  [[nodiscard]] const std::vector<RouteTarget>& targets() const { return targets_; }
  [[nodiscard]] std::uint64_t lines() const { return lines_; }
  [[nodiscard]] std::uint64_t routes() const { return routes_; }
  [[nodiscard]] const SkipCounts& skipped() const { return skipped_; }
  // The first few.
  [[nodiscard]] const std::vector<BadLine>& bad_lines() const { return bad_lines_; }

 private:
  [[nodiscard]] bool next_line(std::string_view& line);
  [[nodiscard]] bool read_more();
  [[nodiscard]] bool parse(std::string_view line, CsvRoute& route);
  void refuse(Skip reason, std::string why);

  OctetSource& source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  bool at_end_ = false;
  std::vector<RouteTarget> targets_;
  std::unordered_map<std::string, std::uint32_t> target_indices_;  // by their text
  std::string key_;
  SkipCounts skipped_;
  std::vector<BadLine> bad_lines_;
  std::uint64_t lines_ = 0, routes_ = 0;
};

}  // namespace rackway::table_file
