// SPDX-License-Identifier: Apache-2.0
// One TAP device in the router's namespace that stands for an external port. Persistent: it stays,
// with its addresses and routes, when the controller goes, so that the routing daemons do not
// lose it in a restart; adopting an existing one of that name is the normal case then. While nobody
// holds it the kernel takes its carrier.
// Reading and writing (fd) may be another thread's than the rest.
#pragma once

#include <cstdint>
#include <string>

#include "base/mac_address.hh"
#include "base/result.hh"
#include "base/unique_fd.hh"

namespace rackway::control {

class Tap {
 public:
  // Creates or adopts the device, non-blocking, without packet information and without offloads.
  // The carrier is on, until set_carrier() says otherwise.
  // Throws StartupError (/dev/net/tun missing, not root, name taken by something else, in use).
  Tap(const std::string& network_namespace, const std::string& name);

  // From now on the device outlives this object. Before that, one that was created here goes with
  // it.
  void keep();

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] int ifindex() const { return ifindex_; }
  // Whole Ethernet frames, one per read or write.
  [[nodiscard]] int fd() const { return fd_.get(); }

  // MAC (if not zero and different: brings the link down and up around it), MTU, and up.
  [[nodiscard]] Result<void> configure(const MacAddress& mac, std::uint16_t mtu);
  [[nodiscard]] Result<void> set_carrier(bool on);

  // Deletes a kept device of that name, for controllers that leave for good.
  static void remove(const std::string& network_namespace, const std::string& name);

 private:
  std::string network_namespace_;
  std::string name_;
  UniqueFd fd_;
  int ifindex_ = 0;
};

}  // namespace rackway::control
