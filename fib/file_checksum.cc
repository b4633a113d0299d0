// SPDX-License-Identifier: Apache-2.0
#include "fib/file_checksum.hh"

#include <xxhash.h>

#include "base/wire.hh"

namespace rackway::fib {

std::string checksum_of(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  WireWriter out;
  out.number(std::uint64_t{hash.high64});
  out.number(std::uint64_t{hash.low64});
  return out.take();
}

}  // namespace rackway::fib
