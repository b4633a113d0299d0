// SPDX-License-Identifier: Apache-2.0
// The checksum at the end of files: XXH3, 128 bits, seed 0, high half first. It finds damage, not
// malice.
#pragma once

#include <string>
#include <string_view>

namespace rackway::fib {

inline constexpr std::size_t kChecksumSize = 16;

[[nodiscard]] std::string checksum_of(std::string_view bytes);

}  // namespace rackway::fib
