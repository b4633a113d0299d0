// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/packet_mix.hh"

#include <charconv>
#include <string_view>

namespace rackway::plan {
namespace {

constexpr double kLeastOctets = 64;
constexpr double kMostOctets = 9238;  // the largest MTU with Ethernet's header, tag and check
constexpr double kMostWeight = 1e6;

// The number that the text is; negative if it is none.
double number(std::string_view text) {
  double value = -1;
  const auto* const end = text.data() + text.size();
  const auto [at, fault] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  return fault == std::errc() && at == end ? value : -1;
}

}  // namespace

Result<PacketMix> parse_packet_mix(const std::string& text) {
  std::string_view rest = text == "imix" ? "64:7,594:4,1518:1" : std::string_view(text);
  double weights = 0, octets = 0;
  while (true) {
    const auto item = rest.substr(0, rest.find(','));
    const auto colon = item.find(':');
    const double size = number(item.substr(0, colon));
    const double weight = colon == item.npos ? 1 : number(item.substr(colon + 1));
    if (!(size >= kLeastOctets && size <= kMostOctets && weight >= 0 && weight <= kMostWeight)) {
      return fail("'" + text + "' is no mix of packets; write imix, a size from 64 to 9238, or " +
                  "SIZE:WEIGHT,SIZE:WEIGHT,...");
    }
    weights += weight;
    octets += size * weight;
    if (item.size() == rest.size()) break;
    rest.remove_prefix(item.size() + 1);
  }
  if (weights <= 0) return fail("all weights of the mix of packets '" + text + "' are 0");
  return PacketMix{text, octets / weights};
}

}  // namespace rackway::plan
