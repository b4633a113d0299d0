// SPDX-License-Identifier: Apache-2.0
#include "control/cli/show.hh"

#include <exception>

#include "control/cli/api_messages.hh"
#include "control/cli/tables.hh"
#include "control/cli/text_table.hh"

namespace rackway::cli {
namespace {

Result<std::string> ask_safely(const AskController& ask, const std::string& request) {
  try {
    return ask(request);
  } catch (const std::exception& fault) {  // e.g. the transport can not be set up
    return fail(fault.what());
  }
}

std::string request_for(const Arguments& arguments, const Table& table) {
  if (arguments.explain) return show_request({"explain", true, true, {}}, arguments.name);
  if (arguments.order == "route-add") return add_route_request(arguments.name, arguments.target);
  if (!arguments.order.empty()) return order_request(arguments.order, arguments.name);
  return show_request(table, arguments.name);
}

Result<std::string> table_text(const Arguments& arguments, const AskController& ask) {
  const auto& table = *find_table(arguments.table);
  const auto reply = ask_safely(ask, request_for(arguments, table));
  if (!reply) {
    return fail("no controller answers at " + arguments.controller + " (" + reply.error().message +
                "); start rackway-controller or give --controller");
  }
  if (arguments.explain) return explanation_of_reply(*reply, arguments.json);
  const auto text = text_of_reply(table, *reply, arguments.json);
  // What is withdrawn leaves nothing to show.
  if (text && arguments.order.starts_with("route-del")) return std::string();
  return text;
}

}  // namespace

int show(const Arguments& arguments, const AskController& ask, std::ostream& out,
         std::ostream& err) {
  const auto text = table_text(arguments, ask);
  if (!text) {
    err << printable(text.error().message) << "\n";
    return kExitFault;
  }
  out << *text << std::flush;
  return out ? 0 : kExitFault;
}

}  // namespace rackway::cli
