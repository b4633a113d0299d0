// SPDX-License-Identifier: Apache-2.0
#include "base/wire.hh"

#include <algorithm>

namespace rackway {

void WireWriter::text(std::string_view value) {
  value = value.substr(0, std::min<std::size_t>(value.size(), 0xffff));
  number(static_cast<std::uint16_t>(value.size()));
  bytes(value);
}

bool WireReader::flag() {
  const auto value = number<std::uint8_t>();
  if (value > 1) fail();
  return value == 1;
}

std::string_view WireReader::bytes(std::size_t size) {
  if (!ok_ || size > in_.size()) {
    fail();
    in_ = {};
    return {};
  }
  const auto raw = in_.substr(0, size);
  in_.remove_prefix(size);
  return raw;
}

std::string WireReader::text() {
  const auto size = number<std::uint16_t>();
  return std::string(bytes(size));
}

std::size_t WireReader::count(std::size_t least, std::size_t most) {
  const std::size_t elements = number<std::uint32_t>();
  if (elements > most || elements * least > in_.size()) {
    fail();
    return 0;
  }
  return elements;
}

}  // namespace rackway
