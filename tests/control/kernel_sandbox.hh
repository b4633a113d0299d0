// SPDX-License-Identifier: Apache-2.0
// A network namespace of one test, gone at its end however it ends, and the words by which tests
// change it. Needs root and iproute2.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "control/kernel/kernel_mirror.hh"

namespace rackway::control::kernel_tests {

class Sandbox {
 public:
  Sandbox() {
    static int made = 0;
    std::signal(SIGPIPE, SIG_IGN);  // or a failing `ip` would end the program and leave this behind
    name_ = "rwt-" + std::to_string(::getpid()) + "-" + std::to_string(++made);
    shell("ip netns add " + name_);
    // Without duplicate address detection IPv6 addresses are there at once.
    run("sysctl -q -w net.ipv6.conf.default.accept_dad=0 net.ipv6.conf.default.dad_transmits=0");
    ip("link set lo up");
  }
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;
  ~Sandbox() { (void)std::system(("ip netns del " + name_).c_str()); }

  [[nodiscard]] const std::string& name() const { return name_; }

  static void shell(const std::string& command) {
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }
  void ip(const std::string& arguments) const {
    shell("ip -n " + name_ + " " + arguments);
    if (arguments.starts_with("addr add ")) await_local_route(arguments.substr(9));
  }
  // For what the kernel may refuse.
  void ip_or_not(const std::string& arguments) const {
    (void)!std::system(("ip -n " + name_ + " " + arguments + " 2>/dev/null").c_str());
  }
  void run(const std::string& command) const { shell("ip netns exec " + name_ + " " + command); }
  // Many at once; those that the kernel refuses are passed over. A line has no options: `-6` is
  // told by the addresses. between is run after each piece, while `ip` may still be at work.
  void batch(const std::string& lines, const std::function<void()>& between = {}) const {
    const std::string command = "ip -n " + name_ + " -force -batch - >/dev/null 2>&1";
    std::FILE* pipe = ::popen(command.c_str(), "w");
    ASSERT_NE(pipe, nullptr);
    constexpr std::size_t kPiece = 2000;
    for (std::size_t at = 0; at < lines.size(); at += kPiece) {
      std::fwrite(lines.data() + at, 1, std::min(kPiece, lines.size() - at), pipe);
      std::fflush(pipe);
      if (between) between();
    }
    // Some errors end `ip` though it is told not to end; nothing after them would be tested.
    std::fputs("route add blackhole 255.0.0.0/8 table 99\n", pipe);
    ::pclose(pipe);
    ip("route del blackhole 255.0.0.0/8 table 99");
  }
  [[nodiscard]] std::string output_of(const std::string& arguments) const {
    std::FILE* pipe = ::popen(("ip -n " + name_ + " " + arguments).c_str(), "r");
    std::string text;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
    ::pclose(pipe);
    return text;
  }
  // A cable with both ends here, up, so that `name` has a carrier.
  void add_link(const std::string& name) const {
    ip("link add " + name + " type veth peer name " + name + "-far");
    ip("link set " + name + "-far up");
    ip("link set " + name + " up");
    // The kernel's link watch is a little late; a test begins when it has come to rest.
    for (int i = 0; i < 500 && !is_at_rest(name); ++i) ::usleep(10'000);
  }
  // Whether this kernel has links of type vlan (CONFIG_VLAN_8021Q).
  [[nodiscard]] bool can_make_vlans() const {
    ip_or_not("link add probe type veth peer name probe-far");
    ip_or_not("link add link probe name probe.1 type vlan id 1");
    const bool made =
        output_of("link show probe.1 2>/dev/null").find("probe.1") != std::string::npos;
    ip_or_not("link del probe");
    return made;
  }
  // An IPv6 address gets its local route from a work queue, a little later; on a link that is not
  // up it gets none. address: "fd00::1/64 …".
  void await_local_route(const std::string& address) const {
    if (address.find(':') == std::string::npos) return;
    const auto line = "local " + address.substr(0, address.find('/')) + " ";
    for (int i = 0; i < 50; ++i) {
      if (output_of("-6 route show table local").find(line) != std::string::npos) return;
      ::usleep(10'000);
    }
  }
  [[nodiscard]] bool is_at_rest(const std::string& name) const {
    return output_of("link show " + name).find("state UP") != std::string::npos &&
           output_of("link show " + name + "-far").find("state UP") != std::string::npos;
  }

 private:
  std::string name_;
};

inline IpAddress addr(const std::string& text) {
  return IpAddress::parse(text).value();
}
inline IpPrefix prefix(const std::string& text) {
  return IpPrefix::parse(text).value();
}
inline MacAddress mac(const std::string& text) {
  return MacAddress::parse(text).value();
}

inline int ifindex_of(const KernelMirror& mirror, const std::string& name) {
  for (const auto& [ifindex, link] : mirror.links()) {
    if (link.name == name) return ifindex;
  }
  return 0;
}

// Takes in what waits now.
inline void catch_up(KernelMirror& mirror) {
  while (mirror.read_events()) {
  }
}

// Until the kernel's timers and work queues have done what is expected; false after 15 s.
inline bool eventually(KernelMirror& mirror, const std::function<bool()>& expected) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(15);
  for (;;) {
    catch_up(mirror);
    if (expected()) return true;
    if (std::chrono::steady_clock::now() > end) return false;
    pollfd waiting{mirror.fd(), POLLIN, 0};
    ::poll(&waiting, 1, 20);
  }
}

inline bool is_equal(const KernelMirror& a, const KernelMirror& b) {
  return a.links() == b.links() && a.addresses() == b.addresses() &&
         a.neighbors() == b.neighbors() && a.routes() == b.routes();
}

// Whether the mirror comes to be what a new one reads from the kernel.
inline bool becomes_equal_to_fresh(KernelMirror& mirror, const Sandbox& sandbox) {
  return eventually(mirror, [&] { return is_equal(mirror, KernelMirror(sandbox.name())); });
}

}  // namespace rackway::control::kernel_tests
