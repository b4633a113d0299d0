// SPDX-License-Identifier: Apache-2.0
#include "control/fpm/fpm_frames.hh"

namespace rackway::control {
namespace {

constexpr std::byte kVersion{1}, kNetlink{1};

}  // namespace

void FpmFrames::take(std::span<const std::byte> octets) {
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(begin_));
  begin_ = 0;
  waiting_.insert(waiting_.end(), octets.begin(), octets.end());
}

std::optional<std::span<const std::byte>> FpmFrames::next() {
  const auto rest = std::span<const std::byte>(waiting_).subspan(begin_);
  if (malformed_ || rest.size() < kFpmHeader) return std::nullopt;
  const auto length =
      std::to_integer<std::size_t>(rest[2]) << 8 | std::to_integer<std::size_t>(rest[3]);
  malformed_ = rest[0] != kVersion || rest[1] != kNetlink || length < kFpmHeader;
  if (malformed_ || rest.size() < length) return std::nullopt;
  begin_ += length;
  const auto messages = rest.first(length).subspan(kFpmHeader);
  messages_.assign(messages.begin(), messages.end());
  return messages_;
}

}  // namespace rackway::control
