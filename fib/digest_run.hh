// SPDX-License-Identifier: Apache-2.0
// The digest of a FIB from scratch, of the records that are stored, in steps of bounded length: a
// table of millions takes longer than its owner may be away. Equal to Fib::digest() unless a record
// or that digest is damaged. The FIB must stay and must not change meanwhile; reading is all that
// this does. One thread.
#pragma once

#include <optional>

#include "fib/fib.hh"

namespace rackway::fib {

class DigestRun {
 public:
  explicit DigestRun(const Fib& fib) : fib_(&fib) {}

  // At most that many routes more; the first step also takes all other records. True when there is
  // nothing left.
  bool step(std::size_t most_routes);
  [[nodiscard]] bool is_done() const { return done_; }
  // Meaningful when it is done.
  [[nodiscard]] const Digest& sum() const { return sum_; }

 private:
  const Fib* fib_;
  std::optional<IpPrefix> last_;
  bool begun_ = false, done_ = false;
  Digest sum_;
};

}  // namespace rackway::fib
