// SPDX-License-Identifier: Apache-2.0
#include "control/cli/text_table.hh"

#include <algorithm>
#include <cstddef>

namespace rackway::cli {
namespace {

constexpr std::string_view kGap = "  ";

using Row = std::vector<std::string>;

// Characters of a UTF-8 text: all octets but those that continue a character.
std::size_t width(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
}

std::string padded(const std::string& cell, Align align, std::size_t to) {
  const std::string blanks(to - std::min(to, width(cell)), ' ');
  return align == Align::left ? cell + blanks : blanks + cell;
}

std::vector<std::size_t> column_widths(const std::vector<Row>& lines, std::size_t columns) {
  std::vector<std::size_t> widths(columns);
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], width(line[i]));
  }
  return widths;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown(text);
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  std::replace_if(shown.begin(), shown.end(), is_control, '?');
  return shown;
}

std::string render_table(const std::vector<TextColumn>& columns, const std::vector<Row>& rows) {
  std::vector<Row> lines(1);
  for (const auto& column : columns) lines[0].push_back(column.header);
  for (const auto& row : rows) {
    lines.emplace_back();
    for (const auto& cell : row) lines.back().push_back(printable(cell));
  }
  const auto widths = column_widths(lines, columns.size());
  std::string table;
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) table += kGap;
      table += padded(line[i], columns[i].align, widths[i]);
    }
    table.erase(table.find_last_not_of(' ') + 1);
    table += '\n';
  }
  return table;
}

}  // namespace rackway::cli
