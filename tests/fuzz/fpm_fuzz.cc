// SPDX-License-Identifier: Apache-2.0
// What zebra says, of any content: by the first octet a stream in pieces of some length, or the
// messages of one frame, whose header need not be guessed then. It is said on two connections.
// Besides what the sanitizers see, a fault is a route that is counted twice or not at all, and one
// that is left when all is swept.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "control/fpm/fpm_frames.hh"
#include "control/fpm/fpm_source.hh"

namespace {

using namespace rackway;
using namespace rackway::control;

void require(bool truth) {
  if (!truth) std::abort();
}

struct Kernel {
  std::map<int, KernelLink> links{{3, {.ifindex = 3, .name = "p", .up = true, .mtu = 1500}}};
  std::set<KernelAddress> addresses;
  std::map<KernelNeighborKey, MacAddress> neighbors;
  std::map<IpPrefix, KernelRoute> routes;
  [[nodiscard]] KernelView view() const { return {links, addresses, neighbors, routes}; }
};

void check(FpmSource& source, FibBuilder& builder) {
  source.finish();
  builder.take_routes();
  require(source.waiting() <= source.routes() && source.stale() <= source.routes());
  require(builder.rib().routes(RouteSource::fpm) == source.routes() - source.waiting());
}

void take_frames(std::span<const std::byte> stream, std::size_t piece, FpmSource& source) {
  FpmFrames frames;
  while (!stream.empty() && !frames.malformed()) {
    const auto size = std::min(piece, stream.size());
    frames.take(stream.first(size));
    stream = stream.subspan(size);
    while (const auto messages = frames.next()) source.take(*messages);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const Kernel kernel;
  FibBuilder builder(1, kernel.view());
  builder.bind(3, {NodeId{0}, PortId{0}});
  FpmSource source(builder);
  const auto stream = std::as_bytes(std::span(data, size)).subspan(1);
  const std::size_t piece = 1 + data[0] / 2;
  for (int connection = 0; connection < 2; ++connection) {
    if (data[0] % 2 == 0) {
      take_frames(stream, piece, source);
    } else {
      const std::vector<std::byte> messages(stream.begin(), stream.end());
      source.take(messages);
    }
    check(source, builder);
    source.mark_stale();
    check(source, builder);
    require(source.stale() == source.routes() && source.next_hop_objects() == 0);
  }
  source.sweep();
  check(source, builder);
  require(source.routes() == 0 && builder.rib().prefixes() == 0);
  return 0;
}
