// SPDX-License-Identifier: Apache-2.0
// What the user asked of `./dev bench cluster`.
#pragma once

#include <ostream>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace rackway::bench {

struct Arguments {
  std::string json;  // empty: none
  int core{};
  bool quick{false};  // one small mesh and short times
  std::vector<unsigned> nodes;
  std::vector<std::string> rows;  // of row_kinds()
};

[[nodiscard]] const std::vector<std::string>& row_kinds();

// Without a value there is nothing to run and this is the exit code.
[[nodiscard]] tl::expected<Arguments, int> parse_arguments(int argc, char** argv, std::ostream& out,
                                                           std::ostream& err);

}  // namespace rackway::bench
