// SPDX-License-Identifier: Apache-2.0
#include "control/content_audit.hh"

#include <algorithm>
#include <string>
#include <utility>

#include "base/log.hh"

namespace rackway::control {
namespace {

constexpr std::size_t kSummedPerStep = 20'000, kComparedPerStep = 2'000;  // routes

std::size_t records_in(const fib::Delta& delta) {
  return delta.adjacencies.size() + delta.groups.size() + delta.routes.size() +
         delta.addresses.size() + delta.removed_adjacencies.size() + delta.removed_groups.size() +
         delta.removed_routes.size() + delta.removed_addresses.size();
}

}  // namespace

void ContentAudit::begin(Clock::time_point now) {
  if (run_) digest_.note_unfinished("the FIB changes all the time", now);
  if (compares_) rib_.note_unfinished("the FIB changes all the time", now);
  run_.emplace(coordinator_.content());
  epoch_ = coordinator_.epoch();
  compares_ = true;
  has_begun_ = false;
  last_.reset();
  differing_ = 0;
}

void ContentAudit::step(Clock::time_point now) {
  if (!coordinator_.ready() || builder_.changed()) return;
  if (run_) return step_digest(now);
  if (compares_) step_rib(now);
}

void ContentAudit::step_digest(Clock::time_point now) {
  if (std::exchange(epoch_, coordinator_.epoch()) != coordinator_.epoch()) {
    run_.emplace(coordinator_.content());
  }
  if (!run_->step(kSummedPerStep)) return;
  const bool equal = run_->sum() == coordinator_.content().digest();
  run_.reset();
  if (!equal) return renew(now);
  if (digest_.note_equal(now)) tell(EventLog::Grave::no, "the FIB is its digest again", now);
}

void ContentAudit::renew(Clock::time_point now) {
  digest_.note_difference("the records have another digest", now);
  tell(EventLog::Grave::yes, "the controller's FIB is not what its digest says: made anew", now);
  if (const auto done = coordinator_.renew_content(); !done) {
    log::error("the controller's FIB can not be made anew: {}", done.error().message);
  }
}

void ContentAudit::step_rib(Clock::time_point now) {
  const auto& content = coordinator_.content();
  const auto routes = content.routes_after(last_, kComparedPerStep);
  builder_.look_again(routes);
  if (!std::exchange(has_begun_, true)) builder_.look_again_at_rest();
  const auto delta = builder_.take_delta(content, coordinator_.next_epoch());
  if (!routes.empty()) last_ = routes.back().prefix;
  if (!delta.empty()) {
    differing_ += records_in(delta);
    if (const auto done = coordinator_.propose(delta, now); !done) {
      log::error("what an audit found does not fit the FIB: {}", done.error().message);
      builder_.compare_everything();
    }
  }
  if (routes.size() < kComparedPerStep) end_rib(now);
}

void ContentAudit::end_rib(Clock::time_point now) {
  compares_ = false;
  const auto size = coordinator_.content().size();
  const auto present = size.ipv4_routes + size.ipv6_routes;
  if (differing_ == 0 && builder_.routes() != present) {
    differing_ = std::max(present, builder_.routes()) - std::min(present, builder_.routes());
    builder_.compare_everything();
  }
  if (differing_ == 0) {
    if (rib_.note_equal(now)) tell(EventLog::Grave::no, "the FIB is as the RIB asks again", now);
    return;
  }
  rib_.note_difference(std::to_string(differing_) + " records", now);
  tell(EventLog::Grave::yes,
       std::to_string(differing_) + " records of the FIB were not as the RIB asks", now);
}

void ContentAudit::tell(EventLog::Grave grave, const std::string& what, Clock::time_point now) {
  events_.note(grave, "audit: " + what, now);
}

}  // namespace rackway::control
