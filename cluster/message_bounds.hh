// SPDX-License-Identifier: Apache-2.0
// How large what comes by the channels may be; beside messages.hh, which has what is in it.
#pragma once

#include <cstddef>
#include <string_view>

namespace rackway::cluster {

// Of a message without records; kMaxMessageBytes is for those with records of millions of routes.
inline constexpr std::size_t kMaxPlainMessageBytes = 4u << 20;
// Of a batch of frames: more than 100 of the largest.
inline constexpr std::size_t kMaxBatchBytes = 1u << 20;
inline constexpr std::size_t kFrameHeaderBytes = 5;  // of each frame in a batch

// Whether a message has more bytes than one of its type may; decode() refuses it then.
[[nodiscard]] bool is_oversized(std::string_view message);
// Whether it says that it is a Hello, without a look at the rest.
[[nodiscard]] bool is_hello(std::string_view message);
// Whether a batch has room for one more frame of any size.
[[nodiscard]] bool has_room(std::string_view batch);

}  // namespace rackway::cluster
