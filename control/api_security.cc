// SPDX-License-Identifier: Apache-2.0
#include "control/api_security.hh"

namespace rackway::control {
namespace {

using Json = nlohmann::ordered_json;

const char* state_of(const ApiView& view, NodeId node, std::uint64_t keys) {
  if (view.conduct != nullptr && view.conduct->is_ignored(node)) return "ignored";
  if (view.gate == nullptr) return "insecure";
  return keys > 0 ? "allowed" : "no key";
}

// What a row does not have is 0 or empty.
Json row(const std::string& node, const std::string& state,
         const cluster::KeyGate::NodeCounts& counts, const cluster::KeyGate::Strangers& strangers) {
  return {{"node", node},
          {"state", state},
          {"keys", counts.keys},
          {"admitted", counts.admitted},
          {"refused_revoked", counts.refused_revoked},
          {"refused_unknown", strangers.unknown_key},
          {"failed_handshakes", strangers.failed_handshakes},
          {"other_name", 0},
          {"malformed", 0},
          {"oversized", 0},
          {"ignored", 0},
          {"last_address", strangers.last_address},
          {"last_key", strangers.last_key}};
}

}  // namespace

Json security_row(const ApiView& view, NodeId node) {
  const auto& name = view.document.nodes[node.value].name;
  cluster::KeyGate::NodeCounts counts;
  if (view.gate != nullptr) counts = view.gate->counts_of(name);
  auto cells = row(name, state_of(view, node, counts.keys), counts, {});
  if (view.conduct != nullptr) {
    cells["other_name"] = view.conduct->count(node, PeerFault::other_name);
    cells["malformed"] = view.conduct->count(node, PeerFault::malformed);
    cells["oversized"] = view.conduct->count(node, PeerFault::oversized);
    cells["ignored"] = view.conduct->ignored(node);
  }
  return cells;
}

Json strangers_row(const ApiView& view) {
  cluster::KeyGate::Strangers strangers;
  if (view.gate != nullptr) strangers = view.gate->strangers();
  return row("", "strangers", {}, strangers);
}

}  // namespace rackway::control
