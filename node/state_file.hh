// SPDX-License-Identifier: Apache-2.0
// What a node needs to forward without a controller, in one file: what the controller told it of
// the cluster, and its FIB. docs/state_file.md has the bytes. Written so that a crash leaves the
// old file or the new one; read only if every octet is as it was written, by the node that it is
// of. One writer per file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.hh"
#include "cluster/messages.hh"
#include "fib/fib.hh"

namespace rackway::node {

inline constexpr std::uint16_t kStateVersion = 1;

// What the controller last told of everything but the FIB.
struct Orders {
  cluster::Welcome welcome;
  cluster::VlbSettings settings;
  cluster::LinksDown links_down;
  bool operator==(const Orders&) const = default;
};

struct State {
  std::uint64_t boot_id{};  // of the run of the node that wrote it
  Epoch epoch;
  Orders orders;
  fib::Delta content;  // of the FIB; an empty one accepts it
};

// All of the file but the FIB, which follows it as fib::encode_snapshot() makes it.
[[nodiscard]] std::string encode_state_head(const std::string& node, std::uint64_t boot_id,
                                            Epoch epoch, const Orders& orders);

// Errors name the path.
[[nodiscard]] Result<State> read_state(const std::filesystem::path& path, const std::string& node);

}  // namespace rackway::node
