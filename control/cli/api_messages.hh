// SPDX-License-Identifier: Apache-2.0
// The two messages of the controller's API (docs/api.md): writes the request, turns the reply into
// the text that the operator sees. The JSON stays in here. A field that a controller of another
// version does not send is shown as "-".
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hh"
#include "control/cli/table_source.hh"
#include "control/cli/tables.hh"

namespace rackway::cli {

// name empty: all of the table.
[[nodiscard]] std::string show_request(const Table& table, const std::string& name);

// What the reply shows is the order's affair.
[[nodiscard]] std::string order_request(const std::string& order, const std::string& name);

// {"order": "route-add", ...} with where it leads.
[[nodiscard]] std::string add_route_request(const std::string& prefix, const std::string& target);
// One part of an import.
[[nodiscard]] std::string import_request(std::uint64_t part, const std::string& text, bool last,
                                         bool keep);
// How many prefixes have an imported route, of the reply to that.
[[nodiscard]] Result<std::uint64_t> imported_of_reply(const std::string& reply);
// An import as JSON.
[[nodiscard]] std::string import_summary(const std::string& file, const TableReading& reading,
                                         std::uint64_t imported);
// The row of `explain` as text, or as indented JSON.
[[nodiscard]] Result<std::string> explanation_of_reply(const std::string& reply, bool as_json);

// The reply as a table, or as indented JSON. The error is what the controller says is wrong, or
// what is wrong with its reply.
[[nodiscard]] Result<std::string> text_of_reply(const Table& table, const std::string& reply,
                                                bool as_json);

}  // namespace rackway::cli
