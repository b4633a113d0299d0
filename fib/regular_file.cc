// SPDX-License-Identifier: Apache-2.0
#include "fib/regular_file.hh"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace rackway::fib {
namespace {

tl::unexpected<Error> system_fault(const char* what) {
  return fail(std::string(what) + ": " + std::generic_category().message(errno));
}

}  // namespace

// A pipe must not keep us waiting until somebody writes.
Result<RegularFile> RegularFile::open(const std::filesystem::path& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return system_fault("can not open it");
  struct stat about {};
  if (::fstat(file.get(), &about) != 0) return system_fault("can not look at it");
  if (!S_ISREG(about.st_mode)) return fail("is not a regular file");
  return RegularFile(std::move(file));
}

Result<std::string> RegularFile::read_start(std::size_t size) const {
  std::string bytes(size, '\0');
  std::size_t used = 0;
  while (used < size) {
    const ssize_t got =
        ::pread(file_.get(), bytes.data() + used, size - used, static_cast<off_t>(used));
    if (got < 0 && errno != EINTR) return system_fault("can not read it");
    if (got == 0) break;
    if (got > 0) used += static_cast<std::size_t>(got);
  }
  bytes.resize(used);
  return bytes;
}

Result<std::size_t> RegularFile::size() const {
  const ::off_t end = ::lseek(file_.get(), 0, SEEK_END);
  if (end < 0) return system_fault("can not find its end");
  return static_cast<std::size_t>(end);
}

}  // namespace rackway::fib
