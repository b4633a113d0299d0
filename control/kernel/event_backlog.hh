// SPDX-License-Identifier: Apache-2.0
// The kernel's events, read as they come by a thread of its own and kept until they are asked for.
// In the kernel's receive buffer a message takes many times its size, and what does not fit is
// lost; so a flood is waited out here, while the owner is at other work. When the backlog is full
// the kernel's buffer fills behind it, and then runs over, which is told in its place. All but the
// thread inside is one thread's.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.hh"
#include "control/kernel/netlink_socket.hh"

namespace rackway::control {

class EventBacklog {
 public:
  static constexpr std::size_t kMostOctets = 256u << 20;

  // As NetlinkEvents; most_octets of datagrams are kept, and one batch of them more. Throws
  // StartupError.
  EventBacklog(const std::string& network_namespace, std::initializer_list<int> groups,
               std::uint32_t kernel_buffer, std::size_t most_octets = kMostOctets);
  ~EventBacklog();
  EventBacklog(const EventBacklog&) = delete;
  EventBacklog& operator=(const EventBacklog&) = delete;

  // Readable when something waits, also soon after receive() has told that nothing does.
  [[nodiscard]] int fd() const { return news_.get(); }

  using Received = NetlinkEvents::Received;
  // Never waits for the kernel. In the kernel's order; nothing: there is none in its buffer either.
  // The datagram is valid until the next call.
  Received receive(std::span<const std::byte>& datagram);

  // Of datagrams and overruns: those that there have been, with what waits in the kernel's buffer
  // now; and those that receive() or discard() have taken.
  [[nodiscard]] std::uint64_t arrived();
  [[nodiscard]] std::uint64_t taken() const { return taken_; }

  // Takes what waits, of a flood at least what had been there. Returns how many overruns were in
  // it.
  std::uint64_t discard();

 private:
  // Datagrams one behind the other; one of no octets is an overrun.
  struct Batch {
    std::vector<std::byte> octets;
    std::vector<std::size_t> ends;
  };

  void read_on();
  bool read_some();  // of the kernel's buffer; false: nothing is left in it
  void keep(std::span<const std::byte> datagram);
  [[nodiscard]] bool full() const { return kept_octets_ >= most_octets_; }

  NetlinkEvents events_;
  const std::size_t most_octets_;
  UniqueFd news_, stop_;

  std::mutex mutex_;  // of events_ and all below, up to the thread
  std::condition_variable room_;
  std::deque<Batch> batches_;
  std::size_t kept_octets_ = 0;
  std::uint64_t arrived_ = 0;
  bool stopping_ = false;

  Batch current_;         // taken from batches_
  std::size_t next_ = 0;  // in it
  std::uint64_t taken_ = 0;
  std::thread reader_;
};

}  // namespace rackway::control
