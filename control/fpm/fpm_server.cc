// SPDX-License-Identifier: Apache-2.0
#include "control/fpm/fpm_server.hh"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/startup_error.hh"
#include "control/kernel/network_namespace.hh"

namespace rackway::control {
namespace {

constexpr std::size_t kRead = 256 * 1024;
constexpr int kReadsPerCall = 16;
constexpr int kBacklog = 4;

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size{};
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

SocketAddress socket_address(const topo::FpmConfig& config) {
  SocketAddress address;
  if (config.address.is_v4()) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(config.port);
    std::memcpy(&in.sin_addr, config.address.data(), sizeof in.sin_addr);
    std::memcpy(&address.storage, &in, sizeof in);
    address.size = sizeof in;
  } else {
    sockaddr_in6 in{};
    in.sin6_family = AF_INET6;
    in.sin6_port = htons(config.port);
    std::memcpy(&in.sin6_addr, config.address.data(), sizeof in.sin6_addr);
    std::memcpy(&address.storage, &in, sizeof in);
    address.size = sizeof in;
  }
  return address;
}

std::string place_of(const topo::FpmConfig& config) {
  return config.address.to_string() + " port " + std::to_string(config.port);
}

UniqueFd open_listening(const topo::FpmConfig& config) {
  const auto address = socket_address(config);
  UniqueFd fd(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int yes = 1;
  const bool listens =
      fd && ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
      ::bind(fd.get(), address.get(), address.size) == 0 && ::listen(fd.get(), kBacklog) == 0;
  if (listens) return fd;
  throw StartupError(std::string("can not listen for zebra: ") + std::strerror(errno),
                     place_of(config), "choose another controller.fpm, or stop who has it");
}

bool watch(const UniqueFd& poll, const UniqueFd& fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  return ::epoll_ctl(poll.get(), EPOLL_CTL_ADD, fd.get(), &event) == 0;
}

}  // namespace

FpmServer::FpmServer(const std::string& network_namespace, const topo::FpmConfig& config)
    : poll_(::epoll_create1(EPOLL_CLOEXEC)) {
  inside_namespace(network_namespace, [&] { listening_ = open_listening(config); });
  if (poll_ && watch(poll_, listening_)) return;
  throw StartupError(std::string("can not wait for zebra: ") + std::strerror(errno),
                     place_of(config), "check limits and permissions of this program");
}

std::uint16_t FpmServer::port() const {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (::getsockname(listening_.get(), reinterpret_cast<sockaddr*>(&storage), &size) != 0) return 0;
  sockaddr_in in{};  // the port is at the same place in both families
  std::memcpy(&in, &storage, sizeof in);
  return ntohs(in.sin_port);
}

void FpmServer::serve(Receiver& receiver) {
  accept(receiver);
  for (int i = 0; i < kReadsPerCall && connection_; ++i) {
    const auto before = counters_.octets;
    read(receiver);
    if (counters_.octets == before) return;
  }
}

void FpmServer::accept(Receiver& receiver) {
  for (;;) {
    UniqueFd fd(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd) return;
    const int yes = 1;
    (void)::setsockopt(fd.get(), SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    if (connection_) end("another connection takes its place", receiver);
    if (!watch(poll_, fd)) return;
    connection_ = std::move(fd);
    frames_ = {};
    ++counters_.connections;
    receiver.connected();
  }
}

void FpmServer::read(Receiver& receiver) {
  static thread_local std::array<std::byte, kRead> octets;
  const auto size = ::recv(connection_.get(), octets.data(), octets.size(), MSG_DONTWAIT);
  if (size > 0) {
    take(std::span(octets).first(static_cast<std::size_t>(size)), receiver);
  } else if (size == 0) {
    end("zebra has closed it", receiver);
  } else if (errno != EAGAIN && errno != EINTR) {
    end(std::strerror(errno), receiver);
  }
}

void FpmServer::take(std::span<const std::byte> octets, Receiver& receiver) {
  counters_.octets += octets.size();
  frames_.take(octets);
  while (const auto messages = frames_.next()) {
    ++counters_.frames;
    receiver.frame(*messages);
  }
  if (!frames_.malformed()) return;
  ++counters_.malformed;
  end("what it says is not well-formed", receiver);
}

void FpmServer::end(const std::string& why, Receiver& receiver) {
  connection_ = UniqueFd();
  receiver.ended(why);
}

}  // namespace rackway::control
