// SPDX-License-Identifier: Apache-2.0
#include "control/fpm/fpm_next_hops.hh"

#include <algorithm>
#include <utility>

namespace rackway::control {

// ---- objects

void FpmNextHops::put(const NextHopMessage& message) {
  auto& object = objects_[message.id];
  forget_members(message.id, object);
  for (const auto& member : message.members) groups_by_member_[member.id].insert(message.id);
  object.message = message;
  follow_with_groups(message.id);
}

void FpmNextHops::remove(std::uint32_t id) {
  const auto gone = objects_.find(id);
  if (gone != objects_.end()) {
    forget_members(id, gone->second);
    gone->second.message.reset();
  }
  const auto groups = groups_by_member_.extract(id);
  if (!groups.empty()) {
    for (const auto group : groups.mapped()) forget_member(group, id);
  }
  if (gone == objects_.end()) return;
  follow(id);
  erase_if_unused(id);
}

void FpmNextHops::forget_member(std::uint32_t group, std::uint32_t member) {
  auto& message = objects_.at(group).message;
  std::erase_if(message->members, [&](const auto& one) { return one.id == member; });
  if (message->members.empty()) message.reset();
  follow(group);
  erase_if_unused(group);
}

// Nobody has said what it is, and no route names it any more.
void FpmNextHops::erase_if_unused(std::uint32_t id) {
  const auto& object = objects_.at(id);
  if (object.message) return;
  if (object.way) return free_if_unused(*object.way);
  objects_.erase(id);
}

void FpmNextHops::forget_members(std::uint32_t id, const Object& object) {
  if (!object.message) return;
  for (const auto& member : object.message->members) {
    const auto groups = groups_by_member_.find(member.id);
    if (groups == groups_by_member_.end()) continue;
    groups->second.erase(id);
    if (groups->second.empty()) groups_by_member_.erase(groups);
  }
}

void FpmNextHops::follow_with_groups(std::uint32_t id) {
  follow(id);
  const auto groups = groups_by_member_.find(id);
  if (groups == groups_by_member_.end()) return;
  for (const auto group : groups->second) follow(group);
}

// One that routes name already keeps its way; another takes that of the same content, if there is
// one left of an earlier connection.
void FpmNextHops::follow(std::uint32_t id) {
  auto& object = objects_.at(id);
  auto content = object.message ? content_of(*object.message) : std::nullopt;
  if (object.way && at(*object.way).content != content) leave_to_stale(object);
  if (!object.way) {
    if (!content) return;
    object.way = take_nameless(*content);
    if (!object.way) object.way = new_way();
    at(*object.way).id = id;
  }
  set_content(*object.way, std::move(content));
}

// All routes by it are of an earlier connection.
void FpmNextHops::leave_to_stale(Object& object) {
  auto& way = at(*object.way);
  if (way.routes == 0 || way.by_id > 0 || !way.content) return;
  way.id.reset();
  nameless_.emplace(*way.content, *object.way);
  object.way.reset();
}

// A group is known when all its members are: they may come after it. None of them is a group.
std::optional<FpmNextHops::Content> FpmNextHops::content_of(const NextHopMessage& message) const {
  if (message.blackhole) return Content{KernelRouteType::blackhole, {}};
  Content content;
  const auto add = [&](const NextHopMessage& one, std::uint16_t weight) {
    auto hop = one.hop.hop;
    hop.weight = weight;
    if (!one.blackhole && one.hop.usable && hop.ifindex > 0) content.hops.push_back(hop);
  };
  for (const auto& member : message.members) {
    const auto object = objects_.find(member.id);
    if (object == objects_.end() || !object->second.message) return std::nullopt;
    if (!object->second.message->members.empty()) return std::nullopt;
    add(*object->second.message, member.weight);
  }
  if (message.members.empty()) add(message, 1);
  if (content.hops.empty()) return std::nullopt;
  std::ranges::sort(content.hops);
  return content;
}

void FpmNextHops::forget_ids() {
  for (auto& [id, object] : objects_) {
    if (!object.way) continue;
    auto& way = at(*object.way);
    way.id.reset();
    way.by_id = 0;
    if (way.content) nameless_.emplace(*way.content, *object.way);
  }
  const auto before = std::exchange(objects_, {});
  groups_by_member_.clear();
  for (const auto& [id, object] : before) {
    if (object.way) free_if_unused(*object.way);
  }
  for (auto& way : ways_) way.given_with_route = false;
}

// ---- routes

FpmWayId FpmNextHops::acquire(std::uint32_t id) {
  auto& object = objects_[id];
  if (!object.way) {
    object.way = new_way();
    at(*object.way).id = id;
  }
  ++at(*object.way).routes;
  ++at(*object.way).by_id;
  return *object.way;
}

FpmWayId FpmNextHops::acquire(KernelRouteType type, const std::vector<RouteHop>& hops) {
  Content content{type, {}};
  for (const auto& hop : hops) {
    if (hop.usable) content.hops.push_back(hop.hop);
  }
  std::ranges::sort(content.hops);
  const auto known = nameless_.find(content);
  const auto id = known != nameless_.end() ? known->second : new_way();
  if (known == nameless_.end()) {
    nameless_.emplace(content, id);
    const bool leads_somewhere = type != KernelRouteType::unicast || !content.hops.empty();
    if (leads_somewhere) set_content(id, std::move(content));
  }
  at(id).given_with_route = true;
  ++at(id).routes;
  return id;
}

void FpmNextHops::release(FpmWayId id, Told told) {
  auto& way = at(id);
  --way.routes;
  if (way.id && told == Told::now) --way.by_id;
  free_if_unused(id);
}

// An object that is known keeps its way, though no route goes by it.
void FpmNextHops::free_if_unused(FpmWayId id) {
  auto& way = at(id);
  if (way.routes > 0) return;
  if (way.id) {
    if (objects_.at(*way.id).message) return;
    objects_.erase(*way.id);
  } else {
    erase_nameless(id);
  }
  if (way.paths != kNoPaths) builder_.rib().drop(way.paths);
  way = {};
  turned_.erase(id);
  free_.push_back(id);
}

std::optional<PathsId> FpmNextHops::paths(FpmWayId id) const {
  const auto& way = ways_[id.value];
  if (!way.content) return std::nullopt;
  return way.paths;
}

std::set<FpmWayId> FpmNextHops::take_turned() {
  return std::exchange(turned_, {});
}

// ---- ways

FpmWayId FpmNextHops::new_way() {
  if (free_.empty()) {
    free_.push_back({static_cast<std::uint32_t>(ways_.size())});
    ways_.emplace_back();
  }
  const auto id = free_.back();
  free_.pop_back();
  return id;
}

// Not one that routes of this connection go by with next hops of their own: it is to stay as it is.
std::optional<FpmWayId> FpmNextHops::take_nameless(const Content& content) {
  const auto [first, last] = nameless_.equal_range(content);
  for (auto entry = first; entry != last; ++entry) {
    const auto id = entry->second;
    if (at(id).given_with_route) continue;
    nameless_.erase(entry);
    return id;
  }
  return std::nullopt;
}

void FpmNextHops::erase_nameless(FpmWayId id) {
  const auto is_it = [&](const auto& entry) { return entry.second == id; };
  if (!at(id).content) {
    std::erase_if(nameless_, is_it);
    return;
  }
  const auto [first, last] = nameless_.equal_range(*at(id).content);
  const auto entry = std::find_if(first, last, is_it);
  if (entry != last) nameless_.erase(entry);
}

void FpmNextHops::set_content(FpmWayId id, std::optional<Content> content) {
  auto& way = at(id);
  if (way.content == content) return;
  const bool turns = way.content.has_value() != content.has_value();
  if (turns && way.routes > 0) turned_.insert(id);
  way.content = std::move(content);
  if (!way.content) return;  // its path set goes with its last route
  const auto paths = paths_of(*way.content);
  if (way.paths == kNoPaths) {
    way.paths = builder_.rib().hold_own(paths);
  } else {
    builder_.rib().change(way.paths, paths);
  }
}

Paths FpmNextHops::paths_of(const Content& content) const {
  return builder_.paths_of({content.type, 0, content.hops});
}

void FpmNextHops::interfaces_changed() {
  for (auto& way : ways_) {
    if (way.content) builder_.rib().change(way.paths, paths_of(*way.content));
  }
}

}  // namespace rackway::control
