// SPDX-License-Identifier: Apache-2.0
#include "fib/snapshot_file.hh"

#include "base/byte_order.hh"
#include "base/wire.hh"
#include "fib/delta_check.hh"
#include "fib/file_checksum.hh"
#include "fib/file_replacement.hh"
#include "fib/record_digest.hh"
#include "fib/record_wire.hh"
#include "fib/regular_file.hh"

namespace rackway::fib {
namespace {

constexpr std::string_view kMagic = "RKWYSNAP";
constexpr std::size_t kVersionEnd = kMagic.size() + sizeof kSnapshotVersion;
constexpr std::size_t kHeaderSize = kVersionEnd + sizeof(std::uint64_t);
constexpr std::size_t kDigestSize = 16;
constexpr std::size_t kEmptyLists = 8 * sizeof(std::uint32_t);  // their counts
constexpr std::size_t kLeastSize = kHeaderSize + kEmptyLists + kDigestSize + kChecksumSize;

// ---- reading: refusals in the order of docs/snapshot_file.md

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
Result<std::string> read_whole(const RegularFile& file) {
  const auto start = file.read_start(kHeaderSize);
  if (!start) return tl::unexpected(start.error());
  if (auto checked = check_kind(*start); !checked) return tl::unexpected(checked.error());
  const auto size = file.size();
  if (!size) return tl::unexpected(size.error());
  if (auto checked = check_size(*start, *size); !checked) return tl::unexpected(checked.error());
  auto bytes = file.read_start(*size);
  if (bytes && bytes->size() != *size) return fail("was cut while it was read");
  return bytes;
}

Result<void> check_content(const Delta& content, const Digest& digest) {
  if (auto checked = check_delta(FibContent{}, content); !checked) return checked;
  if (digest_of(content) != digest) return fail("does not have the digest that it says");
  return {};
}

// Of the kind and size that it says.
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
  const auto file = RegularFile::open(path);
  if (!file) return tl::unexpected(file.error());
  const auto bytes = read_whole(*file);
  if (!bytes) return tl::unexpected(bytes.error());
  return decode(*bytes);
}

}  // namespace

std::string encode_snapshot(const Delta& content, const Digest& digest) {
  WireWriter out;
  out.bytes(kMagic);
  out.number(kSnapshotVersion);
  out.number(std::uint64_t{0});  // the size is known at the end
  write(out, content);
  write(out, digest);
  std::string bytes = out.take();
  store_be(bytes.data() + kVersionEnd, std::uint64_t{bytes.size() + kChecksumSize});
  return bytes += checksum_of(bytes);
}

Result<Delta> decode_snapshot(std::string_view bytes) {
  const auto start = bytes.substr(0, kHeaderSize);
  if (auto checked = check_kind(start); !checked) return tl::unexpected(checked.error());
  if (auto checked = check_size(start, bytes.size()); !checked) {
    return tl::unexpected(checked.error());
  }
  return decode(bytes);
}

Result<void> write_snapshot(const Fib& fib, const std::filesystem::path& path) {
  return replace_file(path, encode_snapshot(fib.snapshot(), fib.digest()));
}

Result<Delta> read_snapshot(const std::filesystem::path& path) {
  return read(path).map_error([&](const Error& e) { return e.within(path.string()); });
}

}  // namespace rackway::fib
