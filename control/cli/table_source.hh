// SPDX-License-Identifier: Apache-2.0
// The routes of a file, whatever its format: CSV lines as they are; of an MRT dump, for each prefix
// the best path or that of one peer.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hh"
#include "control/cli/route_arguments.hh"
#include "control/table_file/csv_reader.hh"

namespace rackway::cli {

struct TableReading {
  bool is_mrt = false;
  std::uint64_t routes = 0;  // given
  std::uint64_t paths = 0;   // of MRT
  table_file::SkipCounts skipped;
  std::vector<table_file::BadLine> bad_lines;  // the first few
};

// What is done with a route: its target as the API has it, and how much of the file is read, 0 to
// 100. False: stop.
using TakeRoute =
    std::function<bool(const IpPrefix& prefix, const std::string& target, unsigned percent)>;

// The error says why the file can not be read at all.
[[nodiscard]] Result<TableReading> read_table(const ImportArguments& arguments,
                                              const TakeRoute& take);

}  // namespace rackway::cli
