// SPDX-License-Identifier: Apache-2.0
// What there is to say about this machine beside figures measured on it.
#pragma once

#include <optional>
#include <string>

namespace rackway::bench {

struct Machine {
  std::string cpu;
  unsigned cores;
  std::string kernel;
  std::optional<std::string> governor;  // of the first core's frequency
  unsigned huge_pages;                  // of 2 MB, reserved now
  std::optional<std::string> transparent_huge_pages;

  [[nodiscard]] std::string text() const;  // one line
};

[[nodiscard]] Machine machine();

}  // namespace rackway::bench
