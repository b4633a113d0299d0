// SPDX-License-Identifier: Apache-2.0
// The next hops that path sets name by address, each resolved once for all routes via it, and which
// of them a change of routes may move: those that the changed prefix covers, and those that were
// resolved by way of such a one. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "control/rib/resolver.hh"

namespace rackway::control {

class NextHopTable {
 public:
  // `user` names the address; it is dirty until the next refresh() when nobody did before.
  void acquire(const IpAddress& address, PathsId user);
  void release(const IpAddress& address, PathsId user);

  // Routes of this prefix have changed.
  void prefix_changed(const IpPrefix& prefix);
  [[nodiscard]] bool dirty() const { return !dirty_.empty(); }

  struct Refreshed {
    std::set<PathsId> users;          // of next hops that lead elsewhere now
    std::vector<IpPrefix> consulted;  // their own routes may lead elsewhere; sorted
  };
  // Resolves the dirty ones anew.
  [[nodiscard]] Refreshed refresh(const Resolver& resolver);

  // As of the last refresh(). Of one that somebody names.
  [[nodiscard]] const std::optional<Target>& target_of(const IpAddress& address) const {
    return hops_.at(address).target;
  }
  // Whether resolving one of these next hops consulted the prefix.
  [[nodiscard]] bool consulted(const IpPrefix& prefix, const std::vector<Via>& via) const;

  // visit(prefix) for every prefix that was consulted for some next hop.
  template <class Visit>
  void for_each_consulted(Visit visit) const {
    for (const auto& [prefix, addresses] : consulted_by_) visit(prefix);
  }
  [[nodiscard]] std::size_t size() const { return hops_.size(); }

 private:
  struct Hop {
    std::set<PathsId> users;
    std::optional<Target> target;
    std::vector<IpPrefix> consulted;
    std::vector<IpAddress> addresses;  // resolved on the way, itself among them
  };
  void link(const IpAddress& address, const Hop& hop);
  void unlink(const IpAddress& address, const Hop& hop);

  std::map<IpAddress, Hop> hops_;
  std::map<IpAddress, std::set<IpAddress>> visitors_;  // resolved by way of the key
  std::unordered_map<IpPrefix, std::set<IpAddress>> consulted_by_;
  std::set<IpAddress> dirty_;
};

}  // namespace rackway::control
