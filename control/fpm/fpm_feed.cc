// SPDX-License-Identifier: Apache-2.0
#include "control/fpm/fpm_feed.hh"

namespace rackway::control {

FpmFeed::FpmFeed(const topo::ControllerConfig& config, FibBuilder& builder, EventLog& events)
    : quiet_(config.settle_ms),
      longest_(config.settle_max_ms),
      builder_(builder),
      events_(events),
      server_(config.network_namespace, *config.fpm),
      source_(builder) {}

void FpmFeed::turn(Clock::time_point now) {
  now_ = now;
  server_.serve(*this);
  source_.finish();
  sweep_when_due();
  builder_.take_routes();
}

void FpmFeed::frame(std::span<const std::byte> messages) {
  source_.take(messages);
}

void FpmFeed::connected() {
  events_.note(EventLog::Grave::no, "zebra has connected its FPM", now_);
  if (settling_) settling_ = new_settling();
}

void FpmFeed::ended(const std::string& why) {
  source_.mark_stale();
  settling_ = new_settling();
  events_.note(EventLog::Grave::yes,
               "zebra's FPM connection has ended (" + why + "): its " +
                   std::to_string(source_.routes()) + " routes are kept",
               now_);
}

Settling FpmFeed::new_settling() const {
  return {quiet_, longest_};
}

void FpmFeed::sweep_when_due() {
  if (!settling_ || !settling_->due(source_.stale(), source_.confirmed(), now_)) return;
  settling_.reset();
  const auto swept = source_.sweep();
  if (swept == 0) return;
  swept_ += swept;
  events_.note(EventLog::Grave::yes,
               "swept " + std::to_string(swept) + " routes that zebra has not named again", now_);
}

}  // namespace rackway::control
