// SPDX-License-Identifier: Apache-2.0
// Which keys are whose: a folder of the controller with a file for each node, named after it, of
// lines `allowed KEY` and `revoked KEY` (docs/keys.md). A file is replaced as a whole and the
// folder is locked meanwhile, so that a reader sees no half and two writers lose nothing.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hh"
#include "cluster/key.hh"

namespace rackway::cluster {

struct AllowList {
  std::map<PublicKey, std::string> allowed, revoked;  // to the node's name
  // What is wrong with single files; their nodes have no keys then. A key of two nodes is
  // neither's.
  std::vector<std::string> faults;
  bool operator==(const AllowList&) const = default;
};

// An error when there is no such folder, or others than its owner could write to it.
[[nodiscard]] Result<AllowList> read_allow_list(const std::filesystem::path& folder);

// Changes whenever the folder may read differently.
[[nodiscard]] std::string state_of_allow_list(const std::filesystem::path& folder);

// One key more for a node; the folder is made if need be. Refused when it is another node's.
[[nodiscard]] Result<void> allow_key(const std::filesystem::path& folder, const std::string& node,
                                     const PublicKey& key);

// That key of the node, or all. An error when it has none such.
[[nodiscard]] Result<void> revoke_keys(const std::filesystem::path& folder, const std::string& node,
                                       const std::optional<PublicKey>& key);

}  // namespace rackway::cluster
