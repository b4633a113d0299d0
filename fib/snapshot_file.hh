// SPDX-License-Identifier: Apache-2.0
// The content of a FIB in a file: docs/snapshot_file.md. Written so that a crash leaves the old
// file or the new one (fib/file_replacement.hh); read only if every octet is as it was written.
// Either needs memory in proportion to the file. One writer per path; any number of readers at any
// time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hh"
#include "fib/fib.hh"

namespace rackway::fib {

inline constexpr std::uint16_t kSnapshotVersion = 2;

// The octets of the file. The content is as Fib::snapshot() gives it, and has that digest.
[[nodiscard]] std::string encode_snapshot(const Delta& content, const Digest& digest);
[[nodiscard]] Result<Delta> decode_snapshot(std::string_view bytes);

// Errors name the path.
[[nodiscard]] Result<void> write_snapshot(const Fib& fib, const std::filesystem::path& path);

// As Fib::snapshot() gave it. An empty Fib accepts it and then has the digest of the one written.
[[nodiscard]] Result<Delta> read_snapshot(const std::filesystem::path& path);

}  // namespace rackway::fib
