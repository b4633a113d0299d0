// SPDX-License-Identifier: Apache-2.0
// A node's part of an audit: the lookups that it was asked for, by the structures that its
// forwarding cores read, and the digest of its records from scratch, in steps. The FIB is the one
// in use: the run has to end before it is changed, and answers as far as it has come then. One
// thread; never in the way of a core.
#pragma once

#include <optional>

#include "cluster/messages.hh"
#include "fib/digest_run.hh"

namespace rackway::cluster {

class AuditRun {
 public:
  // epoch: that the FIB has. The lookups are done at once.
  AuditRun(const fib::Fib& fib, Epoch epoch, const AuditRequest& request);

  // The next part of the digest; true when the answer is ready.
  bool step();
  [[nodiscard]] AuditAnswer answer() const;

 private:
  AuditAnswer answer_;
  std::optional<fib::DigestRun> digest_;  // none: it is another epoch
};

}  // namespace rackway::cluster
