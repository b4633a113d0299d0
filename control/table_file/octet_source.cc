// SPDX-License-Identifier: Apache-2.0
#include "control/table_file/octet_source.hh"

#include <fcntl.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/unique_fd.hh"

namespace rackway::table_file {
namespace {

constexpr unsigned kBuffer = 128 * 1024;  // of zlib, octets

gzFile file_of(void* file) {
  return static_cast<gzFile>(file);
}

tl::unexpected<Error> refuse(const std::string& path, const std::string& why) {
  return fail("can not read " + path + ": " + why);
}

}  // namespace

std::size_t MemorySource::read(std::span<char> into) {
  const auto piece = rest_.substr(0, into.size());
  std::copy(piece.begin(), piece.end(), into.begin());
  rest_.remove_prefix(piece.size());
  return piece.size();
}

Result<std::unique_ptr<FileSource>> FileSource::open(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return refuse(path, std::generic_category().message(errno));
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return refuse(path, std::generic_category().message(errno));
  if (S_ISDIR(status.st_mode)) return refuse(path, "it is a folder");
  const int own = ::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0);  // closed by zlib
  const gzFile file = own < 0 ? nullptr : ::gzdopen(own, "rb");
  if (file == nullptr) {
    if (own >= 0) ::close(own);
    return refuse(path, std::generic_category().message(errno));
  }
  ::gzbuffer(file, kBuffer);
  const auto size = S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
  return std::unique_ptr<FileSource>(new FileSource(file, size));
}

FileSource::~FileSource() {
  ::gzclose(file_of(file_));
}

std::size_t FileSource::read(std::span<char> into) {
  if (broken_ || into.empty()) return 0;
  const auto most = static_cast<unsigned>(std::min<std::size_t>(into.size(), 1u << 30));
  const int got = ::gzread(file_of(file_), into.data(), most);
  // A stream that is cut off gives what there was, and says so only when asked.
  int error = Z_OK;
  if (got <= 0) ::gzerror(file_of(file_), &error);
  broken_ = got < 0 || (error != Z_OK && error != Z_STREAM_END);
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

std::uint64_t FileSource::position() const {
  return static_cast<std::uint64_t>(std::max<z_off_t>(0, ::gzoffset(file_of(file_))));
}

}  // namespace rackway::table_file
