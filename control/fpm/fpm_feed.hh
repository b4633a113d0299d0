// SPDX-License-Identifier: Apache-2.0
// Zebra's routes by FPM, from the socket into the RIB, over zebra's restarts: when its connection
// ends its routes stay, stale. Once it is back and its table has been quiet for a while, those that
// it has not named again are swept (settling.hh); if it stays away, all of them after the longest
// wait. Nothing in FRR 8.4's stream tells that the table is complete. Lives in the controller's
// loop.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "control/event_log.hh"
#include "control/fpm/fpm_server.hh"
#include "control/fpm/fpm_source.hh"
#include "control/settling.hh"

namespace rackway::control {

class FpmFeed final : FpmServer::Receiver {
 public:
  using Clock = std::chrono::steady_clock;

  // config.fpm is there. Builder and events must outlive this. Throws StartupError.
  FpmFeed(const topo::ControllerConfig& config, FibBuilder& builder, EventLog& events);

  [[nodiscard]] int fd() const { return server_.fd(); }
  // Takes what has come into the RIB; sweeps when that is due.
  void turn(Clock::time_point now);

  [[nodiscard]] const FpmServer& server() const { return server_; }
  [[nodiscard]] const FpmSource& source() const { return source_; }
  // Routes in total.
  [[nodiscard]] std::uint64_t swept() const { return swept_; }

 private:
  void connected() override;
  void frame(std::span<const std::byte> messages) override;
  void ended(const std::string& why) override;
  void sweep_when_due();
  [[nodiscard]] Settling new_settling() const;

  std::chrono::milliseconds quiet_, longest_;
  FibBuilder& builder_;
  EventLog& events_;
  FpmServer server_;
  FpmSource source_;
  std::optional<Settling> settling_;  // while there may be stale routes
  Clock::time_point now_{};
  std::uint64_t swept_ = 0;
};

}  // namespace rackway::control
