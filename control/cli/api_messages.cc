// SPDX-License-Identifier: Apache-2.0
#include "control/cli/api_messages.hh"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "control/cli/explain_text.hh"
#include "control/cli/text_table.hh"

namespace rackway::cli {
namespace {

using Json = nlohmann::ordered_json;  // rows keep the controller's order of fields

constexpr const char* kNothing = "-";
constexpr int kIndent = 2;

// The member, or null.
const Json& member(const Json& object, const std::string& key) {
  static const Json null;
  const auto found = object.find(key);
  return found == object.end() ? null : *found;
}

std::string text_of(const Json& value);

// The entries as texts with a separator between them.
template <class TextOf>
std::string joined(const Json& entries, const std::string& separator, TextOf text_of_entry) {
  std::string text;
  for (const auto& entry : entries) text += (text.empty() ? "" : separator) + text_of_entry(entry);
  return text.empty() ? kNothing : text;
}

std::string text_of(const Json& value) {
  if (value.is_null()) return kNothing;
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_array()) return joined(value, ",", text_of);
  if (!value.is_string()) return value.dump();
  const auto& text = value.get_ref<const std::string&>();
  return text.empty() ? kNothing : text;
}

std::string next_hop_text(const Json& next_hop) {
  if (!next_hop.is_object()) return text_of(next_hop);
  auto text = text_of(member(next_hop, "interface"));  // has the node's name in it: n1-p0
  const auto address = text_of(member(next_hop, "address"));
  if (address != kNothing) text = address + "@" + text;
  const auto weight = text_of(member(next_hop, "weight"));
  if (weight != kNothing && weight != "1") text += "*" + weight;
  return text;
}

std::string cell(const Json& row, const Column& column) {
  const auto& value = member(row, column.field);
  if (value.is_array() && column.print == Print::sentences) return joined(value, "; ", text_of);
  if (value.is_array() && column.print == Print::next_hops) {
    return joined(value, " ", next_hop_text);
  }
  return text_of(value);
}

std::string render_rows(const Table& table, const Json& rows) {
  std::vector<TextColumn> columns;
  for (const auto& column : table.columns) {
    columns.push_back({column.header, column.print == Print::number ? Align::right : Align::left});
  }
  std::vector<std::vector<std::string>> cells;
  for (const auto& row : rows) {
    cells.emplace_back();
    for (const auto& column : table.columns) cells.back().push_back(cell(row, column));
  }
  return render_table(columns, cells);
}

std::string render_object(const Table& table, const Json& row) {
  std::string text;
  for (const auto& column : table.columns) {
    text += column.header + ": " + printable(cell(row, column)) + "\n";
  }
  return text;
}

tl::unexpected<Error> not_understood(const std::string& why) {
  return fail("the controller's reply is not understood (" + why +
              "); use a rackway command of the controller's version");
}

Result<Json> rows_of(bool is_one_object, const std::string& reply) {
  auto message = Json::parse(reply, nullptr, false);
  if (message.is_discarded()) return not_understood("it is not JSON");
  if (!message.is_object()) return not_understood("it is not an object");
  const auto& ok = member(message, "ok");
  if (!ok.is_boolean()) return not_understood("it does not say whether it is ok");
  if (!ok.get<bool>()) {
    const auto& error = member(message, "error");
    if (!error.is_string()) return not_understood("it names no error");
    return fail(printable(error.get_ref<const std::string&>()));
  }
  const auto& rows = member(message, "rows");
  const auto is_object = [](const Json& row) { return row.is_object(); };
  if (!rows.is_array() || !std::all_of(rows.begin(), rows.end(), is_object)) {
    return not_understood("it has no rows");
  }
  if (is_one_object && rows.size() != 1) return not_understood("it has not exactly one row");
  return std::move(message["rows"]);
}

}  // namespace

std::string show_request(const Table& table, const std::string& name) {
  Json request{{"show", table.name}};
  if (!name.empty()) request["name"] = name;
  return request.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string order_request(const std::string& order, const std::string& name) {
  return Json{{"order", order}, {"name", name}}.dump(-1, ' ', false,
                                                     Json::error_handler_t::replace);
}

std::string add_route_request(const std::string& prefix, const std::string& target) {
  return Json{{"order", "route-add"}, {"name", prefix}, {"target", target}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
}

std::string import_request(std::uint64_t part, const std::string& text, bool last, bool keep) {
  return Json{
      {"order", "route-import"}, {"part", part}, {"last", last}, {"keep", keep}, {"text", text}}
      .dump();
}

Result<std::uint64_t> imported_of_reply(const std::string& reply) {
  const auto rows = rows_of(true, reply);
  if (!rows) return tl::unexpected(rows.error());
  const auto& imported = member(rows->front(), "imported");
  if (!imported.is_number_unsigned()) return not_understood("it does not say what is imported");
  return imported.get<std::uint64_t>();
}

std::string import_summary(const std::string& file, const TableReading& reading,
                           std::uint64_t imported) {
  Json skipped = Json::object(), bad_lines = Json::array();
  for (std::size_t i = 0; i < table_file::kSkips; ++i) {
    const auto reason = static_cast<table_file::Skip>(i);
    if (reading.skipped.of(reason) == 0) continue;
    skipped[std::string(table_file::to_string(reason))] = reading.skipped.of(reason);
  }
  for (const auto& [line, why] : reading.bad_lines) {
    bad_lines.push_back({{"line", line}, {"why", why}});
  }
  const Json summary{{"file", file},
                     {"format", reading.is_mrt ? "mrt" : "csv"},
                     {"routes", reading.routes},
                     {"paths", reading.paths},
                     {"skipped", skipped},
                     {"bad_lines", bad_lines},
                     {"imported", imported}};
  return summary.dump(kIndent, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<std::string> explanation_of_reply(const std::string& reply, bool as_json) {
  const auto rows = rows_of(true, reply);
  if (!rows) return tl::unexpected(rows.error());
  return as_json ? rows->front().dump(kIndent) + "\n" : explain_text(rows->front());
}

Result<std::string> text_of_reply(const Table& table, const std::string& reply, bool as_json) {
  const auto rows = rows_of(table.is_one_object, reply);
  if (!rows) return tl::unexpected(rows.error());
  if (as_json) return (table.is_one_object ? rows->front() : *rows).dump(kIndent) + "\n";
  return table.is_one_object ? render_object(table, rows->front()) : render_rows(table, *rows);
}

}  // namespace rackway::cli
