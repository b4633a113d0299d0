// SPDX-License-Identifier: Apache-2.0
// Which of several paths of a RIB dump to take, since a dump does not say which one its router
// used: the first steps of RFC 4271 9.1.2 that need nothing but the path itself. Pure.
#pragma once

#include <tuple>

#include "control/table_file/mrt_reader.hh"

namespace rackway::table_file {

// The higher local preference, the shorter AS path, the lower origin; else the lower next hop, so
// that the choice is the same in whatever order paths come.
[[nodiscard]] inline bool is_better(const PathAttributes& a, const PathAttributes& b) {
  const auto rank = [](const PathAttributes& path) {
    return std::tuple(~path.local_preference, path.as_path_length, path.origin, path.next_hop);
  };
  return rank(a) < rank(b);
}

}  // namespace rackway::table_file
