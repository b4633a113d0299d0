// SPDX-License-Identifier: Apache-2.0
// Bounded reading of netlink attributes: each as its type and the bytes of its payload, never more
// than the enclosing bytes hold. Every reader says whether the payload had the right size. Pure.
#pragma once

#include <libmnl/libmnl.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>

#include "base/ip_address.hh"

namespace rackway::control {

using Bytes = std::span<const std::byte>;

// The fixed struct that bytes begin with.
template <class Struct>
[[nodiscard]] std::optional<Struct> read_struct(Bytes bytes) {
  if (bytes.size() < sizeof(Struct)) return std::nullopt;
  Struct value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

struct Attribute {
  std::uint16_t type{};
  Bytes payload;

  template <class Integer>
  [[nodiscard]] bool read(Integer& into) const {
    if (payload.size() != sizeof(Integer)) return false;
    std::memcpy(&into, payload.data(), sizeof into);
    return true;
  }
  // A zero-terminated text of fewer than limit characters.
  [[nodiscard]] bool read(std::string& into, std::size_t limit) const {
    const auto* text = reinterpret_cast<const char*>(payload.data());
    const std::size_t length = ::strnlen(text, payload.size());
    if (length == payload.size() || length >= limit) return false;
    into.assign(text, length);
    return true;
  }
  [[nodiscard]] bool read(std::optional<IpAddress>& into, Family family) const {
    if (payload.size() != static_cast<std::size_t>(address_bits(family)) / 8) return false;
    into = IpAddress::from_bytes(payload.data(), payload.size());
    return true;
  }
};

// Calls visit (which returns false for a malformed one) with each attribute; false when visit said
// so or when the bytes do not end where an attribute ends.
template <class Visit>
[[nodiscard]] bool for_each_attribute(Bytes bytes, Visit visit) {
  while (!bytes.empty()) {
    const auto* attribute = reinterpret_cast<const nlattr*>(bytes.data());
    if (!mnl_attr_ok(attribute, static_cast<int>(bytes.size()))) return false;
    const std::size_t size = mnl_attr_get_payload_len(attribute);
    if (!visit(Attribute{mnl_attr_get_type(attribute), bytes.subspan(MNL_ATTR_HDRLEN, size)})) {
      return false;
    }
    const std::size_t step = MNL_ALIGN(mnl_attr_get_len(attribute));
    bytes = bytes.subspan(step < bytes.size() ? step : bytes.size());
  }
  return true;
}

}  // namespace rackway::control
