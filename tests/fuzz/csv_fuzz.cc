// SPDX-License-Identifier: Apache-2.0
// A file of routes as text of any content. Besides what the sanitizers see, a fault is a route that
// is not counted, a target that is none, and one that reads otherwise when it is written again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "control/table_file/csv_reader.hh"

namespace {

void require(bool truth) {
  if (!truth) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rackway::table_file;
  MemorySource source({reinterpret_cast<const char*>(data), size});
  CsvReader reader(source);
  std::uint64_t routes = 0;
  for (CsvRoute route; reader.next(route); ++routes) {
    const auto& target = reader.targets().at(route.target);
    require((target.kind == RouteTarget::Kind::forward) == !target.next_hops.empty());
    require(parse_route_target(to_string(target)) == target);
  }
  require(routes == reader.routes());
  require(routes + reader.skipped().total() <= reader.lines());
  require(reader.bad_lines().size() <= reader.skipped().total());
  return 0;
}
