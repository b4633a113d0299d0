// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/fib/family_bench.hh"

#include <iostream>
#include <stdexcept>
#include <type_traits>

#include "tests/bench/core.hh"
#include "tests/bench/fib/flood_bench.hh"
#include "tests/bench/fib/lookup_bench.hh"
#include "tests/bench/fib/lookup_rows.hh"
#include "tests/bench/fib/own_engine.hh"
#include "tests/bench/fib/peer_engines.hh"
#include "tests/bench/fib/tables.hh"
#include "tests/bench/fib/targets.hh"
#include "tests/bench/fib/update_bench.hh"
#include "tests/bench/measure.hh"

namespace rackway::bench {
namespace {

constexpr double kMega = 1e6;

template <class Table>
class FamilyBench {
 public:
  using Address = typename Table::Address;
  static constexpr bool kIpv4 = std::is_same_v<Address, Ipv4Address>;
  static constexpr Family kFamily = kIpv4 ? Family::ipv4 : Family::ipv6;

  FamilyBench(const Arguments& arguments, Report& report)
      : arguments_(arguments),
        report_(report),
        table_(load_table(kFamily)),
        patterns_(address_patterns<Address>(table_.routes)) {
    report_.note(std::string(family()) + ": " + std::to_string(table_.routes.size()) + " routes, " +
                 table_.from);
  }

  void run() {
    for (const std::uint32_t count : arguments_.next_hops) measure_with(count);
    measure_flood();
  }

 private:
  static const char* family() { return kIpv4 ? "IPv4" : "IPv6"; }

  void measure_with(std::uint32_t next_hops) {
    next_hops_ = next_hops;
    title_ = std::string(family()) + ", " + std::to_string(next_hops) + " next hops, ";
    routes_ = table_.routes;
    if (next_hops != kFileNextHops) draw_next_hops(routes_, next_hops);
    progress("loading");
    OwnEngine<Table> own(routes_);
    Engines<Address> peers = load_fib();
    for (auto& peer : load_lpm()) peers.push_back(std::move(peer));
    progress("lookups");
    measure_lookups(own, peers);
    add_memory_rows(own, peers);
    progress("building and updates");
    measure_updates(own, peers);
    add_slowest_update(own.table());
  }

  [[nodiscard]] Engines<Address> load_fib() const {
    if constexpr (kIpv4) {
      return load_rte_fib(routes_);
    } else {
      return load_rte_fib6(routes_);
    }
  }
  [[nodiscard]] Engines<Address> load_lpm() const {
    if constexpr (!kIpv4) {
      return load_rte_lpm6(routes_);
    } else if (arguments_.with_lpm && next_hops_ == kFileNextHops) {
      return load_rte_lpm(routes_);
    } else {
      return {};
    }
  }

  [[nodiscard]] static std::vector<const Engine<Address>*> all_of(const OwnEngine<Table>& own,
                                                                  const Engines<Address>& peers) {
    std::vector<const Engine<Address>*> engines{&own};
    for (const auto& peer : peers) engines.push_back(peer.get());
    return engines;
  }

  void measure_lookups(const OwnEngine<Table>& own, const Engines<Address>& peers) {
    const auto engines = all_of(own, peers);
    const LookupBench<Address> bench(engines, patterns_);
    bench.expect_equal_answers();
    add_lookup_rows<Address>(report_, title_, engines, bench.run(arguments_.rounds),
                             targets(kFamily));
  }

  void add_memory_rows(const OwnEngine<Table>& own, const Engines<Address>& peers) {
    const double least = targets(kFamily).lookup_megabytes;
    const double octets = own.lookup_bytes();
    const auto& peer = *peers.front();
    report_.add({title_ + "lookup memory", octets / kMega, "MB", peer.name(),
                 peer.lookup_bytes() / octets,
                 next_hops_ <= kFileNextHops ? at_most(least) : below(2 * least)});
    add_peer_rows(peers);
    report_.add({title_ + "memory for updates", double(own.table().update_bytes()) / kMega, "MB"});
  }

  // Both forms of one peer read the same table.
  void add_peer_rows(const Engines<Address>& peers) {
    std::string before;
    for (const auto& peer : peers) {
      const std::string library = peer->name().substr(0, peer->name().find(' '));
      if (library != before) {
        report_.add({title_ + "lookup memory, " + library, peer->lookup_bytes() / kMega, "MB"});
        report_.add({title_ + "first build, " + library, peer->load_seconds(), "s"});
      }
      before = library;
    }
  }

  // The peer is loaded anew in each round, with the routes as they are by then.
  void measure_updates(OwnEngine<Table>& own, Engines<Address>& peers) {
    std::vector<double> our_builds, their_builds, our_updates, their_updates;
    for (unsigned round = 0; round < arguments_.rounds; ++round) {
      peers.clear();
      peers = load_fib();
      their_builds.push_back(peers.front()->load_seconds());
      our_builds.push_back(OwnEngine<Table>(routes_).load_seconds());
      const auto changes = random_changes(routes_, next_hops_, round);
      our_updates.push_back(updates_per_second(own, changes));
      their_updates.push_back(updates_per_second(*peers.front(), changes));
      LookupBench<Address>(all_of(own, peers), patterns_).expect_equal_answers();
    }
    const std::string peer = peers.front()->name();
    add_build_rows(median(our_builds), median(their_builds), peer);
    add_update_rows(median(our_updates), median(their_updates), peer);
    report_.add({title_ + "lookup memory after updates", own.lookup_bytes() / kMega, "MB"});
  }

  void add_build_rows(double ours, double theirs, const std::string& peer) {
    report_.add({title_ + "build", ours, "s", peer, theirs / ours,
                 at_most(targets(kFamily).build_seconds)});
    report_.add({title_ + "build, " + peer, theirs, "s"});
  }
  void add_update_rows(double ours, double theirs, const std::string& peer) {
    report_.add({title_ + "updates", ours / kMega, "M/s", peer, ours / theirs,
                 at_least(targets(kFamily).updates / kMega)});
    report_.add({title_ + "updates, " + peer, theirs / kMega, "M/s"});
  }

  static double updates_per_second(Engine<Address>& engine, std::span<const Change> changes) {
    bool all = true;
    const double took = seconds([&] { all = engine.apply(changes); });
    if (!all) throw std::runtime_error(engine.name() + " refuses an update");
    return double(changes.size()) / took;
  }

  void add_slowest_update(Table& table) {
    const SlowestUpdate slowest = slowest_update(table, routes_);
    report_.add({title_ + "slowest update", slowest.seconds * 1e3, "ms", "", std::nullopt,
                 below(kSlowestUpdateMilliseconds)});
    report_.note(title_ + "slowest update: " + slowest.what);
  }

  // The writer goes about in both copies, in what lookups read and what changes need.
  void measure_flood() {
    title_ = std::string(family()) + ", ";
    progress("a reader under updates");
    const auto other = other_core(arguments_.core);
    if (!other) return report_.note(std::string(family()) + ": no second core for a writer");
    Table table;
    OwnEngine<Table>::load(table, table_.routes);
    const std::size_t working_set = 2 * (table.lookup_bytes() + table.update_bytes());
    FloodBench<Address> bench(table_.routes, patterns_[kPrefixPattern], working_set);
    add_flood_rows(bench.run(arguments_.rounds, *other));
  }

  void add_flood_rows(const FloodFigures& figures) {
    const std::string reader = std::string(family()) + ", reader ";
    const std::string unit = "M/s";
    report_.add({reader + "at rest", figures.at_rest / kMega, unit});
    report_.add({reader + "under updates", figures.under_flood / kMega, unit, "at rest",
                 figures.under_flood / figures.at_rest, ratio_at_least(kReaderUnderFlood)});
    report_.add({reader + "beside unrelated work", figures.beside_other_work / kMega, unit,
                 "at rest", figures.beside_other_work / figures.at_rest});
    report_.add({std::string(family()) + ", epochs under it", figures.epochs, "1/s"});
    report_.add({std::string(family()) + ", route changes under it",
                 figures.epochs * kEpochChanges / kMega, unit});
  }

  void progress(const char* what) const { std::cerr << title_ << what << "\n"; }

  const Arguments& arguments_;
  Report& report_;
  const BenchTable table_;
  const AddressPatterns<Address> patterns_;
  std::vector<fib::TableRoute> routes_;
  std::uint32_t next_hops_ = 0;
  std::string title_;
};

}  // namespace

void measure_family(Family family, const Arguments& arguments, Report& report) {
  if (family == Family::ipv4) {
    FamilyBench<fib::Ipv4Table>(arguments, report).run();
  } else {
    FamilyBench<fib::Ipv6Table>(arguments, report).run();
  }
}

}  // namespace rackway::bench
