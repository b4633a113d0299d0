// SPDX-License-Identifier: Apache-2.0
// A hash map that stays sound when memory runs out. absl::flat_hash_map does not: when its own
// growth, its copy, or the construction of a value throws, it can not even be destroyed. So it
// never grows by itself here: a larger one is made beside it, and the values move there. What
// throws is done before the map is touched. Values move without throwing; they move when others
// come. One writer while nobody reads.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace rackway::fib {

template <class Key, class Value>
class HashMap {
  using Map = absl::flat_hash_map<Key, Value>;
  static_assert(std::is_nothrow_move_constructible_v<Value>);

 public:
  using iterator = typename Map::iterator;
  using value_type = typename Map::value_type;

  HashMap() = default;
  HashMap(const HashMap& other)
      : map_(with_room_for(other.map_.size() + kLeastRoom)), room_(kLeastRoom) {
    for (const auto& [key, value] : other.map_) {
      Value copy(value);
      map_.try_emplace(key, std::move(copy));
    }
  }
  HashMap(HashMap&& other) noexcept
      : map_(std::exchange(other.map_, Map())), room_(std::exchange(other.room_, 0)) {}
  HashMap& operator=(HashMap other) noexcept {
    map_.swap(other.map_);
    std::swap(room_, other.room_);
    return *this;
  }
  ~HashMap() = default;

  [[nodiscard]] auto find(const Key& key) { return map_.find(key); }
  [[nodiscard]] auto find(const Key& key) const { return map_.find(key); }
  [[nodiscard]] bool contains(const Key& key) const { return map_.contains(key); }
  // Of a key that is there.
  [[nodiscard]] Value& at(const Key& key) { return map_.find(key)->second; }

  [[nodiscard]] Value& operator[](const Key& key) { return try_emplace(key).first->second; }
  // With an empty value; false if the key was there.
  std::pair<iterator, bool> try_emplace(const Key& key) {
    // One probe where there is room and making the value can not fail; what is known never fails.
    if (room_ == 0 || !std::is_nothrow_default_constructible_v<Value>) {
      if (const auto known = map_.find(key); known != map_.end()) return {known, false};
    }
    Value value{};
    if (room_ == 0) grow();
    const auto placed = map_.try_emplace(key, std::move(value));
    if (placed.second) --room_;
    return placed;
  }

  void erase(iterator at) { map_.erase(at); }
  void erase(const Key& key) { map_.erase(key); }
  void clear() { *this = HashMap(); }

  [[nodiscard]] auto begin() { return map_.begin(); }
  [[nodiscard]] auto end() { return map_.end(); }
  [[nodiscard]] auto begin() const { return map_.begin(); }
  [[nodiscard]] auto end() const { return map_.end(); }
  [[nodiscard]] bool empty() const { return map_.empty(); }
  [[nodiscard]] std::size_t size() const { return map_.size(); }
  [[nodiscard]] std::size_t capacity() const { return map_.capacity(); }

 private:
  static constexpr std::size_t kLeastRoom = 8;

  // A map that is empty owns nothing yet when its first allocation fails: it is left undestroyed.
  [[nodiscard]] static Map with_room_for(std::size_t count) {
    alignas(Map) std::byte place[sizeof(Map)];
    Map* const fresh = new (place) Map();
    fresh->reserve(count);
    Map made(std::move(*fresh));
    fresh->~Map();
    return made;
  }
  // A map takes as many values as were reserved, also if some are erased in between.
  void grow() {
    const std::size_t room = map_.size() + kLeastRoom;
    Map larger = with_room_for(map_.size() + room);
    for (auto& [key, value] : map_) larger.try_emplace(key, std::move(value));
    map_.swap(larger);
    room_ = room;
  }

  Map map_;
  std::size_t room_ = 0;  // values that may still come before it would grow
};

}  // namespace rackway::fib
