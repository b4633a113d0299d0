// SPDX-License-Identifier: Apache-2.0
#include "control/api_route_order.hh"

#include <nlohmann/json.hpp>
#include <utility>

namespace rackway::control {
namespace {

using Json = nlohmann::json;
using Done = Result<RouteOrderDone>;

// The member if it is of that type.
template <class Value>
const Value* member(const Json& request, const char* key) {
  const auto found = request.find(key);
  return found == request.end() ? nullptr : found->get_ptr<const Value*>();
}

bool flag(const Json& request, const char* key) {
  const auto* value = member<Json::boolean_t>(request, key);
  return value != nullptr && *value;
}

Result<IpPrefix> prefix_of(const Json& request) {
  const auto* name = member<Json::string_t>(request, "name");
  if (name == nullptr) return fail("the order names no prefix");
  const auto prefix = IpPrefix::parse(*name);
  if (!prefix) return fail(*name + " is no prefix ADDRESS/LENGTH without host bits");
  return *prefix;
}

std::string rib_question(const IpPrefix& prefix) {
  return Json{{"show", "rib"}, {"name", prefix.to_string()}}.dump();
}

Done add(const Json& request, OperatorRoutes& routes) {
  const auto prefix = prefix_of(request);
  if (!prefix) return tl::unexpected(prefix.error());
  const auto* via = member<Json::string_t>(request, "target");
  if (via == nullptr) return fail("the order has no target");
  const auto target = table_file::parse_route_target(*via);
  if (!target) return tl::unexpected(target.error());
  if (const auto done = routes.add(*prefix, *target); !done) return tl::unexpected(done.error());
  return RouteOrderDone{"", rib_question(*prefix)};
}

Done remove(const Json& request, OperatorRoutes& routes) {
  const auto prefix = prefix_of(request);
  if (!prefix) return tl::unexpected(prefix.error());
  if (const auto done = routes.remove(*prefix); !done) return tl::unexpected(done.error());
  return RouteOrderDone{Json{{"ok", true}, {"rows", Json::array()}}.dump(), ""};
}

Json row_of(const OperatorRoutes::ImportReport& report) {
  Json skipped = Json::object(), bad_lines = Json::array();
  for (std::size_t i = 0; i < table_file::kSkips; ++i) {
    const auto reason = static_cast<table_file::Skip>(i);
    if (report.skipped.of(reason) > 0) {
      skipped[std::string(to_string(reason))] = report.skipped.of(reason);
    }
  }
  for (const auto& [number, why] : report.bad_lines) {
    bad_lines.push_back({{"line", number}, {"why", why}});
  }
  return {{"lines", report.lines},
          {"routes", report.routes},
          {"skipped", skipped},
          {"bad_lines", bad_lines},
          {"imported", report.imported}};
}

Done import(Json& request, OperatorRoutes& routes) {
  const auto* part = member<Json::number_unsigned_t>(request, "part");
  const auto text = request.find("text");
  if (part == nullptr || text == request.end() || !text->is_string()) {
    return fail("a part of an import has a number, part, and routes, text");
  }
  const auto report = routes.import({*part, std::move(text->get_ref<Json::string_t&>()),
                                     flag(request, "last"), flag(request, "keep")});
  if (!report) return tl::unexpected(report.error());
  const Json answer{{"ok", true}, {"rows", Json::array({row_of(*report)})}};
  return RouteOrderDone{answer.dump(-1, ' ', false, Json::error_handler_t::replace), ""};
}

Done remove_imported(OperatorRoutes& routes) {
  if (const auto done = routes.remove_imported(); !done) return tl::unexpected(done.error());
  return RouteOrderDone{Json{{"ok", true}, {"rows", Json::array()}}.dump(), ""};
}

}  // namespace

std::optional<Result<RouteOrderDone>> follow_route_order(const std::string& request,
                                                         OperatorRoutes& routes) {
  auto parsed = Json::parse(request, nullptr, false);
  if (!parsed.is_object()) return std::nullopt;
  const auto* order = member<Json::string_t>(parsed, "order");
  if (order == nullptr) return std::nullopt;
  if (*order == "route-add") return add(parsed, routes);
  if (*order == "route-del") return remove(parsed, routes);
  if (*order == "route-import") return import(parsed, routes);
  if (*order == "route-del-imported") return remove_imported(routes);
  return std::nullopt;
}

}  // namespace rackway::control
