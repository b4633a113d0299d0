// SPDX-License-Identifier: Apache-2.0
#include "control/kernel/tap.hh"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>

#include "base/byte_order.hh"
#include "base/startup_error.hh"
#include "control/kernel/network_namespace.hh"
#include "tests/control/kernel_sandbox.hh"

namespace rackway::control::kernel_tests {
namespace {

const MacAddress kMac = mac("02:11:22:33:44:55");
constexpr const char* kLinkLocal = "fe80::11:22ff:fe33:4455";

class TapTest : public testing::Test {
 protected:
  KernelLink link(const std::string& name) const {
    const KernelMirror mirror(sandbox_.name());
    const int ifindex = ifindex_of(mirror, name);
    return ifindex == 0 ? KernelLink{} : mirror.links().at(ifindex);
  }
  std::string refusal(const std::string& name) const {
    try {
      const Tap tap(sandbox_.name(), name);
    } catch (const StartupError& error) {
      return error.what();
    }
    return "";
  }
  Sandbox sandbox_;
};

TEST_F(TapTest, IsCreatedInTheNamespace) {
  const Tap tap(sandbox_.name(), "n1-p0");
  EXPECT_EQ(tap.name(), "n1-p0");
  EXPECT_EQ(link("n1-p0").ifindex, tap.ifindex());
  EXPECT_NE(tap.ifindex(), 0);
  EXPECT_FALSE(link("n1-p0").up);
  EXPECT_NE(::fcntl(tap.fd(), F_GETFL) & O_NONBLOCK, 0);
  std::array<char, 64> frame{};
  EXPECT_EQ(::read(tap.fd(), frame.data(), frame.size()), -1);
}

TEST_F(TapTest, IsConfigured) {
  Tap tap(sandbox_.name(), "n1-p0");
  ASSERT_TRUE(tap.configure(kMac, 1400));
  const KernelLink expected{tap.ifindex(), "n1-p0", true, true, 1400, kMac};
  EXPECT_EQ(link("n1-p0"), expected);
  ASSERT_TRUE(tap.configure(kMac, 9216));
  EXPECT_EQ(link("n1-p0").mtu, 9216u);
}

TEST_F(TapTest, ZeroMacKeepsTheKernels) {
  Tap tap(sandbox_.name(), "n1-p0");
  const MacAddress before = link("n1-p0").mac;
  ASSERT_TRUE(tap.configure(MacAddress{}, 1500));
  EXPECT_EQ(link("n1-p0").mac, before);
  EXPECT_TRUE(link("n1-p0").up);
}

TEST_F(TapTest, LinkLocalAddressComesFromTheMac) {
  Tap tap(sandbox_.name(), "n1-p0");
  KernelMirror mirror(sandbox_.name());
  ASSERT_TRUE(tap.configure(mac("02:aa:aa:aa:aa:aa"), 1500));
  ASSERT_TRUE(tap.configure(kMac, 1500));
  EXPECT_TRUE(eventually(mirror, [&] {
    return mirror.addresses().contains({tap.ifindex(), addr(kLinkLocal), 64});
  }));
  int count = 0;
  for (const auto& address : mirror.addresses()) count += address.ifindex == tap.ifindex() ? 1 : 0;
  EXPECT_EQ(count, 1);
}

TEST_F(TapTest, SameConfigurationAgainKeepsAddresses) {
  Tap tap(sandbox_.name(), "n1-p0");
  ASSERT_TRUE(tap.configure(kMac, 1500));
  sandbox_.ip("addr add fd00::1/64 dev n1-p0");
  ASSERT_TRUE(tap.configure(kMac, 1500));
  ASSERT_TRUE(tap.configure(kMac, 1400));
  EXPECT_TRUE(
      KernelMirror(sandbox_.name()).addresses().contains({tap.ifindex(), addr("fd00::1"), 64}));
}

TEST_F(TapTest, BadMacIsRefusedAndTheLinkStaysUp) {
  Tap tap(sandbox_.name(), "n1-p0");
  ASSERT_TRUE(tap.configure(kMac, 1500));
  const auto refused = tap.configure(mac("01:00:5e:00:00:01"), 1500);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("n1-p0"), std::string::npos);
  EXPECT_TRUE(link("n1-p0").up);
  EXPECT_EQ(link("n1-p0").mac, kMac);
}

TEST_F(TapTest, SetsTheCarrier) {
  Tap tap(sandbox_.name(), "n1-p0");
  KernelMirror mirror(sandbox_.name());
  ASSERT_TRUE(tap.configure(kMac, 1500));
  const auto has_carrier = [&] { return mirror.links().at(tap.ifindex()).carrier; };
  EXPECT_TRUE(eventually(mirror, has_carrier));
  ASSERT_TRUE(tap.set_carrier(false));
  EXPECT_TRUE(eventually(mirror, [&] { return !has_carrier(); }));
  ASSERT_TRUE(tap.set_carrier(true));
  EXPECT_TRUE(eventually(mirror, has_carrier));
}

TEST_F(TapTest, StaysWithoutItsOwnerAndIsAdopted) {
  int ifindex = 0;
  {
    Tap tap(sandbox_.name(), "n1-p0");
    tap.keep();
    ASSERT_TRUE(tap.configure(kMac, 1400));
    ifindex = tap.ifindex();
    sandbox_.ip("addr add 10.0.0.1/24 dev n1-p0");
    sandbox_.ip("route add 20.0.0.0/8 via 10.0.0.2");
  }
  EXPECT_EQ(link("n1-p0").ifindex, ifindex);
  Tap adopted(sandbox_.name(), "n1-p0");
  ASSERT_TRUE(adopted.configure(kMac, 1400));
  EXPECT_EQ(adopted.ifindex(), ifindex);
  const KernelMirror mirror(sandbox_.name());
  EXPECT_TRUE(mirror.addresses().contains({ifindex, addr("10.0.0.1"), 24}));
  EXPECT_TRUE(mirror.routes().contains(prefix("20.0.0.0/8")));
  const KernelLink expected{ifindex, "n1-p0", true, true, 1400, kMac};
  EXPECT_EQ(mirror.links().at(ifindex), expected);
}

TEST_F(TapTest, GoesWithItsOwnerUntilKept) {
  { const Tap tap(sandbox_.name(), "n1-p0"); }
  EXPECT_EQ(link("n1-p0").ifindex, 0);
  { Tap(sandbox_.name(), "n1-p0").keep(); }
  { const Tap adopted(sandbox_.name(), "n1-p0"); }
  EXPECT_NE(link("n1-p0").ifindex, 0);
}

TEST_F(TapTest, SecondOwnerIsRefused) {
  const Tap tap(sandbox_.name(), "n1-p0");
  const std::string message = refusal("n1-p0");
  EXPECT_NE(message.find("in use"), std::string::npos) << message;
  EXPECT_NE(message.find("n1-p0"), std::string::npos) << message;
}

TEST_F(TapTest, SameNameInAnotherNamespaceIsAnotherDevice) {
  const Sandbox other;
  const Tap one(sandbox_.name(), "n1-p0");
  const Tap two(other.name(), "n1-p0");
  EXPECT_NE(one.ifindex(), 0);
  EXPECT_NE(two.ifindex(), 0);
}

TEST_F(TapTest, NameOfAnotherDeviceIsRefused) {
  sandbox_.ip("link add n1-p0 type bridge");
  sandbox_.ip("tuntap add n1-p1 mode tun");
  for (const std::string name : {"n1-p0", "n1-p1", "lo"}) {
    const std::string message = refusal(name);
    EXPECT_NE(message.find("not a TAP"), std::string::npos) << message;
  }
}

TEST_F(TapTest, BadNamesAreRefused) {
  for (const std::string& name :
       {std::string(), std::string("."), std::string(".."), std::string("a/b"), std::string("a b"),
        std::string("tap%d"), std::string("a:b"), std::string("a\0b", 3), std::string(16, 'x')}) {
    EXPECT_NE(refusal(name), "") << name;
  }
  EXPECT_EQ(refusal(std::string(15, 'x')), "");
}

TEST_F(TapTest, MissingNamespaceIsRefused) {
  EXPECT_THROW(Tap("rwt-no-such", "n1-p0"), StartupError);
}

TEST_F(TapTest, MissingDriverIsNamed) {
  // In a mount namespace of the test's own, where /dev/net is an empty directory.
  EXPECT_EXIT(
      {
        if (::unshare(CLONE_NEWNS) != 0 ||
            std::system("mount --make-rprivate / && mount -t tmpfs none /dev/net") != 0) {
          std::exit(2);
        }
        std::fputs(refusal("n1-p0").c_str(), stderr);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "/dev/net/tun.*modprobe tun");
}

// Takes one capability from this process.
bool drop_capability(unsigned capability) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2]{};
  if (::syscall(SYS_capget, &header, data) != 0) return false;
  data[CAP_TO_INDEX(capability)].effective &= ~CAP_TO_MASK(capability);
  data[CAP_TO_INDEX(capability)].permitted &= ~CAP_TO_MASK(capability);
  return ::syscall(SYS_capset, &header, data) == 0;
}

TEST_F(TapTest, WithoutPrivilegesRootIsNamed) {
  for (const unsigned missing : {CAP_NET_ADMIN, CAP_SYS_ADMIN}) {
    EXPECT_EXIT(
        {
          if (!drop_capability(missing)) std::exit(2);
          std::fputs(refusal("n1-p0").c_str(), stderr);
          std::exit(0);
        },
        testing::ExitedWithCode(0), "run as root");
  }
}

TEST_F(TapTest, IsRemoved) {
  { Tap(sandbox_.name(), "n1-p0").keep(); }
  EXPECT_NE(link("n1-p0").ifindex, 0);
  Tap::remove(sandbox_.name(), "n1-p0");
  EXPECT_EQ(link("n1-p0").ifindex, 0);
  const Tap open(sandbox_.name(), "n1-p1");
  Tap::remove(sandbox_.name(), "n1-p1");
  EXPECT_EQ(link("n1-p1").ifindex, 0);
}

TEST_F(TapTest, RemovalTouchesNothingElse) {
  sandbox_.ip("link add n1-p0 type bridge");
  Tap::remove(sandbox_.name(), "n1-p0");
  Tap::remove(sandbox_.name(), "n1-p1");
  Tap::remove(sandbox_.name(), "lo");
  EXPECT_NE(link("n1-p0").ifindex, 0);
}

// A packet socket on the device, as tcpdump and routing daemons have.
UniqueFd packet_socket(const Sandbox& sandbox, int ifindex) {
  UniqueFd fd;
  inside_namespace(sandbox.name(), [&] {
    fd = UniqueFd(::socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, 0));
    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_protocol = swap_bytes<std::uint16_t>(0x88b5);  // for experiments, so only ours
    address.sll_ifindex = ifindex;
    EXPECT_EQ(::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  });
  return fd;
}

std::vector<std::uint8_t> frame_of(std::size_t size, std::uint8_t first) {
  std::vector<std::uint8_t> frame(size);
  for (std::size_t i = 0; i < size; ++i) frame[i] = static_cast<std::uint8_t>(first + i);
  std::copy(kMac.bytes.begin(), kMac.bytes.end(), frame.begin());
  frame[6] = 2;
  store_be<std::uint16_t>(&frame[12], 0x88b5);
  return frame;
}

// The next frame of our protocol; empty after a second without one.
std::vector<std::uint8_t> read_frame(int fd, std::size_t tag = 0) {
  std::vector<std::uint8_t> frame(10000);
  for (int i = 0; i < 100; ++i) {
    const ssize_t size = ::read(fd, frame.data(), frame.size());
    if (size >= 18 && load_be<std::uint16_t>(&frame[12 + tag]) == 0x88b5) {
      frame.resize(static_cast<std::size_t>(size));
      return frame;
    }
    pollfd waiting{fd, POLLIN, 0};
    if (size < 0) ::poll(&waiting, 1, 10);
  }
  return {};
}

TEST_F(TapTest, CarriesFramesBothWays) {
  Tap tap(sandbox_.name(), "n1-p0");
  ASSERT_TRUE(tap.configure(kMac, 9000));
  KernelMirror mirror(sandbox_.name());
  ASSERT_TRUE(eventually(mirror, [&] { return mirror.links().at(tap.ifindex()).carrier; }));
  const UniqueFd kernel = packet_socket(sandbox_, tap.ifindex());
  for (const std::size_t size : {std::size_t{60}, std::size_t{1514}, std::size_t{9014}}) {
    const auto in = frame_of(size, 1), out = frame_of(size, 101);
    ASSERT_EQ(::write(tap.fd(), in.data(), in.size()), static_cast<ssize_t>(size));
    EXPECT_EQ(read_frame(kernel.get()), in);
    ASSERT_EQ(::write(kernel.get(), out.data(), out.size()), static_cast<ssize_t>(size));
    EXPECT_EQ(read_frame(tap.fd()), out);
  }
}

// 4 octets in line between the MAC addresses and the EtherType.
std::vector<std::uint8_t> tagged(std::vector<std::uint8_t> frame, std::uint16_t vlan) {
  const std::uint8_t tag[4] = {0x81, 0, static_cast<std::uint8_t>(vlan >> 8),
                               static_cast<std::uint8_t>(vlan)};
  frame.insert(frame.begin() + 12, std::begin(tag), std::end(tag));
  return frame;
}

// The kernel hands a tagged frame to the VLAN's link without its tag, and what that link sends is
// read with the tag in line.
TEST_F(TapTest, CarriesFramesOfVlansWithTheirTag) {
  if (!sandbox_.can_make_vlans()) GTEST_SKIP() << "this kernel has no links of type vlan";
  Tap tap(sandbox_.name(), "n1-p0");
  ASSERT_TRUE(tap.configure(kMac, 9216));
  sandbox_.ip("link add link n1-p0 name n1-p0.100 type vlan id 100");
  sandbox_.ip("link set n1-p0.100 up");
  KernelMirror mirror(sandbox_.name());
  const int vlan = ifindex_of(mirror, "n1-p0.100");
  ASSERT_TRUE(eventually(mirror, [&] { return mirror.links().at(vlan).carrier; }));
  EXPECT_EQ(mirror.links().at(vlan).mtu, 9216u);
  EXPECT_EQ(mirror.links().at(vlan).mac, kMac);
  const UniqueFd kernel = packet_socket(sandbox_, vlan);
  for (const std::size_t size : {std::size_t{60}, std::size_t{1514}, std::size_t{9230}}) {
    const auto in = frame_of(size, 1), out = frame_of(size, 101);
    const auto from_outside = tagged(in, 100);
    ASSERT_EQ(::write(tap.fd(), from_outside.data(), from_outside.size()),
              static_cast<ssize_t>(size + 4));
    EXPECT_EQ(read_frame(kernel.get()), in);
    ASSERT_EQ(::write(kernel.get(), out.data(), out.size()), static_cast<ssize_t>(size));
    EXPECT_EQ(read_frame(tap.fd(), 4), tagged(out, 100));
  }
}

// A node that comes back with another MAC must not cost the operator's addresses.
TEST_F(TapTest, AVlanFollowsTheMacAndKeepsItsAddresses) {
  if (!sandbox_.can_make_vlans()) GTEST_SKIP() << "this kernel has no links of type vlan";
  sandbox_.run("sysctl -q -w net.ipv6.conf.default.keep_addr_on_down=1");  // as ensure_namespace()
  Tap tap(sandbox_.name(), "n1-p0");
  ASSERT_TRUE(tap.configure(mac("02:aa:aa:aa:aa:aa"), 1500));
  sandbox_.ip("link add link n1-p0 name n1-p0.100 type vlan id 100");
  sandbox_.ip("link set n1-p0.100 up");
  sandbox_.ip("addr add fd00::1/64 dev n1-p0.100 nodad");
  sandbox_.ip("addr add 10.0.0.1/24 dev n1-p0.100");
  ASSERT_TRUE(tap.configure(kMac, 1500));
  KernelMirror mirror(sandbox_.name());
  const int vlan = ifindex_of(mirror, "n1-p0.100");
  EXPECT_TRUE(mirror.links().at(vlan).up);
  EXPECT_EQ(mirror.links().at(vlan).mac, kMac);
  EXPECT_TRUE(mirror.addresses().contains({vlan, addr("fd00::1"), 64}));
  EXPECT_TRUE(mirror.addresses().contains({vlan, addr("10.0.0.1"), 24}));
}

TEST_F(TapTest, AnswersArpForItsAddress) {
  Tap tap(sandbox_.name(), "n1-p0");
  ASSERT_TRUE(tap.configure(kMac, 1500));
  sandbox_.ip("addr add 10.0.0.1/24 dev n1-p0");
  std::array<std::uint8_t, 60> request{
      0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0,  0, 0, 0, 9, 0x08, 0x06, 0, 1, 8, 0,  6, 4, 0,
      1,    2,    0,    0,    0,    0,    9, 10, 0, 0, 2, 0, 0,    0,    0, 0, 0, 10, 0, 0, 1};
  ASSERT_EQ(::write(tap.fd(), request.data(), request.size()), 60);
  std::array<std::uint8_t, 2000> frame{};
  bool answered = false;
  for (int i = 0; i < 500 && !answered; ++i) {
    const ssize_t size = ::read(tap.fd(), frame.data(), frame.size());
    answered = size >= 42 && frame[12] == 8 && frame[13] == 6 && frame[21] == 2 &&
               std::equal(kMac.bytes.begin(), kMac.bytes.end(), frame.begin() + 22);
    if (size < 0) ::usleep(10'000);
  }
  EXPECT_TRUE(answered);
}

}  // namespace
}  // namespace rackway::control::kernel_tests
