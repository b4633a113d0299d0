// SPDX-License-Identifier: Apache-2.0
// Builds one rtnetlink request in a buffer of its own: the header of its kind, then attributes.
// Every request of this folder has a bounded size; one that does not fit is a bug of the caller.
// Not thread-safe.
#pragma once

#include <libmnl/libmnl.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/ip_address.hh"

namespace rackway::control {

class NetlinkRequest {
 public:
  static constexpr std::size_t kCapacity = 8192;  // 64 IPv6 next hops are 1,800 octets

  // type is RTM_*, flags are NLM_F_* (NLM_F_REQUEST is set anyway). Header is the fixed part of
  // that type (ifinfomsg, rtmsg, ...).
  template <class Header>
  NetlinkRequest(std::uint16_t type, std::uint16_t flags, const Header& header) {
    message_->nlmsg_type = type;
    message_->nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | flags);
    append(header);
  }
  NetlinkRequest(const NetlinkRequest&) = delete;
  NetlinkRequest& operator=(const NetlinkRequest&) = delete;

  NetlinkRequest& put(std::uint16_t attribute, const void* bytes, std::size_t size);
  NetlinkRequest& put(std::uint16_t attribute, std::uint32_t value);
  NetlinkRequest& put(std::uint16_t attribute, const std::string& text);  // zero-terminated
  NetlinkRequest& put(std::uint16_t attribute, const IpAddress& address);
  // A struct between attributes, e.g. rtnexthop; its place, for the caller to fill in a length.
  template <class Struct>
  Struct* append(const Struct& value) {
    return static_cast<Struct*>(append_bytes(&value, sizeof value));
  }
  // What is put until end_nest() is inside of the attribute.
  nlattr* begin_nest(std::uint16_t attribute);
  void end_nest(nlattr* nest);

  [[nodiscard]] std::size_t size() const { return message_->nlmsg_len; }
  [[nodiscard]] nlmsghdr* header() const { return message_; }

 private:
  void* append_bytes(const void* bytes, std::size_t size);

  alignas(8) std::array<char, kCapacity> buffer_{};
  nlmsghdr* message_ = mnl_nlmsg_put_header(buffer_.data());
};

}  // namespace rackway::control
