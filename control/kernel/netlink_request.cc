// SPDX-License-Identifier: Apache-2.0
#include "control/kernel/netlink_request.hh"

#include <cstring>
#include <stdexcept>

namespace rackway::control {
namespace {

void demand(bool fits) {
  if (!fits) throw std::length_error("a netlink request is larger than its buffer");
}

}  // namespace

NetlinkRequest& NetlinkRequest::put(std::uint16_t attribute, const void* bytes, std::size_t size) {
  demand(mnl_attr_put_check(message_, kCapacity, attribute, size, bytes));
  return *this;
}

NetlinkRequest& NetlinkRequest::put(std::uint16_t attribute, std::uint32_t value) {
  return put(attribute, &value, sizeof value);
}

NetlinkRequest& NetlinkRequest::put(std::uint16_t attribute, const std::string& text) {
  return put(attribute, text.c_str(), text.size() + 1);
}

NetlinkRequest& NetlinkRequest::put(std::uint16_t attribute, const IpAddress& address) {
  return put(attribute, address.data(), address.size());
}

nlattr* NetlinkRequest::begin_nest(std::uint16_t attribute) {
  nlattr* nest = mnl_attr_nest_start_check(message_, kCapacity, attribute);
  demand(nest != nullptr);
  return nest;
}

void NetlinkRequest::end_nest(nlattr* nest) {
  mnl_attr_nest_end(message_, nest);
}

void* NetlinkRequest::append_bytes(const void* bytes, std::size_t size) {
  const std::size_t padded = MNL_ALIGN(size);
  demand(message_->nlmsg_len + padded <= kCapacity);
  void* at = buffer_.data() + message_->nlmsg_len;
  std::memcpy(at, bytes, size);
  message_->nlmsg_len += static_cast<std::uint32_t>(padded);
  return at;
}

}  // namespace rackway::control
