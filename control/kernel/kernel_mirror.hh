// SPDX-License-Identifier: Apache-2.0
// What the kernel of one network namespace knows: links, addresses, neighbours and routes (main and
// local tables), kept equal to it over rtnetlink. A full dump at start and whenever events may have
// been lost (ENOBUFS, an interrupted dump, a link that went down and took routes with it without a
// message), events in between. The caller learns what changed by take_changes().
// One thread's; two of its own read events and dumps meanwhile. Not a cache of policy: nothing here
// knows of ports, groups or epochs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/id.hh"
#include "base/ip_address.hh"
#include "base/mac_address.hh"
#include "base/result.hh"

namespace rackway::control {

// A link that carries one 802.1Q VLAN (1..4094) of another one of the same namespace.
struct KernelVlan {
  int parent{};  // ifindex
  VlanId id;
  auto operator<=>(const KernelVlan&) const = default;
};

struct KernelLink {
  int ifindex{};
  std::string name;
  bool up{};       // IFF_UP
  bool carrier{};  // IFF_LOWER_UP
  std::uint32_t mtu{};
  MacAddress mac;
  std::optional<KernelVlan> vlan{};
  bool operator==(const KernelLink&) const = default;
};

struct KernelAddress {
  int ifindex{};
  IpAddress address;
  std::uint8_t length{};
  auto operator<=>(const KernelAddress&) const = default;
};

struct KernelNeighborKey {
  int ifindex{};
  IpAddress address;
  auto operator<=>(const KernelNeighborKey&) const = default;
};

struct KernelNextHop {
  int ifindex{};
  std::optional<IpAddress> gateway;  // none: the destination itself is the neighbour
  std::uint16_t weight{1};           // 1..65535
  auto operator<=>(const KernelNextHop&) const = default;
};

enum class KernelRouteType : std::uint8_t {
  unicast,
  local,
  broadcast,
  blackhole,
  unreachable,
  prohibit
};

// The best (lowest metric) route of a prefix; local-table routes win over main-table ones.
struct KernelRoute {
  KernelRouteType type{};
  std::uint8_t protocol{};               // RTPROT_*
  std::vector<KernelNextHop> next_hops;  // sorted; of type unicast 1 or more, else may be empty
  bool operator==(const KernelRoute&) const = default;
};

struct KernelChanges {
  std::set<int> links;      // ifindex added, changed or gone
  std::set<int> addresses;  // ifindex whose addresses changed
  std::set<KernelNeighborKey> neighbors;
  std::set<IpPrefix> routes;
  bool empty() const {
    return links.empty() && addresses.empty() && neighbors.empty() && routes.empty();
  }
};

// Who tells of the routes of FRR's daemons. If zebra does so itself, its copies in the kernel are
// left out here: one authority, so that a withdrawn route is gone at once, zebra's removal of its
// kernel routes when it starts means nothing, and the table is held once.
enum class DaemonRoutes : std::uint8_t { in_kernel, by_fpm };

class KernelMirror {
 public:
  static constexpr std::uint32_t kEventBuffer = 64u << 20;  // octets

  // Opens its sockets in the named namespace (as `ip netns` names them; must exist) and makes the
  // first dump. event_buffer: octets of events that may wait before a dump is due. Throws
  // StartupError.
  explicit KernelMirror(const std::string& network_namespace,
                        DaemonRoutes daemons = DaemonRoutes::in_kernel,
                        std::uint32_t event_buffer = kEventBuffer);
  ~KernelMirror();

  // Becomes readable when events wait; then call read_events(). Poll it with the caller's others.
  [[nodiscard]] int fd() const;
  // Takes in waiting events, some thousand at most. When some may have been lost it has everything
  // dumped anew, which goes on after the call; until that is in, nothing is taken. Returns true
  // when more waits, be it events or such a dump: call again soon, whatever fd() says.
  bool read_events();
  // Dumps everything anew, waits for it, and takes the difference as changes.
  [[nodiscard]] Result<void> resync();

  [[nodiscard]] KernelChanges take_changes();
  [[nodiscard]] const std::map<int, KernelLink>& links() const;
  // Not those that duplicate address detection has not passed yet (RFC 4862 5.4).
  [[nodiscard]] const std::set<KernelAddress>& addresses() const;
  // Only neighbours that have a usable link-layer address (reachable, stale, delay, probe,
  // permanent).
  [[nodiscard]] const std::map<KernelNeighborKey, MacAddress>& neighbors() const;
  // fe80::/10, multicast, unsupported route types and routes for one type of service or one source
  // are left out.
  [[nodiscard]] const std::map<IpPrefix, KernelRoute>& routes() const;

  // Asks the kernel to resolve a neighbour and (where it can, NTF_EXT_MANAGED) keep it resolved.
  // Cheap to repeat.
  void resolve(const KernelNeighborKey& neighbor);

  struct Counters {
    std::uint64_t events{}, resyncs{}, overruns{}, malformed{};
  };
  [[nodiscard]] Counters counters() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rackway::control
