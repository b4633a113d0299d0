// SPDX-License-Identifier: Apache-2.0
// Two kinds of rtnetlink socket, each opened inside a named network namespace and bound to it for
// life: one that listens to changes, and one that asks and waits for the answer. They are apart so
// that an answer never stands in a queue behind events, and an overrun of events never loses one.
// Each is one thread's at a time.
#pragma once

#include <libmnl/libmnl.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "control/kernel/netlink_request.hh"

namespace rackway::control {

struct CloseSocket {
  void operator()(mnl_socket* socket) const { mnl_socket_close(socket); }
};
using SocketHandle = std::unique_ptr<mnl_socket, CloseSocket>;

// Multicast groups of the kernel's changes. An overrun of the receive buffer is told, as
// NETLINK_NO_ENOBUFS is left off.
class NetlinkEvents {
 public:
  // groups are RTNLGRP_*; buffer: octets of the receive buffer, at most INT_MAX, less if we may not
  // have so much. Throws StartupError.
  NetlinkEvents(const std::string& network_namespace, std::initializer_list<int> groups,
                std::uint32_t buffer);

  [[nodiscard]] int fd() const { return mnl_socket_get_fd(socket_.get()); }

  enum class Received : std::uint8_t { datagram, nothing, overrun };
  // Never waits. The datagram is valid until the next call.
  Received receive(std::span<const std::byte>& datagram);

 private:
  SocketHandle socket_;
  std::vector<char> buffer_;
};

// Why the kernel did not do what it was asked.
struct NetlinkRefusal {
  int code{};          // errno
  std::string reason;  // one line, with the kernel's own words when it gave any
};
using NetlinkReply = tl::expected<void, NetlinkRefusal>;

// Runs body, which dumps and begins with nothing each time, until no dump in it was interrupted or
// patience ends; then the code is EINTR.
[[nodiscard]] NetlinkReply until_consistent(const std::function<NetlinkReply()>& body);

class NetlinkRequests {
 public:
  explicit NetlinkRequests(const std::string& network_namespace);  // throws StartupError

  using Visit = std::function<void(std::span<const std::byte> message)>;
  // Sends, gives each message of the answer to visit, and waits for the acknowledgement.
  [[nodiscard]] NetlinkReply ask(NetlinkRequest& request, const Visit& visit = {});
  // The same for a dump. Code EINTR: changes in the middle made it inconsistent.
  [[nodiscard]] NetlinkReply dump(NetlinkRequest& request, const Visit& visit);

 private:
  struct Answer {
    bool complete{};
    bool interrupted{};
    NetlinkRefusal refusal;  // code 0: none
  };
  [[nodiscard]] Answer exchange(NetlinkRequest& request, std::uint16_t flags, const Visit& visit);
  void read_answer(std::span<const std::byte> datagram, const Visit& visit, Answer& answer);

  SocketHandle socket_;
  std::uint32_t sequence_ = 0;
  std::vector<char> buffer_;
};

}  // namespace rackway::control
