// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/fib/tables.hh"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <string_view>

#include "base/startup_error.hh"
#include "tests/fib/table_generator.hh"

namespace rackway::bench {
namespace {

using fib::TableRoute;

constexpr std::size_t kIpv4Routes = 1'033'283, kIpv6Routes = 220'681;
constexpr std::uint64_t kSeed = 20;

struct ClosePipe {
  void operator()(std::FILE* pipe) const { ::pclose(pipe); }
};

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// "PREFIX/LENGTH NEXT_HOP", next hops from 1 on.
std::optional<TableRoute> parse_route(std::string_view line) {
  const auto space = line.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto prefix = IpPrefix::parse(line.substr(0, space));
  std::uint32_t number = 0;
  std::from_chars(line.data() + space + 1, line.data() + line.size(), number);
  if (!prefix || number < 1 || number > kFileNextHops) return std::nullopt;
  return TableRoute{*prefix, {fib::kFirstNextHop + number - 1}};
}

std::vector<TableRoute> read_table(const std::string& path) {
  const std::unique_ptr<std::FILE, ClosePipe> pipe(
      ::popen(("xz -dc " + quoted(path)).c_str(), "r"));
  std::vector<TableRoute> routes;
  std::array<char, 128> buffer{};
  while (pipe && std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr) {
    std::string_view line(buffer.data());
    line.remove_suffix(line.ends_with('\n') ? 1 : 0);
    const auto route = parse_route(line);
    if (!route) {
      throw StartupError("not a route: " + std::string(line), path,
                         "lines are PREFIX/LENGTH NEXT_HOP with next hops 1 to 64");
    }
    if (route->prefix.length > 0) routes.push_back(*route);
  }
  if (routes.empty()) {
    throw StartupError("no routes", path, "RACKWAY_DATA names a folder with tables/ in it");
  }
  std::sort(routes.begin(), routes.end());
  return routes;
}

}  // namespace

BenchTable load_table(Family family) {
  const bool ipv4 = family == Family::ipv4;
  if (const char* data = std::getenv("RACKWAY_DATA"); data != nullptr && *data != '\0') {
    const std::string name = ipv4 ? "ipv4-1033283.txt.xz" : "ipv6-220681.txt.xz";
    return {read_table(data + std::string("/tables/") + name), name};
  }
  using fib::testing::NextHops;
  using fib::testing::TableGenerator;
  if (ipv4) {
    return {
        TableGenerator<Ipv4Address>(kSeed).make(kIpv4Routes, kFileNextHops, NextHops::by_origin),
        "generated"};
  }
  return {TableGenerator<Ipv6Address>(kSeed).make(kIpv6Routes, kFileNextHops, NextHops::by_origin),
          "generated"};
}

void draw_next_hops(std::vector<TableRoute>& routes, std::uint32_t count) {
  std::mt19937_64 random(kSeed + count);
  for (TableRoute& route : routes) {
    route.next_hop.value = fib::kFirstNextHop + static_cast<std::uint32_t>(random() % count);
  }
}

}  // namespace rackway::bench
