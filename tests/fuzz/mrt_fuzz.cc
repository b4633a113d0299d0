// SPDX-License-Identifier: Apache-2.0
// An MRT file of any content. Besides what the sanitizers see, a fault is a path of no peer, a
// prefix with host bits, a next hop that can be none, a path that is not counted, and another
// outcome when the same octets come in other pieces. Seeds: any dump, not compressed.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <tuple>
#include <vector>

#include "control/table_file/best_path.hh"
#include "control/table_file/mrt_reader.hh"

namespace {

using namespace rackway;
using namespace rackway::table_file;

void require(bool truth) {
  if (!truth) std::abort();
}

// Every octet beyond what is given out is out of bounds: a buffer of its own.
class Pieces : public OctetSource {
 public:
  Pieces(std::string_view octets, std::size_t step) : octets_(octets), step_(step) {}
  std::size_t read(std::span<char> into) override {
    return octets_.read(into.first(std::min(step_, into.size())));
  }
  bool broken() const override { return false; }

 private:
  MemorySource octets_;
  std::size_t step_;
};

void check(const MrtRib& rib, const MrtReader& reader) {
  require(!rib.paths.empty());
  require(IpPrefix::covering(rib.prefix.address, rib.prefix.length) == rib.prefix);
  for (const auto& path : rib.paths) {
    require(path.peer < reader.peers().size());
    require(is_usable_next_hop(path.attributes.next_hop));
    require(!is_better(path.attributes, path.attributes));
  }
}

auto outcome_of(OctetSource& source) {
  MrtReader reader(source);
  std::vector<std::pair<IpPrefix, std::vector<MrtPath>>> ribs;
  std::size_t paths = 0;
  for (MrtRib rib; reader.next(rib); paths += rib.paths.size()) {
    check(rib, reader);
    ribs.emplace_back(rib.prefix, rib.paths);
  }
  require(paths == reader.paths());
  return std::tuple(ribs, reader.skipped(), reader.records());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<char> octets(data, data + size);
  const std::string_view file(octets.data(), octets.size());
  MemorySource whole(file);
  Pieces pieces(file, 1 + size % 13);
  require(outcome_of(whole) == outcome_of(pieces));
  return 0;
}
