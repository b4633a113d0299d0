// SPDX-License-Identifier: Apache-2.0
// The keys of one kind of record that a delta touches, each with what happens to it: set or
// removed. Made once per delta, sorted, then asked many times. A plain value.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

namespace rackway::fib {

template <class Key>
class KeyChanges {
 public:
  // key_of(record) is the key of a record that is set.
  template <class Record, class KeyOf>
  KeyChanges(const std::vector<Record>& set, KeyOf key_of, const std::vector<Key>& removed) {
    changes_.reserve(set.size() + removed.size());
    for (const auto& record : set) changes_.push_back({std::invoke(key_of, record), false});
    for (const auto& key : removed) changes_.push_back({key, true});
    // A snapshot comes sorted.
    if (!std::ranges::is_sorted(changes_, {}, &Change::key)) {
      std::ranges::sort(changes_, {}, &Change::key);
    }
  }

  // A key that the delta names more than once.
  [[nodiscard]] std::optional<Key> twice() const {
    const auto at = std::ranges::adjacent_find(changes_, {}, &Change::key);
    return at == changes_.end() ? std::nullopt : std::optional<Key>(at->key);
  }

  // Requires that no key is there twice.
  [[nodiscard]] bool sets(const Key& key) const { return contains(key, false); }
  [[nodiscard]] bool removes(const Key& key) const { return contains(key, true); }

 private:
  struct Change {
    Key key;
    bool removed;
  };
  [[nodiscard]] bool contains(const Key& key, bool removed) const {
    const auto at = std::ranges::lower_bound(changes_, key, {}, &Change::key);
    return at != changes_.end() && at->key == key && at->removed == removed;
  }

  std::vector<Change> changes_;
};

}  // namespace rackway::fib
