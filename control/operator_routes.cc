// SPDX-License-Identifier: Apache-2.0
#include "control/operator_routes.hh"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/log.hh"
#include "base/startup_error.hh"

namespace rackway::control {
namespace {

using table_file::RouteTarget;

fib::GroupKind kind_of(RouteTarget::Kind kind) {
  switch (kind) {
    case RouteTarget::Kind::forward: return fib::GroupKind::forward;
    case RouteTarget::Kind::blackhole: return fib::GroupKind::blackhole;
    case RouteTarget::Kind::unreachable: return fib::GroupKind::unreachable;
    case RouteTarget::Kind::prohibit: return fib::GroupKind::prohibit;
  }
  return fib::GroupKind::unreachable;
}

Paths paths_of(const RouteTarget& target) {
  Paths paths{{kind_of(target.kind), {}}, {}, {}};
  for (const auto& [address, weight] : target.next_hops) paths.via.push_back({address, weight});
  return paths;
}

Paths paths_of(const topo::StaticRoute& route) {
  RouteTarget target;
  switch (route.type) {
    case topo::StaticRoute::Type::unicast: target.kind = RouteTarget::Kind::forward; break;
    case topo::StaticRoute::Type::blackhole: target.kind = RouteTarget::Kind::blackhole; break;
    case topo::StaticRoute::Type::unreachable: target.kind = RouteTarget::Kind::unreachable; break;
    case topo::StaticRoute::Type::prohibit: target.kind = RouteTarget::Kind::prohibit; break;
  }
  for (const auto& address : route.via) target.next_hops.push_back({address});
  std::ranges::sort(target.next_hops);
  return paths_of(target);
}

// Lines of routes are longer than this; a part that fills the FIB up to the last is refused early.
constexpr std::size_t kLeastLine = 12;

}  // namespace

OperatorRoutes::OperatorRoutes(FibBuilder& builder, const std::vector<topo::StaticRoute>& document,
                               RouteStore store)
    : builder_(builder), store_(std::move(store)) {
  for (const auto& route : document) {
    builder_.rib().set(route.prefix, RouteSource::document, RouteOrigin::document, paths_of(route));
  }
  restore();
  builder_.take_routes();
}

void OperatorRoutes::restore() {
  const auto kept = store_.load();
  if (!kept) {
    throw StartupError("can not read the routes that were kept: " + kept.error().message, "",
                       "remove the file if it is damaged: what `rackway route` gave is lost then");
  }
  for (const auto& [prefix, target] : kept->added) {
    builder_.rib().set(prefix, RouteSource::added, RouteOrigin::added, paths_of(target));
  }
  for (const auto& text : kept->imported) (void)take(text, nullptr);
  const auto imported = builder_.rib().routes(RouteSource::imported);
  if (kept->added.empty() && imported == 0) return;
  log::info("{} added and {} imported routes are there again", kept->added.size(), imported);
}

// ---- one by one

Result<void> OperatorRoutes::add(const IpPrefix& prefix, const RouteTarget& target) {
  if (auto kept = store_.put(prefix, target); !kept) return kept;
  builder_.rib().set(prefix, RouteSource::added, RouteOrigin::added, paths_of(target));
  builder_.take_routes();
  return {};
}

Result<void> OperatorRoutes::remove(const IpPrefix& prefix) {
  if (!builder_.rib().candidate(prefix, RouteSource::added)) {
    return fail("no route to " + prefix.to_string() + " was added");
  }
  if (auto kept = store_.erase(prefix); !kept) return kept;
  builder_.rib().remove(prefix, RouteSource::added);
  builder_.take_routes();
  return {};
}

// ---- tables

OperatorRoutes::ImportReport OperatorRoutes::take(const std::string& text,
                                                  std::vector<IpPrefix>* prefixes) {
  auto& rib = builder_.rib();
  table_file::MemorySource source(text);
  table_file::CsvReader reader(source);
  std::vector<PathsId> paths;  // by target
  for (table_file::CsvRoute route; reader.next(route);) {
    if (route.target == paths.size()) {
      paths.push_back(rib.hold(paths_of(reader.targets()[route.target])));
    }
    rib.set(route.prefix, RouteSource::imported, RouteOrigin::imported, paths[route.target]);
    if (prefixes != nullptr) prefixes->push_back(route.prefix);
  }
  for (const auto id : paths) rib.drop(id);
  return {reader.lines(), reader.routes(), reader.skipped(), reader.bad_lines(),
          rib.routes(RouteSource::imported)};
}

Result<OperatorRoutes::ImportReport> OperatorRoutes::import(ImportPart part) {
  const auto& rib = builder_.rib();
  if (part.number == 0) {
    const bool sweeps = !part.keep && rib.routes(RouteSource::imported) > 0;
    import_ = Import{0, part.keep, sweeps, {}, {}};
  }
  if (!import_ || import_->next_part != part.number) {
    return fail("part " + std::to_string(part.number) +
                " of an import that is not under way: begin again with part 0");
  }
  const auto most_routes = part.text.size() / kLeastLine + 1;
  if (rib.prefixes(Family::ipv4) + most_routes > fib::kMaxIpv4Routes ||
      rib.prefixes(Family::ipv6) + most_routes > fib::kMaxIpv6Routes) {
    import_.reset();
    return fail("the FIB has no room for more routes: it holds " +
                std::to_string(fib::kMaxIpv4Routes) + " of IPv4 and " +
                std::to_string(fib::kMaxIpv6Routes) + " of IPv6");
  }
  ++import_->next_part;
  auto report = take(part.text, import_->sweeps ? &import_->prefixes : nullptr);
  if (store_.keeps()) import_->texts.push_back(std::move(part.text));
  if (part.last) {
    const auto kept = finish_import();
    if (!kept) return tl::unexpected(kept.error());
    report.imported = rib.routes(RouteSource::imported);
  }
  builder_.take_routes();
  return report;
}

Result<void> OperatorRoutes::finish_import() {
  auto done = *std::exchange(import_, std::nullopt);
  if (done.sweeps) sweep(std::move(done.prefixes));
  builder_.take_routes();
  const auto kept = store_.set_imported(done.texts, done.keep);
  if (kept) return {};
  return fail("the routes are in use, but will not be after a restart: " + kept.error().message);
}

void OperatorRoutes::sweep(std::vector<IpPrefix> kept) {
  std::ranges::sort(kept);
  std::vector<IpPrefix> gone;
  builder_.rib().for_each([&](const IpPrefix& prefix, std::span<const Candidate> candidates) {
    const auto is_imported = [](const auto& one) { return one.source == RouteSource::imported; };
    if (!std::ranges::any_of(candidates, is_imported)) return;
    if (!std::ranges::binary_search(kept, prefix)) gone.push_back(prefix);
  });
  for (const auto& prefix : gone) builder_.rib().remove(prefix, RouteSource::imported);
}

Result<void> OperatorRoutes::remove_imported() {
  import_.reset();
  if (auto kept = store_.set_imported({}, false); !kept) return kept;
  sweep({});
  builder_.take_routes();
  return {};
}

}  // namespace rackway::control
