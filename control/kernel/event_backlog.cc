// SPDX-License-Identifier: Apache-2.0
#include "control/kernel/event_backlog.hh"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/startup_error.hh"

namespace rackway::control {
namespace {

constexpr std::size_t kBatchOctets = 1u << 20;
constexpr int kDatagramsPerTurn = 1024;  // with the mutex held
constexpr int kRoundsOfDiscarding = 8;
constexpr int kPauseMs = 1;

UniqueFd open_eventfd() {
  UniqueFd fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (fd) return fd;
  throw StartupError(std::string("can not open an eventfd: ") + std::strerror(errno), "the kernel",
                     "raise the limit of open files");
}

void set(int eventfd) {
  const std::uint64_t one = 1;
  (void)!::write(eventfd, &one, sizeof one);  // one that is set already is refused at worst
}

void clear(int eventfd) {
  std::uint64_t count = 0;
  (void)!::read(eventfd, &count, sizeof count);
}

}  // namespace

EventBacklog::EventBacklog(const std::string& network_namespace, std::initializer_list<int> groups,
                           std::uint32_t kernel_buffer, std::size_t most_octets)
    : events_(network_namespace, groups, kernel_buffer),
      most_octets_(most_octets),
      news_(open_eventfd()),
      stop_(open_eventfd()),
      reader_([this] { read_on(); }) {}

EventBacklog::~EventBacklog() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  room_.notify_one();
  set(stop_.get());
  reader_.join();
}

// ---- the thread

void EventBacklog::read_on() {
  std::array<pollfd, 2> waiting{{{events_.fd(), POLLIN, 0}, {stop_.get(), POLLIN, 0}}};
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    room_.wait(lock, [&] { return stopping_ || !full(); });
    const bool more = read_some();
    lock.unlock();  // also between two turns, for the other one
    if (!more) {
      // Many come together: the next look is at them all, not one at each.
      (void)::poll(&waiting[1], 1, kPauseMs);
      (void)::poll(waiting.data(), waiting.size(), -1);
    }
    lock.lock();
  }
}

// ---- with the mutex held

bool EventBacklog::read_some() {
  std::span<const std::byte> datagram;
  for (int i = 0; i < kDatagramsPerTurn && !full(); ++i) {
    switch (events_.receive(datagram)) {
      case Received::nothing: return false;
      case Received::overrun: keep({}); break;
      case Received::datagram:
        if (!datagram.empty()) keep(datagram);
    }
  }
  return true;
}

void EventBacklog::keep(std::span<const std::byte> datagram) {
  if (batches_.empty()) set(news_.get());
  if (batches_.empty() || batches_.back().octets.size() >= kBatchOctets) batches_.emplace_back();
  auto& [octets, ends] = batches_.back();
  octets.insert(octets.end(), datagram.begin(), datagram.end());
  ends.push_back(octets.size());
  kept_octets_ += datagram.size() + sizeof(ends.front());
  ++arrived_;
}

// ---- the owner

EventBacklog::Received EventBacklog::receive(std::span<const std::byte>& datagram) {
  if (next_ == current_.ends.size()) {
    const std::lock_guard lock(mutex_);
    if (batches_.empty()) (void)read_some();
    current_ = {};
    next_ = 0;
    if (batches_.empty()) {
      clear(news_.get());
      return Received::nothing;
    }
    current_ = std::move(batches_.front());
    batches_.pop_front();
    kept_octets_ -= current_.octets.size() + current_.ends.size() * sizeof(current_.ends.front());
    room_.notify_one();
  }
  const std::size_t begin = next_ == 0 ? 0 : current_.ends[next_ - 1];
  const std::size_t end = current_.ends[next_++];
  ++taken_;
  datagram = std::span(current_.octets).subspan(begin, end - begin);
  return datagram.empty() ? Received::overrun : Received::datagram;
}

std::uint64_t EventBacklog::arrived() {
  const std::lock_guard lock(mutex_);
  while (!full() && read_some()) {
  }
  return arrived_;
}

std::uint64_t EventBacklog::discard() {
  std::uint64_t overruns = 0;
  std::span<const std::byte> datagram;
  // More than once: a full backlog has let the kernel's buffer wait.
  for (int round = 0; round < kRoundsOfDiscarding; ++round) {
    const auto end = arrived();
    if (taken_ == end) break;
    while (taken_ < end) {
      if (receive(datagram) == Received::overrun) ++overruns;
    }
  }
  return overruns;
}

}  // namespace rackway::control
