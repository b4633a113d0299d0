// SPDX-License-Identifier: Apache-2.0
#include "control/api_rib.hh"

#include <algorithm>
#include <optional>

#include "control/api_names.hh"

namespace rackway::control {
namespace {

using Json = nlohmann::ordered_json;
using Outcome = ResolutionStep::Outcome;

const char* text_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::no_route: return "no route";
    case Outcome::on_link: return "on link";
    case Outcome::next_hops: return "next hops";
    case Outcome::recursive: return "recursive";
    case Outcome::refused: return "refused";
    case Outcome::not_usable: return "not usable";
    case Outcome::loop: return "loop";
    case Outcome::too_deep: return "too deep";
  }
  return "?";
}

std::string with_weight(std::string name, std::uint16_t weight) {
  if (weight != 1) name += "*" + std::to_string(weight);
  return name;
}

// One question about the RIB and the FIB made of it.
class RibAnswer {
 public:
  explicit RibAnswer(const ApiView& view) : view_(view), rib_(view.builder.rib()), names_(view) {}

  [[nodiscard]] Result<IpPrefix> prefix_for(const std::string& name) const;
  void add_rows(const IpPrefix& prefix, std::span<const Candidate> candidates, Json& rows) const;
  [[nodiscard]] Json explain(const IpPrefix& prefix) const;

 private:
  [[nodiscard]] Json via(const Candidate& candidate) const;
  [[nodiscard]] std::string kind(const Candidate& candidate) const;
  [[nodiscard]] const char* state(const Candidate& candidate, const IpPrefix& prefix,
                                  const std::optional<Winner>& winner) const;
  [[nodiscard]] Json resolved(const std::optional<Target>& target) const;
  [[nodiscard]] Json recursion(const IpPrefix& prefix, const Candidate& candidate) const;
  [[nodiscard]] Json members(const fib::Group& group, Epoch& newest) const;
  [[nodiscard]] Json nodes(Epoch since) const;

  const ApiView& view_;
  const Rib& rib_;
  ApiNames names_;
};

Result<IpPrefix> RibAnswer::prefix_for(const std::string& name) const {
  if (const auto prefix = IpPrefix::parse(name)) return *prefix;
  const auto address = IpAddress::parse(name);
  if (!address) return fail(name + " is neither a prefix nor an address");
  const auto in_fib = view_.coordinator.content().longest_match(*address);
  const auto in_rib = rib_.longest_match(*address, address_bits(address->family()));
  if (!in_fib && !in_rib) return fail("no route covers " + name);
  if (!in_rib || (in_fib && in_fib->prefix.length > in_rib->prefix.length)) return in_fib->prefix;
  return in_rib->prefix;
}

std::string RibAnswer::kind(const Candidate& candidate) const {
  return kind_text(rib_.paths(candidate.paths).target.kind);
}

Json RibAnswer::via(const Candidate& candidate) const {
  const auto& paths = rib_.paths(candidate.paths);
  Json all = Json::array();
  for (const auto& hop : paths.via) all.push_back(with_weight(hop.address.to_string(), hop.weight));
  for (const auto& link : paths.on_link) all.push_back(names_.interface(link));
  for (const auto& [neighbor, weight] : paths.target.next_hops) {
    all.push_back(with_weight(
        neighbor.address.to_string() + "@" + names_.interface(neighbor.interface), weight));
  }
  return all;
}

const char* RibAnswer::state(const Candidate& candidate, const IpPrefix& prefix,
                             const std::optional<Winner>& winner) const {
  if (winner && winner->candidate == candidate) return "used";
  return rib_.explain(prefix, candidate).target ? "beaten" : "unresolved";
}

Json RibAnswer::resolved(const std::optional<Target>& target) const {
  Json all = Json::array();
  if (!target) return all;
  for (const auto& [neighbor, weight] : target->next_hops) {
    all.push_back(with_weight(
        neighbor.address.to_string() + "@" + names_.interface(neighbor.interface), weight));
  }
  return all;
}

void RibAnswer::add_rows(const IpPrefix& prefix, std::span<const Candidate> candidates,
                         Json& rows) const {
  const auto winner = rib_.winner(prefix);
  for (const auto& candidate : candidates) {
    const auto answer = rib_.explain(prefix, candidate);
    rows.push_back({{"prefix", prefix.to_string()},
                    {"source", to_string(candidate.source)},
                    {"origin", to_string(candidate.origin)},
                    {"distance", candidate.distance},
                    {"kind", kind(candidate)},
                    {"via", via(candidate)},
                    {"state", state(candidate, prefix, winner)},
                    {"resolved", resolved(answer.target)}});
  }
}

Json RibAnswer::recursion(const IpPrefix& prefix, const Candidate& candidate) const {
  Json steps = Json::array();
  for (const auto& step : rib_.explain(prefix, candidate).steps) {
    steps.push_back({{"depth", step.depth},
                     {"next_hop", step.address.to_string()},
                     {"through", step.through ? step.through->to_string() : ""},
                     {"origin", step.through ? to_string(step.origin) : ""},
                     {"outcome", text_of(step.outcome)}});
  }
  return steps;
}

// newest becomes that of the newest record among them.
Json RibAnswer::members(const fib::Group& group, Epoch& newest) const {
  auto all = names_.next_hops(group);
  std::uint64_t sum = 0;
  for (const auto& member : group.members) sum += member.weight;
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    const auto& key = group.members[i].adjacency;
    const auto epoch = view_.builder.epoch_of(key).value_or(Epoch{});
    const auto* adjacency = view_.coordinator.content().find(key);
    newest = std::max(newest, epoch);
    all[i]["share_percent"] = group.members[i].weight * 100 / sum;
    all[i]["vlan"] = adjacency->vlan.value;
    all[i]["mtu"] = adjacency->mtu;
    all[i]["adjacency"] = key.index.value;
    all[i]["epoch"] = epoch.value;
  }
  return all;
}

// A node that got the whole FIB since has it from then.
Json RibAnswer::nodes(Epoch since) const {
  Json all = Json::array();
  for (std::uint16_t n = 0; n < view_.document.nodes.size(); ++n) {
    const auto& node = view_.coordinator.nodes()[n];
    const auto took = std::max(since, node.whole);
    const bool has = node.epoch >= took && node.ours != Epoch{};
    all.push_back({{"node", names_.node(NodeId{n})},
                   {"state", !node.up       ? "down"
                             : node.in_sync ? "up"
                                            : "syncing"},
                   {"epoch", node.epoch.value},
                   {"took", has ? Json(took.value) : Json()}});
  }
  return all;
}

Json RibAnswer::explain(const IpPrefix& prefix) const {
  Json candidates = Json::array();
  add_rows(prefix, rib_.candidates(prefix), candidates);
  for (auto& row : candidates) row.erase("prefix");
  const auto winner = rib_.winner(prefix);
  const auto origin = view_.builder.origin(prefix);
  const auto& content = view_.coordinator.content();
  const auto route = content.find(prefix);
  auto newest = view_.builder.epoch_of(prefix).value_or(Epoch{});
  Json row{{"prefix", prefix.to_string()},
           {"protocol", origin.protocol},
           {"stale", origin.stale},
           {"candidates", candidates},
           {"recursion", winner ? recursion(prefix, winner->candidate) : Json::array()},
           {"route_epoch", newest.value}};
  if (route) {
    const auto* group = content.find(route->group);
    const auto group_epoch = view_.builder.epoch_of(route->group).value_or(Epoch{});
    newest = std::max(newest, group_epoch);
    row["group"] = route->group.value;
    row["kind"] = kind_text(group->kind);
    row["group_epoch"] = group_epoch.value;
    row["next_hops"] = members(*group, newest);
    row["nodes"] = nodes(newest);
  }
  return row;
}

}  // namespace

Result<Json> rib_rows(const ApiView& view, const std::string& name) {
  const RibAnswer answer(view);
  const auto& rib = view.builder.rib();
  Json rows = Json::array();
  if (name.empty()) {
    std::vector<IpPrefix> prefixes;
    rib.for_each([&](const IpPrefix& prefix, auto) { prefixes.push_back(prefix); });
    std::ranges::sort(prefixes);
    for (const auto& prefix : prefixes) answer.add_rows(prefix, rib.candidates(prefix), rows);
    return rows;
  }
  const auto prefix = answer.prefix_for(name);
  if (!prefix) return tl::unexpected(prefix.error());
  answer.add_rows(*prefix, rib.candidates(*prefix), rows);
  if (rows.empty()) return fail("no source has a route " + prefix->to_string());
  return rows;
}

Result<Json> explanation(const ApiView& view, const std::string& name) {
  if (name.empty()) return fail("explain needs a prefix or an address");
  const RibAnswer answer(view);
  const auto prefix = answer.prefix_for(name);
  if (!prefix) return tl::unexpected(prefix.error());
  const auto& content = view.coordinator.content();
  if (view.builder.rib().candidates(*prefix).empty() && !content.find(*prefix)) {
    return fail("no route " + prefix->to_string());
  }
  return answer.explain(*prefix);
}

}  // namespace rackway::control
