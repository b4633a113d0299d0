// SPDX-License-Identifier: Apache-2.0
#include "control/kernel/tap.hh"

#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/log.hh"
#include "base/startup_error.hh"
#include "control/kernel/link_control.hh"
#include "control/kernel/network_namespace.hh"

namespace rackway::control {
namespace {

constexpr const char* kTunDevice = "/dev/net/tun";

// What the kernel takes as a link's name, less '%', by which it would make up a name of its own.
bool is_link_name(const std::string& name) {
  return !name.empty() && name.size() < IFNAMSIZ && name != "." && name != ".." &&
         std::none_of(name.begin(), name.end(), [](unsigned char c) {
           return c == '/' || c == ':' || c == '%' || std::isspace(c) != 0 || c == 0;
         });
}

[[noreturn]] void refuse(const std::string& name, int error, bool name_is_in_use) {
  const std::string where = "TAP " + name;
  if (error == EBUSY) {
    throw StartupError("the device is in use", where, "stop the other controller that holds it");
  }
  if (error == EPERM || error == EACCES) {
    throw StartupError("no permission to make the device", where, "run as root");
  }
  if (error == EINVAL && name_is_in_use) {
    throw StartupError("a device of that name exists and is not a TAP of ours", where,
                       "rename or delete it");
  }
  throw StartupError(std::string("can not make the device: ") + std::strerror(error), where,
                     "see the kernel's log");
}

UniqueFd open_tun() {
  UniqueFd fd(::open(kTunDevice, O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (fd) return fd;
  const int error = errno;
  const bool missing = error == ENOENT || error == ENODEV || error == ENXIO;
  throw StartupError(std::string("can not open the TUN/TAP driver: ") + std::strerror(error),
                     kTunDevice, missing ? "modprobe tun" : "run as root");
}

// In the calling thread's namespace, which both the open and the ioctl look at.
UniqueFd attach(const std::string& name) {
  UniqueFd fd = open_tun();
  ifreq request{};
  name.copy(request.ifr_name, IFNAMSIZ - 1);
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  if (::ioctl(fd.get(), TUNSETIFF, &request) < 0) {
    const int error = errno;
    refuse(name, error, ::if_nametoindex(name.c_str()) != 0);
  }
  if (::ioctl(fd.get(), TUNSETOFFLOAD, 0) < 0) refuse(name, errno, false);
  return fd;
}

// The kernel forgets IPv6 addresses of a link that goes down, unless told not to; configure() takes
// the link down to change its MAC, and the operator's addresses must outlive that.
void keep_addresses(const std::string& name) {
  std::ofstream("/proc/sys/net/ipv6/conf/" + name + "/keep_addr_on_down") << "1";
}

}  // namespace

Tap::Tap(const std::string& network_namespace, const std::string& name)
    : network_namespace_(network_namespace), name_(name) {
  if (!is_link_name(name)) {
    throw StartupError("\"" + name + "\" can not name a link", "", "use 1 to 15 plain characters");
  }
  inside_namespace(network_namespace, [this] {
    fd_ = attach(name_);
    keep_addresses(name_);
    ifindex_ = static_cast<int>(::if_nametoindex(name_.c_str()));
  });
}

void Tap::keep() {
  if (::ioctl(fd_.get(), TUNSETPERSIST, 1) < 0) refuse(name_, errno, false);
}

Result<void> Tap::configure(const MacAddress& mac, std::uint16_t mtu) {
  LinkControl links(network_namespace_);
  const auto found = links.find(ifindex_);
  if (!found) return tl::unexpected(found.error().within(name_));
  if (!*found) return fail(name_ + ": the device is gone");
  const KernelLink& now = (*found)->link;

  LinkChange change{.up = true};
  if (now.mtu != mtu) change.mtu = mtu;
  if (!mac.is_zero() && now.mac != mac) {
    change.mac = mac;
    // The link-local address is made of the MAC when the link comes up, and only then.
    if (now.up) {
      const auto down = links.change(ifindex_, {.up = false});
      if (!down) return tl::unexpected(down.error().within(name_));
    }
  }
  if (now.up && !change.mac && !change.mtu) return {};
  const auto changed = links.change(ifindex_, change);
  if (changed) return {};
  if (now.up) (void)links.change(ifindex_, {.up = true});  // as it was, though unchanged
  return tl::unexpected(changed.error().within(name_));
}

Result<void> Tap::set_carrier(bool on) {
  int value = on ? 1 : 0;
  if (::ioctl(fd_.get(), TUNSETCARRIER, &value) == 0) return {};
  return fail(name_ + ": can not set the carrier: " + std::strerror(errno));
}

void Tap::remove(const std::string& network_namespace, const std::string& name) {
  LinkControl links(network_namespace);
  if (!is_link_name(name)) return;
  const auto found = links.find(name);
  if (!found || !*found || (*found)->kind != "tun") return;
  if (const auto removed = links.remove((*found)->link.ifindex); !removed) {
    log::warn("deleting {}: {}", name, removed.error().message);
  }
}

}  // namespace rackway::control
