// SPDX-License-Identifier: Apache-2.0
// Waits for channels and file descriptors together. The set is built once and kept by the thread
// that waits.
#pragma once

#include <memory>
#include <vector>

namespace rackway::cluster {

class ChannelPoll {
 public:
  ChannelPoll();
  ~ChannelPoll();

  // Returns the place of the entry, for ready().
  std::size_t add_channel(void* handle);
  std::size_t add_fd(int fd);

  // Waits for any entry, at most timeout_ms (a signal ends it early).
  void wait(int timeout_ms);
  [[nodiscard]] bool ready(std::size_t entry) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rackway::cluster
