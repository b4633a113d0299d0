// SPDX-License-Identifier: Apache-2.0
#include "topo/endpoint.hh"

#include <sys/un.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "base/ip_address.hh"

namespace rackway::topo {
namespace {

constexpr std::size_t kMaxHostSize = 253;  // octets of a DNS name in text form
constexpr std::size_t kMaxPathSize = sizeof(sockaddr_un::sun_path) - 1;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_host_character(char c) {
  return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' || c == '-' ||
         c == '_';
}

bool is_port(std::string_view digits) {
  std::uint16_t port = 0;
  const auto* last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, port);
  return error == std::errc{} && end == last && port != 0;
}

bool is_ipv6_in_brackets(std::string_view host) {
  if (host.size() < 2 || host.front() != '[' || host.back() != ']') return false;
  const auto address = IpAddress::parse(host.substr(1, host.size() - 2));
  return address && !address->is_v4();
}

bool is_host(std::string_view host) {
  if (host == "*" || is_ipv6_in_brackets(host)) return true;
  if (host.empty() || host.size() > kMaxHostSize) return false;
  if (!std::all_of(host.begin(), host.end(), is_host_character)) return false;
  const bool is_numeric =
      std::all_of(host.begin(), host.end(), [](char c) { return is_digit(c) || c == '.'; });
  return !is_numeric || IpAddress::parse(host).has_value();
}

std::optional<std::string> tcp_fault(std::string_view address) {
  const auto colon = address.rfind(':');
  if (colon == std::string_view::npos) return "it has no port";
  if (!is_host(address.substr(0, colon))) return "its host is not a name or an address";
  if (!is_port(address.substr(colon + 1))) return "its port is not 1 to 65535";
  return std::nullopt;
}

std::optional<std::string> ipc_fault(std::string_view path) {
  if (path.size() < 2 || path.front() != '/' || path.back() == '/') {
    return "its path is not that of a file from / on";
  }
  if (path.size() > kMaxPathSize) {
    return "its path has over " + std::to_string(kMaxPathSize) + " octets";
  }
  if (std::any_of(path.begin(), path.end(), [](char c) { return c <= 0x20 || c > 0x7e; })) {
    return "its path has a blank or a character that is not printable ASCII";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> endpoint_fault(std::string_view endpoint) {
  constexpr std::size_t kSchemeSize = 6;
  if (endpoint.starts_with("tcp://")) return tcp_fault(endpoint.substr(kSchemeSize));
  if (endpoint.starts_with("ipc://")) return ipc_fault(endpoint.substr(kSchemeSize));
  return "it does not begin with tcp:// or ipc://";
}

bool is_private_endpoint(std::string_view endpoint) {
  return endpoint.starts_with("ipc://");
}

}  // namespace rackway::topo
