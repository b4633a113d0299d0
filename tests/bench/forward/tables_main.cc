// SPDX-License-Identifier: Apache-2.0
// forward_tables FOLDER real|generated NAME...: writes tables and packets of `./dev bench forward`
// into the folder. NAME is one of
//   few     16 routes of IPv4         full    about a million       full6  about 200 thousand of
//   IPv6 groups  as full, to 1,000 groups  relay, egress: only packets
// For each: NAME.table and NAME.packets; for few also few.pcap and pcap.packets; for all none.ipv4
// and none.ipv6, tables of one route that no packet takes.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <stdexcept>

#include "tests/bench/fib/tables.hh"
#include "tests/bench/forward/bench_node.hh"
#include "tests/bench/forward/packets.hh"

namespace {

using namespace rackway;
using namespace rackway::bench;

constexpr std::uint32_t kPcapPackets = 1024;

std::vector<FileRoute> few_routes() {
  std::vector<FileRoute> routes;
  for (std::uint32_t i = 0; i < 16; ++i) {
    const Ipv4Address net{198u << 24 | 18u << 16 | i << 8};
    routes.push_back({IpPrefix::covering(net, 24), i});
  }
  return routes;
}

std::vector<FileRoute> full_routes(Family family) {
  std::vector<FileRoute> routes;
  for (const auto& [prefix, next_hop] : load_table(family).routes) {
    routes.push_back({prefix, next_hop.value - fib::kFirstNextHop});
  }
  return routes;
}

std::vector<FileRoute> to_groups(std::vector<FileRoute> routes) {
  std::mt19937_64 random(kGroupNextHops);
  for (auto& route : routes) route.next_hop = static_cast<std::uint32_t>(random() % kGroupNextHops);
  return routes;
}

void write(const std::string& folder, const std::string& name) {
  const std::string path = folder + "/" + name;
  if (name == "few") {
    const auto routes = few_routes();
    const auto packets = packets_to(routes);
    write_table(routes, path + ".table");
    write_packet_list(packets, path + ".packets");
    write_pcap(packets, kPcapPackets, path + ".pcap");
    write_packet_list(packets_of_pcap(), folder + "/pcap.packets");
  } else if (name == "full" || name == "full6") {
    const auto routes = full_routes(name == "full" ? Family::ipv4 : Family::ipv6);
    write_table(routes, path + ".table");
    write_packet_list(packets_to(routes), path + ".packets");
  } else if (name == "groups") {
    const auto routes = to_groups(full_routes(Family::ipv4));
    write_table(routes, path + ".table");
    write_packet_list(packets_also_to_router(routes), path + ".packets");
  } else if (name == "relay") {
    write_packet_list(packets_to_relay(), path + ".packets");
  } else if (name == "egress") {
    write_packet_list(packets_to_egress(), path + ".packets");
  } else {
    throw std::runtime_error("there is no " + name);
  }
}

void write_all(int argc, char** argv) {
  if (argc < 4) throw std::runtime_error("usage: forward_tables FOLDER real|generated NAME...");
  const std::string folder = argv[1];
  if (std::string(argv[2]) == "generated") ::unsetenv("RACKWAY_DATA");
  write_table({{{IpPrefix::parse("203.0.113.0/24").value(), 0}}}, folder + "/none.ipv4");
  write_table({{{IpPrefix::parse("2001:db8:ffff::/48").value(), 0}}}, folder + "/none.ipv6");
  for (int i = 3; i < argc; ++i) write(folder, argv[i]);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    write_all(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "forward_tables: %s\n", error.what());
    return 1;
  }
  return 0;
}
