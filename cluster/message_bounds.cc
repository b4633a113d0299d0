// SPDX-License-Identifier: Apache-2.0
#include "cluster/message_bounds.hh"

#include <algorithm>
#include <array>
#include <type_traits>
#include <variant>

#include "cluster/messages.hh"

namespace rackway::cluster {
namespace {

// A type's octet on the wire.
template <class Type, std::size_t Index = 0>
constexpr char number_of() {
  if constexpr (std::is_same_v<Type, std::variant_alternative_t<Index, Message>>) {
    return static_cast<char>(Index + 1);
  } else {
    return number_of<Type, Index + 1>();
  }
}

constexpr std::array kWithRecords{number_of<NodeSnapshot>(), number_of<Prepare>(),
                                  number_of<PrepareSnapshot>()};

}  // namespace

bool is_hello(std::string_view message) {
  return !message.empty() && message.front() == number_of<Hello>();
}

bool is_oversized(std::string_view message) {
  if (message.size() <= kMaxPlainMessageBytes) return false;
  const bool has_records = std::ranges::count(kWithRecords, message.front()) > 0;
  return !has_records || message.size() > kMaxMessageBytes;
}

bool has_room(std::string_view batch) {
  return batch.size() + kFrameHeaderBytes + kMaxFrameBytes <= kMaxBatchBytes;
}

}  // namespace rackway::cluster
