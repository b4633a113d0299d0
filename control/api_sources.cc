// SPDX-License-Identifier: Apache-2.0
#include "control/api_sources.hh"

#include "control/fpm/fpm_feed.hh"

namespace rackway::control {
namespace {

using Json = nlohmann::ordered_json;

// What a source does not have is 0.
struct SourceState {
  const char* state{"on"};
  std::size_t waiting{}, stale{}, next_hop_objects{};
  std::uint64_t swept{}, connections{}, messages{}, malformed{}, ignored{};
};

SourceState state_of(const FpmFeed* feed) {
  if (feed == nullptr) return {.state = "off"};
  const auto& source = feed->source();
  const auto& server = feed->server();
  return {.state = server.is_connected() ? "connected" : "waiting for zebra",
          .waiting = source.waiting(),
          .stale = source.stale(),
          .next_hop_objects = source.next_hop_objects(),
          .swept = feed->swept(),
          .connections = server.counters().connections,
          .messages = source.counters().messages,
          .malformed = source.counters().malformed + server.counters().malformed,
          .ignored = source.counters().ignored + source.counters().no_room};
}

Json row(const ApiView& view, RouteSource source) {
  SourceState state;
  KernelMirror::Counters kernel;
  if (source == RouteSource::fpm) state = state_of(view.fpm);
  if (source == RouteSource::kernel) {
    kernel = view.kernel;
    state.messages = kernel.events;
    state.malformed = kernel.malformed;
  }
  return {{"source", to_string(source)},
          {"state", state.state},
          {"routes", view.builder.rib().routes(source)},
          {"waiting", state.waiting},
          {"stale", state.stale},
          {"swept", state.swept},
          {"next_hop_objects", state.next_hop_objects},
          {"connections", state.connections},
          {"messages", state.messages},
          {"malformed", state.malformed},
          {"ignored", state.ignored},
          {"resyncs", kernel.resyncs},
          {"overruns", kernel.overruns}};
}

}  // namespace

Json source_rows(const ApiView& view) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < kRouteSources; ++i) {
    rows.push_back(row(view, static_cast<RouteSource>(i)));
  }
  return rows;
}

}  // namespace rackway::control
