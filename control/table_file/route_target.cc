// SPDX-License-Identifier: Apache-2.0
#include "control/table_file/route_target.hh"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "control/table_file/path_attributes.hh"

namespace rackway::table_file {
namespace {

using Kind = RouteTarget::Kind;

constexpr std::string_view kSeparators = ", \t\r";
constexpr std::array<std::pair<Kind, std::string_view>, 3> kWords{
    {{Kind::blackhole, "blackhole"},
     {Kind::unreachable, "unreachable"},
     {Kind::prohibit, "prohibit"}}};

// For messages: without what a terminal might obey, and short.
std::string quoted(std::string_view text) {
  std::string shown(text.substr(0, 64));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return "'" + shown + "'";
}

bool is_number(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<std::uint16_t> parse_weight(std::string_view text) {
  std::uint16_t weight = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), weight);
  if (error != std::errc{} || end != text.data() + text.size() || weight == 0) return std::nullopt;
  return weight;
}

Result<void> add_field(std::string_view field, bool after_hop, RouteTarget& target) {
  if (after_hop && is_number(field)) {
    const auto weight = parse_weight(field);
    if (!weight) return fail(quoted(field) + " is no weight, which is 1 to 65535");
    target.next_hops.back().weight = *weight;
    return {};
  }
  const auto address = IpAddress::parse(field);
  if (!address) return fail(quoted(field) + " is no next hop");
  if (!is_usable_next_hop(*address)) {
    return fail(quoted(field) + " can be no next hop");
  }
  target.next_hops.push_back({*address});
  return {};
}

}  // namespace

std::string_view take_field(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kSeparators), text.size()));
  const auto field = text.substr(0, text.find_first_of(kSeparators));
  text.remove_prefix(field.size());
  return field;
}

Result<RouteTarget> parse_route_target(std::string_view text) {
  RouteTarget target;
  bool after_hop = false;
  for (auto field = take_field(text); !field.empty(); field = take_field(text)) {
    const auto word = std::ranges::find(kWords, field, &std::pair<Kind, std::string_view>::second);
    if (word != kWords.end()) {
      if (!target.next_hops.empty() || !take_field(text).empty()) {
        return fail(quoted(field) + " does not go with anything else");
      }
      target.kind = word->first;
      return target;
    }
    const auto before = target.next_hops.size();
    if (auto added = add_field(field, after_hop, target); !added)
      return tl::unexpected(added.error());
    after_hop = target.next_hops.size() > before;
    if (target.next_hops.size() > kMostNextHops) return fail("more than 512 next hops");
  }
  if (target.next_hops.empty()) return fail("there is no next hop");
  std::ranges::sort(target.next_hops);
  const auto twice = std::ranges::adjacent_find(target.next_hops, {}, &WeightedHop::address);
  if (twice != target.next_hops.end()) {
    return fail("the next hop " + twice->address.to_string() + " is given twice");
  }
  return target;
}

std::string to_string(const RouteTarget& target) {
  for (const auto& [kind, word] : kWords) {
    if (target.kind == kind) return std::string(word);
  }
  std::string text;
  for (const auto& [address, weight] : target.next_hops) {
    text += (text.empty() ? "" : ",") + address.to_string();
    if (weight != 1) text += "," + std::to_string(weight);
  }
  return text;
}

}  // namespace rackway::table_file
