// SPDX-License-Identifier: Apache-2.0
// What a benchmark found: rows of one format for all of them, as a table for people and as JSON for
// comparison. The same columns as `./dev bench lab`. One thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace rackway::bench {

struct Target {
  enum class Of : bool { value, ratio };
  Of of;
  std::string relation;  // >=, <=, <, >
  double bound;

  [[nodiscard]] bool met_by(double figure) const;
};

inline Target ratio_at_least(double bound) {
  return {Target::Of::ratio, ">=", bound};
}
inline Target at_least(double bound) {
  return {Target::Of::value, ">=", bound};
}
inline Target at_most(double bound) {
  return {Target::Of::value, "<=", bound};
}
inline Target below(double bound) {
  return {Target::Of::value, "<", bound};
}

struct Row {
  std::string name;
  std::optional<double> value;  // none: could not be measured
  std::string unit;
  std::string peer;             // whom the ratio is to; may be empty
  std::optional<double> ratio;  // how many times better than the peer
  std::optional<Target> target;

  // None without target, or without the figure that it is of.
  [[nodiscard]] std::optional<bool> met() const;
  // As "bound unit" where the target is of the value, "bound" where it is of the ratio.
  [[nodiscard]] std::string target_text() const;
};

class Report {
 public:
  explicit Report(std::string bench) : bench_(std::move(bench)) {}

  void add(Row row) { rows_.push_back(std::move(row)); }
  // A line below the table.
  void note(std::string text) { notes_.push_back(std::move(text)); }

  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string json() const;

 private:
  std::string bench_;
  std::vector<Row> rows_;
  std::vector<std::string> notes_;
};

}  // namespace rackway::bench
