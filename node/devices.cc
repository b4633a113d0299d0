// SPDX-License-Identifier: Apache-2.0
#include "node/devices.hh"

#include <net/if.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
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

bool is_memif(const std::string& device) {
  return device.starts_with("net_memif");
}

bool is_memif_client(const std::string& device) {
  return is_memif(device) && value_of(device, "role") != "server";
}

bool is_af_packet(const std::string& device) {
  return device.starts_with("net_af_packet");
}

// As many queues as there are cores, if the document says nothing else.
std::string with_queues(const std::string& device, std::size_t cores) {
  if (!is_af_packet(device) || cores == 1 || !value_of(device, "qpairs").empty()) return device;
  return device + ",qpairs=" + std::to_string(cores);
}

// A server's socket file that a killed node left behind keeps the new one from listening.
void prepare_memif(const std::string& device) {
  const std::filesystem::path socket = value_of(device, "socket");
  if (!is_memif(device) || socket.empty()) return;
  std::error_code ignored;
  std::filesystem::create_directories(socket.parent_path(), ignored);
  if (!is_memif_client(device)) std::filesystem::remove(socket, ignored);
}

// How a device is to be opened: for so many cores, and with so many queues where both ends of a
// link have to have the same.
struct Setup {
  std::string device;
  std::uint16_t mtu;
  std::uint16_t cores;
  std::uint16_t link_queues;
};

struct Queues {
  std::uint16_t receive, send;
};

// See docs/adr/0011-several-cores.md.
Queues queues_of(const Place& place, const Setup& setup, const rte_eth_dev_info& info) {
  Queues queues{std::min(setup.cores, info.max_rx_queues), setup.cores};
  if (is_memif(setup.device)) queues = {setup.link_queues, setup.link_queues};
  // The kernel spreads over all that there are.
  if (is_af_packet(setup.device)) queues.receive = info.max_rx_queues;
  if (queues.send <= info.max_tx_queues) return queues;
  throw StartupError(place.name + ": " + std::to_string(setup.cores) +
                         " cores need a queue each to send by, there are " +
                         std::to_string(info.max_tx_queues),
                     setup.device, "start with fewer --cores, or give the device more queues");
}

// A device that can spreads flows over its queues.
rte_eth_conf configuration_of(const Queues& queues, const rte_eth_dev_info& info) {
  constexpr std::uint64_t kFlows =
      RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_SCTP;
  rte_eth_conf configuration{};
  const std::uint64_t flows = kFlows & info.flow_type_rss_offloads;
  if (queues.receive == 1 || flows == 0) return configuration;
  configuration.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
  configuration.rx_adv_conf.rss_conf.rss_hf = flows;
  return configuration;
}

void configure(Place& place, const Setup& setup, rte_mempool* pool) {
  const auto& device = setup.device;
  rte_eth_dev_info info{};
  int error = rte_eth_dev_info_get(place.device, &info);
  if (error != 0) refuse(place, device, "does not say what it can", error);
  const auto queues = queues_of(place, setup, info);
  const auto configuration = configuration_of(queues, info);
  error = rte_eth_dev_configure(place.device, queues.receive, queues.send, &configuration);
  if (error != 0) refuse(place, device, "can not configure", error);
  const auto socket = static_cast<unsigned>(rte_eth_dev_socket_id(place.device));
  for (std::uint16_t i = 0; i < queues.receive; ++i) {
    error = rte_eth_rx_queue_setup(place.device, i, kDescriptors, socket, nullptr, pool);
    if (error != 0) refuse(place, device, "can not set up receiving", error);
  }
  for (std::uint16_t i = 0; i < queues.send; ++i) {
    error = rte_eth_tx_queue_setup(place.device, i, kDescriptors, socket, nullptr);
    if (error != 0) refuse(place, device, "can not set up sending", error);
  }
  place.receive_queues = queues.receive;
}

// Drivers that copy frames do so through buffers whose size is in the device string.
void check_room(const std::string& place, const std::string& device, std::uint16_t mtu) {
  constexpr std::uint32_t kFrame = RTE_ETHER_HDR_LEN + RTE_VLAN_HLEN + RTE_ETHER_CRC_LEN;
  constexpr std::uint32_t kKernelHeader = 66;  // tpacket2_hdr, sockaddr_ll, alignment
  const bool memif = is_memif(device);
  if (!memif && !is_af_packet(device)) return;
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
  if (!is_af_packet(device) || interface.size() >= IFNAMSIZ) return false;
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

std::unique_ptr<Place> make_place(std::string name, const Setup& setup, rte_mempool* pool) {
  const auto& device = setup.device;
  check_room(name, device, setup.mtu);
  auto place = std::make_unique<Place>(setup.cores);
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
  configure(*place, setup, pool);
  set_mtu(*place, setup.mtu, device);
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

std::unique_ptr<Place> make_port(const cluster::PortSetup& setup, std::uint16_t cores,
                                 rte_mempool* pool) {
  auto port = make_place("port " + setup.name,
                         {with_queues(setup.device, cores), setup.mtu, cores, cores}, pool);
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
  const auto cores = static_cast<std::uint16_t>(places.cores);
  for (const auto& setup : welcome.ports) places.outputs.push_back(make_port(setup, cores, pool));
  places.ports = welcome.ports.size();
  for (std::size_t i = 0; i < table.local_links().size(); ++i) {
    const auto peer = table.local_links()[i].peer;
    places.outputs.push_back(make_place("fabric " + welcome.node_names[peer.value],
                                        {with_queues(welcome.link_devices[i], cores),
                                         welcome.fabric_mtu, cores, welcome.fabric_queues},
                                        pool));
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
