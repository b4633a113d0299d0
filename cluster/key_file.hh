// SPDX-License-Identifier: Apache-2.0
// Keys in files (docs/keys.md). A key file has both halves and is its owner's alone: one that
// others could read, or that root or the user does not own, is refused. What has only a public
// half may be read by anybody. The errors name the file and what to do, and no secret.
#pragma once

#include <filesystem>

#include "base/result.hh"
#include "cluster/key.hh"

namespace rackway::cluster {

[[nodiscard]] Result<KeyPair> read_key_file(const std::filesystem::path& file);

// A new file of mode 0600. One that exists is not touched.
[[nodiscard]] Result<void> write_key_file(const std::filesystem::path& file, const KeyPair& pair);

// A file with nothing but a public key, as `rackway key show` prints it.
[[nodiscard]] Result<PublicKey> read_public_key_file(const std::filesystem::path& file);

}  // namespace rackway::cluster
