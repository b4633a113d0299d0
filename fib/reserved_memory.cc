// SPDX-License-Identifier: Apache-2.0
#include "fib/reserved_memory.hh"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

namespace rackway::fib {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t round_up(std::size_t size) {
  return (size + kHugePage - 1) & ~(kHugePage - 1);
}

// Aligned to 2 MB: what is mapped too much at either end is given back.
std::byte* reserve(std::size_t capacity) {
  const std::size_t mapped = capacity + kHugePage;
  void* const at = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  auto* const begin = static_cast<std::byte*>(at);
  auto* const data = begin + (round_up(reinterpret_cast<std::uintptr_t>(at)) -
                              reinterpret_cast<std::uintptr_t>(at));
  if (data != begin) ::munmap(begin, static_cast<std::size_t>(data - begin));
  if (const auto behind = static_cast<std::size_t>(begin + mapped - data) - capacity; behind > 0) {
    ::munmap(data + capacity, behind);
  }
  ::madvise(data, capacity, MADV_HUGEPAGE);  // a wish: without them it works as well
  return data;
}

}  // namespace

ReservedMemory::ReservedMemory(std::size_t capacity)
    : data_(reserve(round_up(capacity))), capacity_(round_up(capacity)) {}

ReservedMemory::ReservedMemory(const ReservedMemory& other) : ReservedMemory(other.capacity_) {
  std::memcpy(data_, other.data_, other.used_);
  used_ = other.used_;
}

ReservedMemory::ReservedMemory(ReservedMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      capacity_(other.capacity_),
      used_(std::exchange(other.used_, 0)) {}

ReservedMemory& ReservedMemory::operator=(ReservedMemory other) noexcept {
  std::swap(data_, other.data_);
  std::swap(capacity_, other.capacity_);
  std::swap(used_, other.used_);
  return *this;
}

ReservedMemory::~ReservedMemory() {
  if (data_ != nullptr) ::munmap(data_, capacity_);
}

std::size_t ReservedMemory::extend(std::size_t size) {
  if (size > capacity_ - used_) throw std::bad_alloc();
  return std::exchange(used_, used_ + size);
}

}  // namespace rackway::fib
