// SPDX-License-Identifier: Apache-2.0
#include "control/cli/checkout_program.hh"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "control/cli/arguments.hh"

namespace rackway::cli {
namespace {

constexpr const char* kPython = "/usr/bin/python3";

std::filesystem::path checkout() {
  const char* const set = std::getenv("RACKWAY_CHECKOUT");
  return set != nullptr && *set != '\0' ? set : RACKWAY_CHECKOUT;
}

// The folder whose bin/ has this program; where it can not be told, what is set already stays.
void name_own_build() {
  std::error_code unknown;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", unknown);
  const auto bin = self.parent_path();
  if (unknown || bin.filename() != "bin") return;
  ::setenv("RACKWAY_BUILD_DIR", bin.parent_path().c_str(), 1);
}

}  // namespace

int become_program(const std::string& package, int argc, char** argv, std::ostream& err) {
  const auto root = checkout();
  std::error_code unknown;
  if (!std::filesystem::exists(root / package / "__main__.py", unknown)) {
    err << "there is no " << package << " in " << root.string()
        << "; set RACKWAY_CHECKOUT to a checkout of Rackway\n";
    return kExitFault;
  }
  name_own_build();
  ::setenv("PYTHONPATH", root.c_str(), 1);
  std::string module = package;
  std::replace(module.begin(), module.end(), '/', '.');
  // -P: a folder `lab` where the user happens to be is not meant.
  std::vector<std::string> words{kPython, "-B", "-P", "-m", module};
  words.insert(words.end(), argv + 1, argv + argc);
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(kPython, pointers.data());
  err << kPython << " does not start: " << std::strerror(errno) << "\n";
  return kExitFault;
}

}  // namespace rackway::cli
