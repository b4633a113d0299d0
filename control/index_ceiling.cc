// SPDX-License-Identifier: Apache-2.0
#include "control/index_ceiling.hh"

#include <fstream>
#include <string>
#include <utility>

#include "base/log.hh"
#include "base/startup_error.hh"
#include "fib/file_replacement.hh"

namespace rackway::control {
namespace {

constexpr std::uint32_t kBlock = 1024;

}  // namespace

IndexCeiling::IndexCeiling(std::filesystem::path file) : file_(std::move(file)) {
  if (!std::filesystem::exists(file_)) return;
  std::ifstream in(file_);
  std::uint32_t value = 0;
  std::string rest;
  if (!(in >> value) || value > kMaxAdjacencies || in >> rest) {
    throw StartupError("does not hold the number of adjacency indices in use", file_.string(),
                       "remove the file while all nodes of the cluster are up");
  }
  before_ = recorded_ = value;
}

bool IndexCeiling::cover(AdjacencyId index) {
  if (file_.empty() || index.value < recorded_) return true;
  const std::uint32_t next = (index.value / kBlock + 1) * kBlock;
  const auto written = fib::replace_file(file_, std::to_string(next) + "\n");
  if (!written && !failing_) {
    log::error("new neighbours have to wait: {}", written.error().message);
  }
  failing_ = !written;
  if (written) recorded_ = next;
  return !failing_;
}

}  // namespace rackway::control
