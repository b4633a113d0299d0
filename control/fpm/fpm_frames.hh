// SPDX-License-Identifier: Apache-2.0
// The frames of FRR's Forwarding Plane Manager protocol, cut out of a stream of octets that comes
// in pieces of any size. A frame: one octet version (1), one octet type of message (1: netlink),
// two octets length, most significant first, of the whole frame with these four; then netlink
// messages, one or several, in the byte order of the machine (fpm/fpm.h of FRR). There is nothing
// in the stream to find the next frame by after one that is not well-formed. No socket. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rackway::control {

inline constexpr std::size_t kFpmHeader = 4;
inline constexpr std::size_t kMostFpmFrame = 65535;

class FpmFrames {
 public:
  // What comes next in the stream. Keeps it and at most one begun frame, once next() has given all.
  void take(std::span<const std::byte> octets);

  // The netlink messages of the next whole frame, aligned as these must be; valid until the next
  // call. Nothing: more octets are needed, or malformed().
  [[nodiscard]] std::optional<std::span<const std::byte>> next();

  // No sense can be made of the stream from here on.
  [[nodiscard]] bool malformed() const { return malformed_; }

 private:
  std::vector<std::byte> waiting_;
  std::size_t begin_ = 0;  // of what next() has not given
  std::vector<std::byte> messages_;
  bool malformed_ = false;
};

}  // namespace rackway::control
