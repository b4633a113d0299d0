// SPDX-License-Identifier: Apache-2.0
// The different ways that routes go, each kept once and counted: a table of a million routes has a
// few. A path set is either resolved by its source (the kernel knows interface and neighbour), or
// names next hops by address, which others routes lead to. One thread.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "control/route_plan.hh"

namespace rackway::control {

// A next hop by its address: a neighbour's, or one that some route leads to.
struct Via {
  IpAddress address;
  std::uint16_t weight{1};  // 1..65535
  auto operator<=>(const Via&) const = default;
};

struct Paths {
  Target target;  // when there is no via
  std::vector<InterfaceRef>
      on_link;           // of kind glean: where hosts of the prefix are neighbours; sorted
  std::vector<Via> via;  // sorted, of different addresses
  auto operator<=>(const Paths&) const = default;
};

using PathsId = Id<struct PathsTag, std::uint32_t>;
inline constexpr PathsId kNoPaths{0xffffffff};

class PathSets {
 public:
  // One user more. True with a set that nobody had.
  std::pair<PathsId, bool> acquire(const Paths& paths);
  void acquire(PathsId id) { ++sets_[id.value].users; }
  // One that is nobody else's and may become another under its users; with one user.
  PathsId acquire_own(Paths paths);
  void change(PathsId own, Paths paths) { *sets_[own.value].own = std::move(paths); }
  [[nodiscard]] bool is_own(PathsId id) const { return sets_[id.value].own != nullptr; }
  // One user less. True when that was the last, and the id is free.
  bool release(PathsId id);

  [[nodiscard]] const Paths& operator[](PathsId id) const { return *sets_[id.value].paths; }
  // Ids are below it.
  [[nodiscard]] std::size_t end() const { return sets_.size(); }
  [[nodiscard]] bool contains(PathsId id) const { return sets_[id.value].users > 0; }

 private:
  struct Set {
    const Paths* paths{};  // the key in ids_, or own
    std::size_t users{};
    std::unique_ptr<Paths> own{};
  };
  PathsId free_id();

  std::map<Paths, PathsId> ids_;
  std::vector<Set> sets_;
  std::vector<PathsId> free_;
};

}  // namespace rackway::control
