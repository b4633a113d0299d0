// SPDX-License-Identifier: Apache-2.0
#include "control/api_audit.hh"

#include <chrono>
#include <string>

namespace rackway::control {
namespace {

using Json = nlohmann::ordered_json;

Json row(const char* name, const std::string& node, const AuditCheck& check) {
  Json age;
  if (check.last) {
    const auto since = AuditCheck::Clock::now() - *check.last;
    age = std::chrono::duration_cast<std::chrono::seconds>(since).count();
  }
  return {{"check", name},
          {"node", node},
          {"result", check.result},
          {"age_s", age},
          {"runs", check.runs},
          {"differences", check.differences},
          {"repaired", check.repaired},
          {"unfinished", check.unfinished}};
}

}  // namespace

Json audit_rows(const ApiView& view) {
  Json rows = Json::array();
  if (view.audit == nullptr) return rows;
  rows.push_back(row("digest", "", view.audit->content().digest()));
  rows.push_back(row("rib", "", view.audit->content().rib()));
  for (std::uint16_t n = 0; n < view.document.nodes.size(); ++n) {
    rows.push_back(row("node", view.document.nodes[n].name, view.audit->nodes().check(NodeId{n})));
  }
  return rows;
}

}  // namespace rackway::control
