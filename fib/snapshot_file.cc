// SPDX-License-Identifier: Apache-2.0
#include "fib/snapshot_file.hh"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

#include "base/unique_fd.hh"
#include "base/wire.hh"
#include "fib/delta_check.hh"
#include "fib/file_replacement.hh"
#include "fib/record_digest.hh"
#include "fib/record_wire.hh"

namespace rackway::fib {
namespace {

constexpr std::string_view kMagic = "RKWYSNAP";
constexpr std::size_t kVersionEnd = kMagic.size() + sizeof kSnapshotVersion;
constexpr std::size_t kHeaderSize = kVersionEnd + sizeof(std::uint64_t);
constexpr std::size_t kDigestSize = 16, kChecksumSize = 16;
constexpr std::size_t kEmptyLists = 8 * sizeof(std::uint32_t);  // their counts
constexpr std::size_t kLeastSize = kHeaderSize + kEmptyLists + kDigestSize + kChecksumSize;

std::string checksum_of(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  WireWriter out;
  out.number(std::uint64_t{hash.high64});
  out.number(std::uint64_t{hash.low64});
  return out.take();
}

std::string body_of(const Fib& fib) {
  WireWriter out;
  write(out, fib.snapshot());
  write(out, fib.digest());
  return out.take();
}

std::string encode(const Fib& fib) {
  const std::string body = body_of(fib);
  WireWriter out;
  out.bytes(kMagic);
  out.number(kSnapshotVersion);
  out.number(std::uint64_t{kHeaderSize + body.size() + kChecksumSize});
  out.bytes(body);
  std::string bytes = out.take();
  return bytes += checksum_of(bytes);
}

// ---- reading: refusals in the order of docs/snapshot_file.md

tl::unexpected<Error> system_fault(const char* what) {
  return fail(std::string(what) + ": " + std::generic_category().message(errno));
}

// A pipe must not keep us waiting until somebody writes.
Result<UniqueFd> open_regular(const std::filesystem::path& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return system_fault("can not open it");
  struct stat about {};
  if (::fstat(file.get(), &about) != 0) return system_fault("can not look at it");
  if (!S_ISREG(about.st_mode)) return fail("is not a regular file");
  return file;
}

// From the beginning; less than `size` where the file ends before.
Result<std::string> read_start(int file, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t used = 0;
  while (used < size) {
    const ssize_t got = ::pread(file, bytes.data() + used, size - used, static_cast<off_t>(used));
    if (got < 0 && errno != EINTR) return system_fault("can not read it");
    if (got == 0) break;
    if (got > 0) used += static_cast<std::size_t>(got);
  }
  bytes.resize(used);
  return bytes;
}

Result<void> check_kind(std::string_view start) {
  WireReader in(start);
  if (in.bytes(kMagic.size()) != kMagic) return fail("is not a snapshot of a FIB");
  const auto version = in.number<std::uint16_t>();
  if (in.ok() && version != kSnapshotVersion) {
    return fail("is a snapshot of version " + std::to_string(version) + ", not " +
                std::to_string(kSnapshotVersion));
  }
  return {};
}

// `start` is the header, or all there is.
Result<void> check_size(std::string_view start, std::uint64_t size) {
  if (size < kLeastSize) {
    return fail("is truncated: it has " + std::to_string(size) + " octets, the least is " +
                std::to_string(kLeastSize));
  }
  WireReader in(start);
  (void)in.bytes(kVersionEnd);
  const auto stated = in.number<std::uint64_t>();
  if (size == stated) return {};
  return fail(std::string(size < stated ? "is truncated" : "is longer than it says") + ": it has " +
              std::to_string(size) + " octets, not " + std::to_string(stated));
}

// Takes memory for the whole only when its size is found right.
Result<std::string> read_whole(int file) {
  const auto start = read_start(file, kHeaderSize);
  if (!start) return tl::unexpected(start.error());
  if (auto checked = check_kind(*start); !checked) return tl::unexpected(checked.error());
  const ::off_t end = ::lseek(file, 0, SEEK_END);
  if (end < 0) return system_fault("can not find its end");
  const auto size = static_cast<std::size_t>(end);
  if (auto checked = check_size(*start, size); !checked) return tl::unexpected(checked.error());
  auto bytes = read_start(file, size);
  if (bytes && bytes->size() != size) return fail("was cut while it was read");
  return bytes;
}

Result<void> check_content(const Delta& content, const Digest& digest) {
  if (auto checked = check_delta(FibContent{}, content); !checked) return checked;
  if (digest_of(content) != digest) return fail("does not have the digest that it says");
  return {};
}

Result<Delta> decode(std::string_view bytes) {
  const auto checksum = bytes.substr(bytes.size() - kChecksumSize);
  bytes.remove_suffix(kChecksumSize);
  if (checksum_of(bytes) != checksum) return fail("is damaged: its checksum is wrong");
  WireReader in(bytes.substr(kHeaderSize));
  Delta content = read_delta(in);
  const Digest digest = read_digest(in);
  if (!in.ok() || !in.at_end()) return fail("has malformed records");
  if (auto checked = check_content(content, digest); !checked) {
    return tl::unexpected(checked.error());
  }
  return content;
}

Result<Delta> read(const std::filesystem::path& path) {
  const auto file = open_regular(path);
  if (!file) return tl::unexpected(file.error());
  const auto bytes = read_whole(file->get());
  if (!bytes) return tl::unexpected(bytes.error());
  return decode(*bytes);
}

}  // namespace

Result<void> write_snapshot(const Fib& fib, const std::filesystem::path& path) {
  return replace_file(path, encode(fib));
}

Result<Delta> read_snapshot(const std::filesystem::path& path) {
  return read(path).map_error([&](const Error& e) { return e.within(path.string()); });
}

}  // namespace rackway::fib
