// SPDX-License-Identifier: Apache-2.0
#include "vlb/traffic/capture.hh"

#include <pcap/pcap.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <unordered_map>

#include "vlb/traffic/ip_flow.hh"

namespace rackway::traffic {
namespace {

constexpr unsigned kLeastFrame = 64, kCheckSequence = 4, kEthernetHeader = 14;  // octets

struct Closer {
  void operator()(pcap_t* file) const { pcap_close(file); }
};
using File = std::unique_ptr<pcap_t, Closer>;

struct Seen {
  std::int64_t at;  // nanoseconds
  std::uint32_t octets;
  IpFlow flow;
};

Result<File> open_file(const std::string& path) {
  char why[PCAP_ERRBUF_SIZE] = "";
  File file(pcap_open_offline_with_tstamp_precision(path.c_str(), PCAP_TSTAMP_PRECISION_NANO, why));
  if (!file) return fail("can not read the capture " + path + ": " + why);
  const int type = pcap_datalink(file.get());
  if (type != DLT_EN10MB && type != DLT_RAW && type != DLT_IPV4 && type != DLT_IPV6) {
    const char* name = pcap_datalink_val_to_name(type);
    return fail("the capture " + path + " is of " + (name ? name : "an unknown kind") +
                ", neither Ethernet nor bare IP");
  }
  return file;
}

// As a frame on the cable: captures have no check sequence, and no padding where it was sent.
std::uint32_t frame_octets(std::uint32_t length, bool is_ethernet) {
  const auto most = std::numeric_limits<std::uint16_t>::max();
  const auto added = kCheckSequence + (is_ethernet ? 0 : kEthernetHeader);
  return std::clamp<std::uint32_t>(std::min<std::uint32_t>(length, most) + added, kLeastFrame,
                                   most);
}

Result<std::vector<Seen>> read_all(pcap_t* file, const std::string& path, Recording& recording) {
  const bool is_ethernet = pcap_datalink(file) == DLT_EN10MB;
  std::vector<Seen> seen;
  pcap_pkthdr* header = nullptr;
  const u_char* data = nullptr;
  for (int more = pcap_next_ex(file, &header, &data); more != PCAP_ERROR_BREAK;
       more = pcap_next_ex(file, &header, &data)) {
    if (more != 1) return fail("can not read the capture " + path + ": " + pcap_geterr(file));
    if (seen.size() == kMostCaptured) {
      return fail("the capture " + path + " has more than " + std::to_string(kMostCaptured) +
                  " packets");
    }
    const std::span<const std::uint8_t> frame(data, header->caplen);
    const auto ip = is_ethernet ? ip_in_ethernet(frame) : std::optional<std::size_t>(0);
    const auto flow = ip ? ip_flow(frame.subspan(*ip)) : std::nullopt;
    if (!flow) {
      ++recording.unusable;
      continue;
    }
    // With that precision libpcap has nanoseconds in tv_usec.
    seen.push_back({header->ts.tv_sec * std::int64_t{1'000'000'000} + header->ts.tv_usec,
                    frame_octets(header->len, is_ethernet), *flow});
  }
  return seen;
}

class Placement {
 public:
  explicit Placement(const std::vector<NodeId>& ends) : ends_(ends) {}
  [[nodiscard]] NodeId of(std::uint64_t address) const {
    return ends_[(address >> 32) * ends_.size() >> 32];
  }

 private:
  const std::vector<NodeId>& ends_;
};

void lay_out(std::vector<Seen> seen, const CaptureReading& reading, Recording& recording) {
  struct Flow {
    std::uint32_t number, packets;
  };
  std::unordered_map<std::uint64_t, Flow> flows;
  std::stable_sort(seen.begin(), seen.end(),
                   [](const Seen& a, const Seen& b) { return a.at < b.at; });
  const Placement placement(reading.ends);
  for (const auto& each : seen) {
    const NodeId ingress = placement.of(each.flow.source);
    const NodeId egress = placement.of(each.flow.destination);
    const auto since = static_cast<double>(each.at - seen.front().at) / reading.speed;
    const auto born = static_cast<Picoseconds>(since * static_cast<double>(kNanosecond));
    recording.length = born + 1;
    if (ingress == egress) {
      ++recording.within_a_node;
      continue;
    }
    auto& flow =
        flows.try_emplace(each.flow.flow, Flow{static_cast<std::uint32_t>(flows.size()), 0})
            .first->second;
    recording.packets[ingress.value].push_back(
        {born, flow.number, flow.packets++, static_cast<std::uint32_t>(each.flow.flow),
         static_cast<std::uint16_t>(each.octets), ingress, egress});
    recording.octets += each.octets;
  }
}

}  // namespace

Result<Recording> read_capture(const std::string& path, const CaptureReading& reading) {
  auto file = open_file(path);
  if (!file) return tl::unexpected(file.error());
  Recording recording;
  recording.packets.resize(reading.nodes);
  auto seen = read_all(file->get(), path, recording);
  if (!seen) return tl::unexpected(seen.error());
  lay_out(std::move(*seen), reading, recording);
  return recording;
}

}  // namespace rackway::traffic
