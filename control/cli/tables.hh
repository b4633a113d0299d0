// SPDX-License-Identifier: Apache-2.0
// What `rackway show` prints of each table of the controller's API (docs/api.md): which fields,
// under which headers, how. Data only.
#pragma once

#include <string>
#include <vector>

namespace rackway::cli {

enum class Print {
  text,
  number,     // right-aligned
  list,       // entries joined with a comma
  sentences,  // entries joined with a semicolon and a blank
  next_hops,  // ADDRESS@PORT, and *WEIGHT where it is not 1, joined with a blank
};

struct Column {
  std::string header;
  std::string field;  // of a row of the API
  Print print;
};

struct Table {
  std::string name;    // as in `show NAME` and in the API
  bool takes_name;     // whether `show` may narrow it to one object
  bool is_one_object;  // printed as "key: value" lines; its JSON is an object
  std::vector<Column> columns;
};

[[nodiscard]] const std::vector<Table>& tables();
// nullptr if there is none of that name.
[[nodiscard]] const Table* find_table(const std::string& name);

}  // namespace rackway::cli
