// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/report.hh"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tests/bench/machine.hh"

namespace rackway::bench {
namespace {

constexpr std::size_t kColumns = 7;
using Line = std::array<std::string, kColumns>;
constexpr std::array<bool, kColumns> kToTheRight{false, true, false, false, true, false, false};

std::string fixed(double value, int decimals) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return text.data();
}

// Some four figures that count.
std::string figure(std::optional<double> value) {
  if (!value) return "-";
  const double size = std::abs(*value);
  return fixed(*value, size < 10 ? 3 : size < 100 ? 2 : size < 1000 ? 1 : 0);
}

// A bound as it was written: 1.25, 3.0, 1000.
std::string shortest(double value) {
  std::array<char, 64> text{};
  const bool small_whole = value < 10 && value == std::floor(value);
  std::snprintf(text.data(), text.size(), small_whole ? "%.1f" : "%.10g", value);
  return text.data();
}

Line line_of(const Row& row) {
  const auto met = row.met();
  return {row.name,
          figure(row.value),
          row.unit,
          row.peer.empty() ? "-" : row.peer,
          row.ratio ? fixed(*row.ratio, 2) : "-",
          row.target ? row.target_text() : "-",
          !met   ? "-"
          : *met ? "yes"
                 : "NO"};
}

std::string padded(const std::string& word, std::size_t width, bool right) {
  const std::string space(width - word.size(), ' ');
  return right ? space + word : word + space;
}

std::string table(const std::vector<Line>& lines) {
  std::array<std::size_t, kColumns> widths{};
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const Line& line : lines) {
    std::string row;
    for (std::size_t i = 0; i < kColumns; ++i) {
      row += "  " + padded(line[i], widths[i], kToTheRight[i]);
    }
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  return text;
}

}  // namespace

bool Target::met_by(double figure) const {
  if (relation == ">=") return figure >= bound;
  if (relation == "<=") return figure <= bound;
  return relation == "<" ? figure < bound : figure > bound;
}

std::optional<bool> Row::met() const {
  if (!target) return std::nullopt;
  const auto& of = target->of == Target::Of::ratio ? ratio : value;
  return of ? std::optional(target->met_by(*of)) : std::nullopt;
}

std::string Row::target_text() const {
  const std::string text = target->relation + " " + shortest(target->bound);
  return target->of == Target::Of::ratio ? text : text + " " + unit;
}

std::string Report::text() const {
  std::vector<Line> lines{{"name", "value", "unit", "peer", "ratio", "target", "met"}};
  for (const Row& row : rows_) lines.push_back(line_of(row));
  std::string text = machine().text() + "\n" + table(lines);
  for (const std::string& note : notes_) text += note + "\n";
  return text;
}

std::string Report::json() const {
  using nlohmann::ordered_json;
  const auto or_null = [](const auto& value) {
    return value ? ordered_json(*value) : ordered_json(nullptr);
  };
  const Machine here = machine();
  ordered_json document{{"bench", bench_},
                        {"machine",
                         {{"cpu", here.cpu},
                          {"cores", here.cores},
                          {"kernel", here.kernel},
                          {"governor", or_null(here.governor)},
                          {"hugepages_2mb", here.huge_pages},
                          {"transparent_hugepages", or_null(here.transparent_huge_pages)}}},
                        {"rows", ordered_json::array()},
                        {"notes", notes_}};
  for (const Row& row : rows_) {
    const auto target = row.target ? std::optional(row.target_text()) : std::nullopt;
    const auto peer = row.peer.empty() ? std::nullopt : std::optional(row.peer);
    document["rows"].push_back({{"name", row.name},
                                {"value", or_null(row.value)},
                                {"unit", row.unit},
                                {"peer", or_null(peer)},
                                {"ratio", or_null(row.ratio)},
                                {"target", or_null(target)},
                                {"met", or_null(row.met())}});
  }
  return document.dump(2) + "\n";
}

}  // namespace rackway::bench
