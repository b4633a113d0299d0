// SPDX-License-Identifier: Apache-2.0
// 2 MB pages reserved for the life of this object and given back at its end, also when the process
// ends by a signal. One at a time in a process.
#pragma once

#include <optional>

namespace rackway::bench {

class HugePages {
 public:
  // As many more as are needed for `pages` free ones. Fewer come where memory is short, none
  // without root.
  explicit HugePages(unsigned pages);
  ~HugePages();
  HugePages(const HugePages&) = delete;
  HugePages& operator=(const HugePages&) = delete;

  // In the whole system; none where it does not say.
  [[nodiscard]] static std::optional<unsigned> reserved();
  [[nodiscard]] static std::optional<unsigned> free();
};

}  // namespace rackway::bench
