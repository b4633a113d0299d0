// SPDX-License-Identifier: Apache-2.0
#include "control/event_log.hh"

#include <utility>

#include "base/log.hh"

namespace rackway::control {
namespace {

bool is_good(cluster::FabricEventKind kind) {
  return kind == cluster::FabricEventKind::link_up || kind == cluster::FabricEventKind::node_up;
}

}  // namespace

void EventLog::take(NodeId observer, std::uint64_t boot_id, const cluster::Status& status,
                    Clock::time_point now) {
  Seen& seen = seen_[observer.value];
  if (seen.boot_id != boot_id) seen = {boot_id, 0};
  for (const auto& event : status.events) {
    if (event.number < seen.next) continue;
    missed_ += event.number - seen.next;
    seen.next = event.number + 1;
    add(observer, event, now);
  }
}

void EventLog::add(NodeId observer, const cluster::FabricEvent& event, Clock::time_point now) {
  ++counts_[static_cast<std::size_t>(event.kind)];
  keep({observer, event, now - std::chrono::milliseconds(event.age_ms)});
  const auto text = to_string(event.kind);
  if (is_good(event.kind)) {
    log::info("{} sees: {}: {}", name_of(observer), name_of(event.node), text);
  } else {
    log::warn("{} sees: {}: {}", name_of(observer), name_of(event.node), text);
  }
}

void EventLog::note(Grave grave, const std::string& what, Clock::time_point now) {
  keep({.observer = {}, .event = {.number = own_++}, .at = now, .own = what});
  if (grave == Grave::yes) {
    log::warn("{}", what);
  } else {
    log::info("{}", what);
  }
}

void EventLog::keep(Entry entry) {
  entries_.push_back(std::move(entry));
  if (entries_.size() > kEntries) entries_.pop_front();
}

std::string EventLog::name_of(NodeId node) const {
  return node.value < document_.nodes.size() ? document_.nodes[node.value].name
                                             : std::to_string(node.value);
}

}  // namespace rackway::control
