// SPDX-License-Identifier: Apache-2.0
// Bytes of messages and files: fixed-width big-endian integers, strings and lists with a length
// before them. The reader never reads past the end: the first field that does not fit makes it bad,
// all later ones read as zero or empty, and the caller asks once at the end (ok()). Not
// thread-safe.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/byte_order.hh"

namespace rackway {

class WireWriter {
 public:
  template <std::unsigned_integral T>
  void number(T value) {
    char bytes[sizeof(T)];
    store_be(bytes, value);
    out_.append(bytes, sizeof bytes);
  }
  void flag(bool value) { number<std::uint8_t>(value ? 1 : 0); }
  void bytes(std::string_view raw) { out_.append(raw); }
  // Length in 16 bits, then the bytes; cut at 65535.
  void text(std::string_view value);
  // Count in 32 bits; the caller writes the elements.
  void count(std::size_t elements) { number(static_cast<std::uint32_t>(elements)); }

  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

class WireReader {
 public:
  explicit WireReader(std::string_view in) : in_(in) {}

  template <std::unsigned_integral T>
  [[nodiscard]] T number() {
    const auto raw = bytes(sizeof(T));
    return raw.size() == sizeof(T) ? load_be<T>(raw.data()) : T{};
  }
  // Only 0 and 1.
  [[nodiscard]] bool flag();
  [[nodiscard]] std::string_view bytes(std::size_t size);
  [[nodiscard]] std::string text();
  // A count of elements that need at least `least` bytes each: bad when there are more than `most`
  // or the rest can not hold them, so that a hostile count never makes a large allocation.
  [[nodiscard]] std::size_t count(std::size_t least, std::size_t most = SIZE_MAX);

  void fail() { ok_ = false; }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return in_.empty(); }

 private:
  std::string_view in_;
  bool ok_ = true;
};

}  // namespace rackway
