// SPDX-License-Identifier: Apache-2.0
// Finds and changes links of one network namespace, as `ip link` does. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/mac_address.hh"
#include "base/result.hh"
#include "control/kernel/netlink_messages.hh"
#include "control/kernel/netlink_socket.hh"

namespace rackway::control {

// What is not named stays as it is.
struct LinkChange {
  std::optional<bool> up{};
  std::optional<MacAddress> mac{};
  std::optional<std::uint32_t> mtu{};
};

class LinkControl {
 public:
  static constexpr int kLoopback = 1;  // the ifindex of lo in every namespace

  explicit LinkControl(const std::string& network_namespace);  // throws StartupError

  // nullopt: there is none.
  [[nodiscard]] Result<std::optional<LinkMessage>> find(const std::string& name);
  [[nodiscard]] Result<std::optional<LinkMessage>> find(int ifindex);
  [[nodiscard]] Result<void> change(int ifindex, const LinkChange& change);
  [[nodiscard]] Result<void> remove(int ifindex);

 private:
  Result<std::optional<LinkMessage>> find(NetlinkRequest& request);

  NetlinkRequests requests_;
};

}  // namespace rackway::control
