// SPDX-License-Identifier: Apache-2.0
// Reads files that somebody else may have put there, or cut: only regular ones, never waiting, and
// never taking memory for more than the file holds. Any thread. Errors do not name the path.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "base/result.hh"
#include "base/unique_fd.hh"

namespace rackway::fib {

class RegularFile {
 public:
  [[nodiscard]] static Result<RegularFile> open(const std::filesystem::path& path);

  // From the beginning; less than `size` where the file ends before.
  [[nodiscard]] Result<std::string> read_start(std::size_t size) const;
  [[nodiscard]] Result<std::size_t> size() const;

 private:
  explicit RegularFile(UniqueFd file) : file_(std::move(file)) {}

  UniqueFd file_;
};

}  // namespace rackway::fib
