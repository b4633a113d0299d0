// SPDX-License-Identifier: Apache-2.0
#include "node/devices.hh"

#include <net/if.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/log.hh"
#include "base/startup_error.hh"
#include "base/unique_fd.hh"
#include "node/datapath_gate.hh"
#include "node/interrupt_thread.hh"
#include "vlb/fabric_tag.hh"

namespace rackway::node {
namespace {

constexpr std::uint16_t kDescriptors = 512;

[[noreturn]] void refuse(const Place& place, const std::string& device, const std::string& why,
                         int error) {
  throw StartupError(place.name + ": " + why + ": " + rte_strerror(error < 0 ? -error : error),
                     device,
                     "check the device string in the cluster document and that its "
                     "interface exists here");
}

std::string value_of(const std::string& device, const std::string& key) {
  const auto at = device.find("," + key + "=");
  if (at == std::string::npos) return "";
  const auto begin = at + key.size() + 2;
  return device.substr(begin, device.find(',', begin) - begin);
}

bool is_memif_client(const std::string& device) {
  return device.starts_with("net_memif") && value_of(device, "role") != "server";
}

// A server's socket file that a killed node left behind keeps the new one from listening.
void prepare_memif(const std::string& device) {
  const std::filesystem::path socket = value_of(device, "socket");
  if (!device.starts_with("net_memif") || socket.empty()) return;
  std::error_code ignored;
  std::filesystem::create_directories(socket.parent_path(), ignored);
  if (!is_memif_client(device)) std::filesystem::remove(socket, ignored);
}

void configure(Place& place, const std::string& device, rte_mempool* pool) {
  const rte_eth_conf configuration{};
  const int socket = rte_eth_dev_socket_id(place.device);
  int error = rte_eth_dev_configure(place.device, 1, 1, &configuration);
  if (error != 0) refuse(place, device, "can not configure", error);
  error = rte_eth_rx_queue_setup(place.device, 0, kDescriptors, static_cast<unsigned>(socket),
                                 nullptr, pool);
  if (error != 0) refuse(place, device, "can not set up receiving", error);
  error =
      rte_eth_tx_queue_setup(place.device, 0, kDescriptors, static_cast<unsigned>(socket), nullptr);
  if (error != 0) refuse(place, device, "can not set up sending", error);
}

// Drivers that copy frames do so through buffers whose size is in the device string.
void check_room(const std::string& place, const std::string& device, std::uint16_t mtu) {
  constexpr std::uint32_t kFrame = RTE_ETHER_HDR_LEN + RTE_VLAN_HLEN + RTE_ETHER_CRC_LEN;
  constexpr std::uint32_t kKernelHeader = 66;  // tpacket2_hdr, sockaddr_ll, alignment
  const bool memif = device.starts_with("net_memif");
  if (!memif && !device.starts_with("net_af_packet")) return;
  const std::string key = memif ? "bsize" : "framesz";
  const std::string given = value_of(device, key);
  const std::uint32_t size = given.empty() ? 2048 : std::strtoul(given.c_str(), nullptr, 10);
  const std::uint32_t needed = mtu + kFrame + (memif ? 0 : kKernelHeader);
  if (size >= needed) return;
  throw StartupError(place + ": can not take MTU " + std::to_string(mtu) + ": " + key + " is " +
                         std::to_string(size),
                     device, "give it a " + key + " of " + std::to_string(needed) + " or more");
}

// The driver's library says that af_packet takes no more than 1500, whatever framesz is.
bool set_interface_mtu(const std::string& device, std::uint16_t mtu) {
  const auto interface = value_of(device, "iface");
  if (!device.starts_with("net_af_packet") || interface.size() >= IFNAMSIZ) return false;
  const UniqueFd fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  interface.copy(request.ifr_name, IFNAMSIZ - 1);
  request.ifr_mtu = mtu;
  return fd && ::ioctl(fd.get(), SIOCSIFMTU, &request) == 0;
}

void set_mtu(Place& place, std::uint16_t mtu, const std::string& device) {
  std::uint16_t present = 0;
  place.mtu = mtu;
  if (rte_eth_dev_get_mtu(place.device, &present) == 0 && present == mtu) return;
  const int error = rte_eth_dev_set_mtu(place.device, mtu);
  if (error == -EINVAL && set_interface_mtu(device, mtu)) return;
  if (error != 0 && error != -ENOTSUP) {
    refuse(place, device, "can not set MTU " + std::to_string(mtu), error);
  }
}

std::unique_ptr<Place> make_place(std::string name, const std::string& device, std::uint16_t mtu,
                                  rte_mempool* pool) {
  check_room(name, device, mtu);
  auto place = std::make_unique<Place>();
  place->name = std::move(name);
  prepare_memif(device);
  if (const int error = rte_dev_probe(device.c_str()); error != 0) {
    refuse(*place, device, "can not open", error);
  }
  const auto bus_name = device.substr(0, device.find(','));
  if (const int error = rte_eth_dev_get_port_by_name(bus_name.c_str(), &place->device);
      error != 0) {
    refuse(*place, device, "is not an Ethernet device", error);
  }
  configure(*place, device, pool);
  set_mtu(*place, mtu, device);
  return place;
}

void read_mac(Place& place, const std::string& device) {
  rte_ether_addr mac;
  if (const int error = rte_eth_macaddr_get(place.device, &mac); error != 0) {
    refuse(place, device, "has no MAC address", error);
  }
  std::memcpy(place.mac.bytes.data(), mac.addr_bytes, 6);
  if (vlb::is_fabric_address(place.mac) || place.mac.is_multicast() || place.mac.is_zero()) {
    throw StartupError(place.name + ": MAC address " + place.mac.to_string() +
                           " can not be that of an external port",
                       device, "give the interface one that does not begin with d2 or d6");
  }
}

std::unique_ptr<Place> make_port(const cluster::PortSetup& setup, rte_mempool* pool) {
  auto port = make_place("port " + setup.name, setup.device, setup.mtu, pool);
  port->urpf = setup.urpf;
  read_mac(*port, setup.device);
  // The MAC filter of a NIC lets group addresses of neighbour discovery and routing protocols pass
  // only if told to; not every driver can be.
  rte_eth_allmulticast_enable(port->device);
  if (const int error = rte_eth_dev_start(port->device); error != 0) {
    refuse(*port, setup.device, "can not start", error);
  }
  port->usable.store(true, std::memory_order_release);
  return port;
}

// On the interrupt thread, as everything that connects or disconnects a link.
void start_link(Place& link) {
  if (rte_eth_dev_start(link.device) != 0) return;  // the peer is not there yet
  rte_eth_promiscuous_enable(link.device);          // tags are not the port's own address
  link.usable.store(true, std::memory_order_release);
}

void stop_device(Place& place) {
  if (place.usable.exchange(false, std::memory_order_acq_rel)) rte_eth_dev_stop(place.device);
}

}  // namespace

void make_places(Places& places, const cluster::Welcome& welcome, const topo::FabricTable& table,
                 rte_mempool* pool) {
  for (const auto& setup : welcome.ports) places.outputs.push_back(make_port(setup, pool));
  places.ports = welcome.ports.size();
  for (std::size_t i = 0; i < table.local_links().size(); ++i) {
    const auto peer = table.local_links()[i].peer;
    places.outputs.push_back(make_place("fabric " + welcome.node_names[peer.value],
                                        welcome.link_devices[i], welcome.fabric_mtu, pool));
    places.outputs.back()->connects = is_memif_client(welcome.link_devices[i]);
    run_on_interrupt_thread([&] { start_link(*places.outputs.back()); });
  }
  places.controller.name = "inject";
  places.generated.name = "generated";
}

bool link_up(const Place& place) {
  rte_eth_link state{};
  return place.usable.load(std::memory_order_acquire) &&
         rte_eth_link_get_nowait(place.device, &state) == 0 && state.link_status == RTE_ETH_LINK_UP;
}

void revive_links(Places& places, std::uint64_t now_ms) {
  constexpr std::uint64_t kHandshakeMs = 1000;
  for (std::size_t i = 0; i < places.links(); ++i) {
    auto& link = places.link(i);
    if (link_up(link) || !link.connects) continue;
    const bool started = link.usable.load(std::memory_order_acquire);
    if (started && now_ms < link.started_ms + kHandshakeMs) continue;
    run_on_interrupt_thread([&] {
      const DatapathHold hold;
      stop_device(link);
      start_link(link);
    });
    link.started_ms = now_ms;
  }
}

void close_devices(Places& places) {
  run_on_interrupt_thread([&] {
    const DatapathHold hold;
    for (auto& place : places.outputs) {
      stop_device(*place);
      rte_eth_dev_close(place->device);
    }
  });
}

}  // namespace rackway::node
