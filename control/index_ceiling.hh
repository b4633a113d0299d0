// SPDX-License-Identifier: Apache-2.0
// How far adjacency indices have ever been given out, by any controller of the cluster: none at or
// above it. It outlives the controller in a file, so that the next one has indices at once that no
// node can name, also while nodes are away. The file is ahead of what is in use, by blocks. One
// thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/id.hh"

namespace rackway::control {

class IndexCeiling {
 public:
  // Kept nowhere: what was before is not known.
  IndexCeiling() = default;
  // The file need not be there yet. Throws StartupError when it says something else.
  explicit IndexCeiling(std::filesystem::path file);

  // As it was at the start; nothing when it is not known.
  [[nodiscard]] std::optional<std::uint32_t> before() const { return before_; }
  // False when it can not be put on record that the index is given out: then it must not be.
  [[nodiscard]] bool cover(AdjacencyId index);

 private:
  std::filesystem::path file_;
  std::optional<std::uint32_t> before_;
  std::uint32_t recorded_ = 0;
  bool failing_ = false;
};

}  // namespace rackway::control
