// SPDX-License-Identifier: Apache-2.0
// What is to happen next in virtual time: a heap of four children a node, whose entries of 16
// octets lie four to a cache line. Events of the same time come out in the order of their keys, so
// that a run does not depend on how the heap was built. One thread.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "vlb/traffic/virtual_time.hh"

namespace rackway::simulator {

using traffic::Picoseconds;

struct Event {
  Picoseconds at;
  std::uint32_t key;  // kind and number

  [[nodiscard]] bool before(const Event& other) const {
    return at != other.at ? at < other.at : key < other.key;
  }
};
static_assert(sizeof(Event) == 16);

// A key: what happens (the meaning is its owner's, less than 8) and to whom (less than 2^29).
[[nodiscard]] constexpr std::uint32_t event_key(std::uint32_t kind, std::uint32_t number) {
  return kind << 29 | number;
}
[[nodiscard]] constexpr std::uint32_t kind_of(const Event& event) {
  return event.key >> 29;
}
[[nodiscard]] constexpr std::uint32_t number_of(const Event& event) {
  return event.key & ((1u << 29) - 1);
}

class EventQueue {
 public:
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] std::size_t size() const { return heap_.size(); }

  // The time of the earliest one; the end of time when there is none.
  [[nodiscard]] Picoseconds next() const {
    return heap_.empty() ? std::numeric_limits<Picoseconds>::max() : heap_.front().at;
  }

  void push(Event event) {
    std::size_t at = heap_.size();
    heap_.push_back(event);
    while (at > 0) {
      const std::size_t parent = (at - 1) / kFan;
      if (!event.before(heap_[parent])) break;
      heap_[at] = heap_[parent];
      at = parent;
    }
    heap_[at] = event;
  }

  // The earliest one. Only when not empty.
  Event pop() {
    const Event first = heap_.front();
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(last);
    return first;
  }

 private:
  static constexpr std::size_t kFan = 4;

  void sink(Event event) {
    const std::size_t size = heap_.size();
    std::size_t at = 0;
    for (std::size_t child = 1; child < size; child = at * kFan + 1) {
      std::size_t least = child;
      const std::size_t end = child + kFan < size ? child + kFan : size;
      for (++child; child < end; ++child) {
        if (heap_[child].before(heap_[least])) least = child;
      }
      if (!heap_[least].before(event)) break;
      heap_[at] = heap_[least];
      at = least;
    }
    heap_[at] = event;
  }

  std::vector<Event> heap_;
};

}  // namespace rackway::simulator
