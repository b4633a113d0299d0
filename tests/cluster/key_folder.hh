// SPDX-License-Identifier: Apache-2.0
// A folder of a test's own for keys and lists of them, gone with this object.
#pragma once

#include <filesystem>
#include <string>

#include "tests/fib/scratch_folder.hh"

namespace rackway::cluster::testing {

class KeyFolder {
 public:
  [[nodiscard]] std::string file(const std::string& name) const { return folder_.file(name); }
  [[nodiscard]] std::string text_of(const std::string& name) const {
    return fib::testing::file_at(folder_.file(name));
  }
  // Of mode 0600 unless another is given; returns its path.
  std::string write(const std::string& name, const std::string& text, int mode = 0600) const {
    const auto path = folder_.file(name);
    std::filesystem::create_directories(path.parent_path());
    fib::testing::put_file(path, text);
    std::filesystem::permissions(path, static_cast<std::filesystem::perms>(mode));
    return path;
  }

 private:
  fib::testing::ScratchFolder folder_;
};

}  // namespace rackway::cluster::testing
