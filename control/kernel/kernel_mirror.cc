// SPDX-License-Identifier: Apache-2.0
#include "control/kernel/kernel_mirror.hh"

#include <fcntl.h>
#include <linux/neighbour.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <span>
#include <utility>

#include "base/log.hh"
#include "base/startup_error.hh"
#include "base/unique_fd.hh"
#include "control/kernel/link_control.hh"
#include "control/kernel/mirror_tables.hh"
#include "control/kernel/netlink_messages.hh"
#include "control/kernel/netlink_request.hh"
#include "control/kernel/netlink_socket.hh"
#include "control/kernel/network_namespace.hh"

namespace rackway::control {
namespace {

constexpr int kDatagramsPerCall = 4096;
constexpr int kPatienceAtStart = 20;  // dumps that changes may interrupt

// Without it routes through next-hop objects would come as a bare number.
void demand_expanded_next_hops(const std::string& network_namespace) {
  constexpr const char* kSetting = "/proc/sys/net/ipv4/nexthop_compat_mode";
  char value = '1';
  inside_namespace(network_namespace, [&] {
    const UniqueFd fd(::open(kSetting, O_RDONLY | O_CLOEXEC));
    if (fd && ::read(fd.get(), &value, 1) != 1) value = '1';
  });
  if (value != '0') return;
  throw StartupError("net.ipv4.nexthop_compat_mode is 0, so next hops can not be read",
                     network_namespace, "set it to 1 with sysctl in that namespace");
}

template <class Header>
Header of_family(int family) {
  Header header{};
  // The first byte of every rtnetlink header is its family.
  reinterpret_cast<unsigned char&>(header) = static_cast<unsigned char>(family);
  return header;
}

// Asks without a state of its own (NUD_NONE): what is known of the neighbour stays. NTF_USE starts
// the resolution also on kernels that know nothing of NTF_EXT_MANAGED and skip it (before 5.16).
NetlinkReply request_resolution(NetlinkRequests& requests, const KernelNeighborKey& neighbor,
                                bool managed) {
  ndmsg header = of_family<ndmsg>(neighbor.address.is_v4() ? AF_INET : AF_INET6);
  header.ndm_ifindex = neighbor.ifindex;
  header.ndm_state = NUD_NONE;
  header.ndm_flags = NTF_USE;
  NetlinkRequest request(RTM_NEWNEIGH, NLM_F_CREATE, header);
  request.put(NDA_DST, neighbor.address);
  if (managed) request.put(NDA_FLAGS_EXT, std::uint32_t{NTF_EXT_MANAGED});
  return requests.ask(request);
}

template <class Header>
NetlinkReply dump(NetlinkRequests& requests, std::uint16_t type, int family,
                  const NetlinkRequests::Visit& visit) {
  NetlinkRequest request(type, 0, of_family<Header>(family));
  return requests.dump(request, visit);
}

}  // namespace

struct KernelMirror::State {
  State(const std::string& network_namespace, DaemonRoutes of_daemons, std::uint32_t event_buffer)
      : events(network_namespace,
               {RTNLGRP_LINK, RTNLGRP_NEIGH, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR,
                RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE, RTNLGRP_NEXTHOP},
               event_buffer),
        requests(network_namespace),
        daemons(of_daemons) {}

  bool read_some();
  void take_in(const NetlinkMessage& message);
  void discard_events();
  NetlinkReply resync();
  NetlinkReply dump_all(MirrorTables& into);
  std::optional<NetlinkMessage> parse(std::span<const std::byte> message);

  NetlinkEvents events;
  NetlinkRequests requests;
  DaemonRoutes daemons;
  MirrorTables tables{daemons};
  Counters counters;
  bool resync_due = false;
  // Events that waited while a dump was made may be older than it, and delete what is long gone.
  bool catching_up = false;
};

std::optional<NetlinkMessage> KernelMirror::State::parse(std::span<const std::byte> message) {
  auto parsed = parse_message(message);
  if (!parsed) ++counters.malformed;
  return parsed;
}

void KernelMirror::State::take_in(const NetlinkMessage& message) {
  ++counters.events;
  switch (tables.apply(message)) {
    case MirrorTables::Silent::nothing: break;
    case MirrorTables::Silent::perhaps: resync_due = true; break;
    case MirrorTables::Silent::unknown_route: resync_due = resync_due || !catching_up; break;
  }
}

// True when more may wait.
bool KernelMirror::State::read_some() {
  std::span<const std::byte> datagram;
  for (int i = 0; i < kDatagramsPerCall; ++i) {
    switch (events.receive(datagram)) {
      case NetlinkEvents::Received::nothing: catching_up = false; return false;
      case NetlinkEvents::Received::overrun:
        ++counters.overruns;
        resync_due = true;
        return true;
      case NetlinkEvents::Received::datagram: {
        const bool whole = for_each_message(datagram, [&](std::span<const std::byte> message) {
          if (const auto parsed = parse(message)) take_in(*parsed);
        });
        if (!whole) ++counters.malformed;
      }
    }
  }
  return true;
}

// A dump that starts now includes what they tell. Bounded, since they may come faster than this.
void KernelMirror::State::discard_events() {
  std::span<const std::byte> datagram;
  for (int i = 0; i < 64 * kDatagramsPerCall; ++i) {
    const auto received = events.receive(datagram);
    if (received == NetlinkEvents::Received::nothing) return;
    if (received == NetlinkEvents::Received::overrun) ++counters.overruns;
  }
}

NetlinkReply KernelMirror::State::dump_all(MirrorTables& into) {
  const auto visit = [&](std::span<const std::byte> message) {
    if (const auto parsed = parse(message)) (void)into.apply(*parsed);
  };
  const auto barrier = [&]() -> NetlinkReply {
    // The kernel tells of a link's or an address's change before it has changed the routes, but
    // does both under one lock, which this needs as well.
    ifinfomsg header{};
    header.ifi_index = LinkControl::kLoopback;
    NetlinkRequest request(RTM_GETLINK, 0, header);
    return requests.ask(request);
  };
  // Next-hop groups before the routes that take their weights from them.
  return dump<ifinfomsg>(requests, RTM_GETLINK, AF_UNSPEC, visit)
      .and_then([&] { return dump<ifaddrmsg>(requests, RTM_GETADDR, AF_INET, visit); })
      .and_then([&] { return dump<ifaddrmsg>(requests, RTM_GETADDR, AF_INET6, visit); })
      .and_then([&] { return dump<ndmsg>(requests, RTM_GETNEIGH, AF_INET, visit); })
      .and_then([&] { return dump<ndmsg>(requests, RTM_GETNEIGH, AF_INET6, visit); })
      .and_then(barrier)
      .and_then([&] { return dump<nhmsg>(requests, RTM_GETNEXTHOP, AF_UNSPEC, visit); })
      .and_then([&] { return dump<rtmsg>(requests, RTM_GETROUTE, AF_INET, visit); })
      .and_then([&] { return dump<rtmsg>(requests, RTM_GETROUTE, AF_INET6, visit); });
}

NetlinkReply KernelMirror::State::resync() {
  ++counters.resyncs;
  resync_due = true;
  MirrorTables dumped(daemons);
  auto reply = until_consistent([&] {
    dumped = MirrorTables(daemons);
    discard_events();
    return dump_all(dumped);
  });
  if (!reply) return reply;
  tables.become(std::move(dumped));
  resync_due = false;
  catching_up = true;
  return reply;
}

KernelMirror::KernelMirror(const std::string& network_namespace, DaemonRoutes daemons,
                           std::uint32_t event_buffer)
    : state_(std::make_unique<State>(network_namespace, daemons, event_buffer)) {
  demand_expanded_next_hops(network_namespace);
  auto reply = state_->resync();
  for (int i = 0; i < kPatienceAtStart && !reply && reply.error().code == EINTR; ++i) {
    reply = state_->resync();
  }
  if (reply) return;
  throw StartupError("can not read links and routes: " + reply.error().reason, network_namespace,
                     "start again");
}

KernelMirror::~KernelMirror() = default;

int KernelMirror::fd() const {
  return state_->events.fd();
}

bool KernelMirror::read_events() {
  bool more = state_->read_some();
  if (!state_->resync_due) return more;
  if (const auto reply = state_->resync(); !reply) {
    log::warn("reading the kernel's tables again: {}", reply.error().reason);
    return reply.error().code == EINTR;
  }
  return state_->read_some() || state_->resync_due;
}

Result<void> KernelMirror::resync() {
  auto reply = state_->resync();
  if (!reply) return fail("reading the kernel's tables: " + reply.error().reason);
  return {};
}

KernelChanges KernelMirror::take_changes() {
  return state_->tables.take_changes();
}

const std::map<int, KernelLink>& KernelMirror::links() const {
  return state_->tables.links();
}

const std::set<KernelAddress>& KernelMirror::addresses() const {
  return state_->tables.addresses();
}

const std::map<KernelNeighborKey, MacAddress>& KernelMirror::neighbors() const {
  return state_->tables.neighbors();
}

const std::map<IpPrefix, KernelRoute>& KernelMirror::routes() const {
  return state_->tables.routes();
}

KernelMirror::Counters KernelMirror::counters() const {
  return state_->counters;
}

void KernelMirror::resolve(const KernelNeighborKey& neighbor) {
  if (state_->tables.is_settled(neighbor)) return;
  if (request_resolution(state_->requests, neighbor, true)) return;
  if (const auto reply = request_resolution(state_->requests, neighbor, false); !reply) {
    log::debug("resolving {}: {}", neighbor.address.to_string(), reply.error().reason);
  }
}

}  // namespace rackway::control
