// SPDX-License-Identifier: Apache-2.0
// Looks through the controller's own copy of the FIB, in slices of a millisecond or so, for two
// kinds of difference: the records have not the digest that is kept in step with them; they are not
// what the RIB, the neighbours and the interfaces ask for. Either is repaired at once: the content
// is made anew of its records and goes to all nodes; what is not as wanted becomes so in an epoch.
// One thread.
#pragma once

#include <optional>

#include "control/audit_check.hh"
#include "control/epoch_coordinator.hh"
#include "control/event_log.hh"
#include "control/fib_builder.hh"
#include "fib/digest_run.hh"

namespace rackway::control {

class ContentAudit {
 public:
  using Clock = AuditCheck::Clock;

  // All must outlive this.
  ContentAudit(EpochCoordinator& coordinator, FibBuilder& builder, EventLog& events)
      : coordinator_(coordinator), builder_(builder), events_(events) {}

  // Both looks begin anew.
  void begin(Clock::time_point now);
  // The next slice, if no change is on its way.
  void step(Clock::time_point now);

  [[nodiscard]] const AuditCheck& digest() const { return digest_; }
  [[nodiscard]] const AuditCheck& rib() const { return rib_; }

 private:
  void step_digest(Clock::time_point now);
  void step_rib(Clock::time_point now);
  void end_rib(Clock::time_point now);
  void renew(Clock::time_point now);
  void tell(EventLog::Grave grave, const std::string& what, Clock::time_point now);

  EpochCoordinator& coordinator_;
  FibBuilder& builder_;
  EventLog& events_;
  AuditCheck digest_, rib_;

  std::optional<fib::DigestRun> run_;  // of the content of epoch_
  Epoch epoch_;

  bool compares_ = false, has_begun_ = false;  // with what is wanted
  std::optional<IpPrefix> last_;               // that was compared
  std::size_t differing_ = 0;                  // records
};

}  // namespace rackway::control
