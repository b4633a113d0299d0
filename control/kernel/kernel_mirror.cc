// SPDX-License-Identifier: Apache-2.0
#include "control/kernel/kernel_mirror.hh"

#include <fcntl.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <span>
#include <utility>

#include "base/log.hh"
#include "base/startup_error.hh"
#include "base/unique_fd.hh"
#include "control/kernel/event_backlog.hh"
#include "control/kernel/kernel_dump.hh"
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

// Asks without a state of its own (NUD_NONE): what is known of the neighbour stays. NTF_USE starts
// the resolution also on kernels that know nothing of NTF_EXT_MANAGED and skip it (before 5.16).
NetlinkReply request_resolution(NetlinkRequests& requests, const KernelNeighborKey& neighbor,
                                bool managed) {
  ndmsg header{};
  header.ndm_family = neighbor.address.is_v4() ? AF_INET : AF_INET6;
  header.ndm_ifindex = neighbor.ifindex;
  header.ndm_state = NUD_NONE;
  header.ndm_flags = NTF_USE;
  NetlinkRequest request(RTM_NEWNEIGH, NLM_F_CREATE, header);
  request.put(NDA_DST, neighbor.address);
  if (managed) request.put(NDA_FLAGS_EXT, std::uint32_t{NTF_EXT_MANAGED});
  return requests.ask(request);
}

}  // namespace

struct KernelMirror::State {
  State(const std::string& network_namespace, DaemonRoutes of_daemons, std::uint32_t event_buffer)
      : events(network_namespace,
               {RTNLGRP_LINK, RTNLGRP_NEIGH, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR,
                RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE, RTNLGRP_NEXTHOP},
               event_buffer),
        requests(network_namespace),
        dump(network_namespace, of_daemons),
        tables(of_daemons) {}

  bool turn();
  bool read_some();
  void take_one();
  void take_in(std::span<const std::byte> datagram);
  void take_in(const NetlinkMessage& message);
  void start_dump();
  NetlinkReply finish_dump();
  NetlinkReply resync();

  EventBacklog events;
  NetlinkRequests requests;
  KernelDump dump;
  MirrorTables tables;
  Counters counters;
  bool resync_due = false;
  // Events that waited while a dump was made may be older than it, and delete what is long gone.
  bool catching_up = false;
};

void KernelMirror::State::take_in(const NetlinkMessage& message) {
  ++counters.events;
  switch (tables.apply(message)) {
    case MirrorTables::Silent::nothing: break;
    case MirrorTables::Silent::perhaps: resync_due = true; break;
    case MirrorTables::Silent::unknown_route: resync_due = resync_due || !catching_up; break;
  }
}

void KernelMirror::State::take_in(std::span<const std::byte> datagram) {
  const bool whole = for_each_message(datagram, [&](std::span<const std::byte> message) {
    if (const auto parsed = parse_message(message)) {
      take_in(*parsed);
    } else {
      ++counters.malformed;
    }
  });
  if (!whole) ++counters.malformed;
}

// True when more may wait.
bool KernelMirror::State::read_some() {
  std::span<const std::byte> datagram;
  for (int i = 0; i < kDatagramsPerCall; ++i) {
    switch (events.receive(datagram)) {
      case EventBacklog::Received::nothing: return false;
      case EventBacklog::Received::overrun:
        ++counters.overruns;
        resync_due = true;
        return true;
      case EventBacklog::Received::datagram: take_in(datagram);
    }
  }
  return true;
}

// A dump that starts now includes what the events tell that wait.
void KernelMirror::State::start_dump() {
  ++counters.resyncs;
  counters.overruns += events.discard();
  resync_due = false;
  dump.start();
}

// Events up to here may be older than the dump: all of them are taken in, so that nobody sees the
// past.
NetlinkReply KernelMirror::State::finish_dump() {
  KernelDump::Made made = dump.take();
  counters.malformed += made.malformed;
  if (!made.reply) {
    resync_due = true;
    return made.reply;
  }
  tables.become(std::move(made.tables));
  catching_up = true;
  for (const auto end = events.arrived(); events.taken() < end;) take_one();
  catching_up = false;
  return made.reply;
}

void KernelMirror::State::take_one() {
  std::span<const std::byte> datagram;
  if (events.receive(datagram) == EventBacklog::Received::datagram) return take_in(datagram);
  ++counters.overruns;
  resync_due = true;
}

// True when more may wait, or a dump.
bool KernelMirror::State::turn() {
  bool more = true;
  if (!dump.is_running()) {
    more = read_some();
  } else if (!dump.is_done()) {
    return true;
  } else if (const auto reply = finish_dump(); !reply) {
    log::warn("reading the kernel's tables again: {}", reply.error().reason);
    if (reply.error().code != EINTR) return false;
  }
  if (!resync_due) return more;
  start_dump();
  return true;
}

NetlinkReply KernelMirror::State::resync() {
  if (!dump.is_running()) start_dump();
  return finish_dump();
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
  return state_->turn();
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
