// SPDX-License-Identifier: Apache-2.0
// Where zebra connects to tell its routes (dplane_fpm_nl): a TCP socket that listens in the
// router's namespace, and at most one connection. A new one takes the place of the one that there
// is: zebra has one at a time, so the old one is of a zebra that is no more, and may hang half-open
// for long. A connection whose stream is not well-formed is ended; zebra comes back and tells
// everything anew. Nothing is ever sent. Does not wait. One thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/unique_fd.hh"
#include "control/fpm/fpm_frames.hh"
#include "topo/cluster_document.hh"

namespace rackway::control {

class FpmServer {
 public:
  // Throws StartupError.
  FpmServer(const std::string& network_namespace, const topo::FpmConfig& config);

  class Receiver {
   public:
    virtual void connected() = 0;
    virtual void frame(std::span<const std::byte> messages) = 0;
    virtual void ended(const std::string& why) = 0;

   protected:
    ~Receiver() = default;
  };

  // Becomes readable when there is something to serve.
  [[nodiscard]] int fd() const { return poll_.get(); }
  // Takes what has come, bounded in work per call: the rest keeps fd() readable.
  void serve(Receiver& receiver);

  [[nodiscard]] bool is_connected() const { return static_cast<bool>(connection_); }
  // The port that it listens at: the one of the configuration, or any if that was 0.
  [[nodiscard]] std::uint16_t port() const;

  struct Counters {
    std::uint64_t connections{};
    std::uint64_t frames{};
    std::uint64_t octets{};
    std::uint64_t malformed{};  // streams
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  void accept(Receiver& receiver);
  void read(Receiver& receiver);
  void take(std::span<const std::byte> octets, Receiver& receiver);
  void end(const std::string& why, Receiver& receiver);

  UniqueFd poll_, listening_, connection_;
  FpmFrames frames_;
  Counters counters_;
};

}  // namespace rackway::control
