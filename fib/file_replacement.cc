// SPDX-License-Identifier: Apache-2.0
#include "fib/file_replacement.hh"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "base/unique_fd.hh"

namespace rackway::fib {
namespace {

// As errno says.
tl::unexpected<Error> can_not(const std::string& what) {
  const int error = errno;
  return fail("can not " + what + ": " + std::generic_category().message(error));
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

using Parts = std::initializer_list<std::string_view>;

Result<void> write_durably(const std::string& path, Parts parts) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!file) return can_not("create " + path);
  for (const auto part : parts) {
    if (!write_all(file.get(), part)) return can_not("write " + path);
  }
  if (::fsync(file.get()) != 0) return can_not("make " + path + " durable");
  return {};
}

// A new name is durable when its folder is.
Result<void> sync_folder_of(const std::filesystem::path& path) {
  const auto folder = path.has_parent_path() ? path.parent_path() : ".";
  const UniqueFd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened || ::fsync(opened.get()) != 0) {
    return can_not("make the folder " + folder.string() + " durable");
  }
  return {};
}

Result<void> replace(const std::filesystem::path& path, Parts parts) {
  const std::string fresh = path.string() + ".new";
  ::unlink(fresh.c_str());  // what a crash may have left; O_EXCL then makes one of our own
  auto done = write_durably(fresh, parts);
  if (done && ::rename(fresh.c_str(), path.c_str()) != 0) done = can_not("replace it");
  if (done) return sync_folder_of(path);
  ::unlink(fresh.c_str());
  return done;
}

}  // namespace

Result<void> replace_file(const std::filesystem::path& path, std::string_view bytes) {
  return replace_file(path, {bytes});
}

Result<void> replace_file(const std::filesystem::path& path, Parts parts) {
  return replace(path, parts).map_error([&](const Error& e) { return e.within(path.string()); });
}

}  // namespace rackway::fib
