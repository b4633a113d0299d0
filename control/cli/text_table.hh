// SPDX-License-Identifier: Apache-2.0
// A table as text for a terminal: a header line, a line per row, columns two blanks apart and as
// wide as their widest cell. Knows nothing of what the cells mean. No line ends in blanks; a cell's
// control characters are shown as '?', so that a cell can neither break a line nor steer a
// terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rackway::cli {

enum class Align { left, right };

struct TextColumn {
  std::string header;
  Align align;
};

// Each row has a cell per column.
[[nodiscard]] std::string render_table(const std::vector<TextColumn>& columns,
                                       const std::vector<std::vector<std::string>>& rows);

// The text with control characters as '?'.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace rackway::cli
