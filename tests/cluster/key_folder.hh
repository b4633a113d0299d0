// SPDX-License-Identifier: Apache-2.0
// A folder of a test's own for keys and lists of them, gone with this object.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace rackway::cluster::testing {

class KeyFolder {
 public:
  KeyFolder() {
    std::string name = "/tmp/rackway-keys-XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  ~KeyFolder() { std::filesystem::remove_all(path_); }
  KeyFolder(const KeyFolder&) = delete;
  KeyFolder& operator=(const KeyFolder&) = delete;

  [[nodiscard]] std::string file(const std::string& name) const { return path_ / name; }
  [[nodiscard]] std::string text_of(const std::string& name) const {
    std::ifstream in(path_ / name);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  // Of mode 0600 unless another is given; returns its path.
  std::string write(const std::string& name, const std::string& text, int mode = 0600) const {
    const auto path = path_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    std::filesystem::permissions(path, static_cast<std::filesystem::perms>(mode));
    return path;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace rackway::cluster::testing
