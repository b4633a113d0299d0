// SPDX-License-Identifier: Apache-2.0
// Everything that a mirror holds, asked of the kernel anew. A thread of its own does so, since a
// full table takes seconds. The owner's calls are one thread's.
#pragma once

#include <cstdint>
#include <future>
#include <string>

#include "control/kernel/kernel_mirror.hh"
#include "control/kernel/mirror_tables.hh"
#include "control/kernel/netlink_socket.hh"

namespace rackway::control {

class KernelDump {
 public:
  KernelDump(const std::string& network_namespace, DaemonRoutes daemons);  // throws StartupError

  struct Made {
    NetlinkReply reply;   // code EINTR: changes interrupted it again and again
    MirrorTables tables;  // when the reply is good
    std::uint64_t malformed{};
  };

  void start();  // not while one is running
  // From start() to take().
  [[nodiscard]] bool is_running() const { return made_.valid(); }
  [[nodiscard]] bool is_done() const;
  // Waits until it is done.
  [[nodiscard]] Made take() { return made_.get(); }

 private:
  Made make();
  NetlinkReply dump_all(const NetlinkRequests::Visit& visit);

  NetlinkRequests requests_;
  const DaemonRoutes daemons_;
  std::future<Made> made_;  // last: it waits for its thread
};

}  // namespace rackway::control
