// SPDX-License-Identifier: Apache-2.0
// Memory that grows without moving: addresses are reserved once, pages come when first written,
// 2 MB pages where the system gives them (a lookup structure then needs a few entries of the TLB
// instead of hundreds). Fresh memory is zero. Copies hold what was in use. One writer.
#pragma once

#include <cstddef>

namespace rackway::fib {

class ReservedMemory {
 public:
  // Throws std::bad_alloc when the system refuses to reserve that many octets.
  explicit ReservedMemory(std::size_t capacity);
  ReservedMemory(const ReservedMemory& other);
  ReservedMemory(ReservedMemory&& other) noexcept;
  ReservedMemory& operator=(ReservedMemory other) noexcept;
  ~ReservedMemory();

  [[nodiscard]] std::byte* data() noexcept { return data_; }
  [[nodiscard]] const std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t used() const noexcept { return used_; }
  // Offset of `size` fresh octets at the end. Throws std::bad_alloc when the capacity is spent.
  [[nodiscard]] std::size_t extend(std::size_t size);

 private:
  std::byte* data_ = nullptr;
  std::size_t capacity_;
  std::size_t used_ = 0;
};

}  // namespace rackway::fib
