// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/forward/table_file.hh"

#include <charconv>
#include <fstream>
#include <stdexcept>
#include <string_view>

namespace rackway::bench {

void write_table(std::span<const FileRoute> routes, const std::string& path) {
  std::ofstream file(path);
  for (const auto& [prefix, next_hop] : routes) {
    file << 'R' << prefix.to_string() << ' ' << port_of(next_hop) << ' ' << next_hop << '\n';
  }
  if (!file.flush()) throw std::runtime_error("can not write " + path);
}

std::vector<FileRoute> read_table_file(const std::string& path) {
  std::ifstream file(path);
  std::vector<FileRoute> routes;
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(' '), last = line.rfind(' ');
    const auto prefix = first == std::string::npos
                            ? std::nullopt
                            : IpPrefix::parse(std::string_view(line).substr(1, first - 1));
    std::uint32_t next_hop = 0;
    const auto parsed =
        std::from_chars(line.data() + last + 1, line.data() + line.size(), next_hop);
    if (!prefix || last == first || parsed.ec != std::errc()) {
      throw std::runtime_error("not a route in " + path + ": " + line);
    }
    routes.push_back({*prefix, next_hop});
  }
  if (routes.empty()) throw std::runtime_error("no routes in " + path);
  return routes;
}

}  // namespace rackway::bench
