// SPDX-License-Identifier: Apache-2.0
// Frames in the fabric: values of 32 octets, in queues that share one pool of entries, so that a
// million cables cost no more memory than the frames on them. One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "base/id.hh"
#include "vlb/traffic/packet.hh"

namespace rackway::simulator {

using traffic::Picoseconds;

// A packet with what of the fabric tag decides its way.
struct Frame {
  Picoseconds born;
  std::uint32_t flow, sequence;
  std::uint16_t octets;
  NodeId ingress, egress, target;
  std::uint8_t hop_budget;
};
static_assert(sizeof(Frame) == 32);

// A queue's ends; the entries are in the pool.
struct FrameQueue {
  std::uint32_t head{0}, tail{0};
  [[nodiscard]] bool empty() const { return head == 0; }
};

class FramePool {
 public:
  struct Entry {
    Frame frame;
    Picoseconds at;      // when it comes out of the queue
    std::uint32_t next;  // 0 is none
  };

  void push(FrameQueue& queue, const Frame& frame, Picoseconds at) {
    const std::uint32_t entry = take();
    entries_[entry] = {frame, at, 0};
    if (queue.empty()) {
      queue.head = entry;
    } else {
      entries_[queue.tail].next = entry;
    }
    queue.tail = entry;
    ++used_;
  }
  // Only of queues that are not empty.
  [[nodiscard]] Picoseconds first_at(const FrameQueue& queue) const {
    return entries_[queue.head].at;
  }
  Frame pop(FrameQueue& queue) {
    Entry& entry = entries_[queue.head];
    const Frame frame = entry.frame;
    const std::uint32_t next = entry.next;
    entry.next = free_;
    free_ = queue.head;
    queue.head = next;
    --used_;
    return frame;
  }

  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  std::uint32_t take() {
    if (free_ == 0) {
      entries_.emplace_back();
      return static_cast<std::uint32_t>(entries_.size() - 1);
    }
    const std::uint32_t entry = free_;
    free_ = entries_[entry].next;
    return entry;
  }

  std::vector<Entry> entries_ = std::vector<Entry>(1);  // the first is nobody's
  std::uint32_t free_{0};
  std::size_t used_{0};
};

}  // namespace rackway::simulator
