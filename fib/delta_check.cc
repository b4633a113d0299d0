// SPDX-License-Identifier: Apache-2.0
// In the order records, keys, references: each step may rely on what those before it found sound.
#include "fib/delta_check.hh"

#include <functional>
#include <unordered_map>

#include "fib/key_changes.hh"
#include "fib/record_check.hh"

namespace rackway::fib {
namespace {

template <class Key>
tl::unexpected<Error> refuse(const Key& key, const std::string& why) {
  return fail(name_of(key) + ": " + why);
}

template <class Record>
Result<void> check_records(const std::vector<Record>& records) {
  for (const Record& record : records) {
    if (auto checked = check_record(record); !checked) return checked;
  }
  return {};
}

template <class Key>
Result<void> check_keys(const KeyChanges<Key>& changes) {
  if (const auto key = changes.twice()) return refuse(*key, "is in the delta twice");
  return {};
}

class DeltaCheck {
 public:
  DeltaCheck(const FibContent& content, const Delta& delta)
      : content_(content),
        delta_(delta),
        adjacencies_(delta.adjacencies, &Adjacency::key, delta.removed_adjacencies),
        groups_(delta.groups, &Group::id, delta.removed_groups),
        routes_(delta.routes, &Route::prefix, delta.removed_routes),
        addresses_(delta.addresses, std::identity{}, delta.removed_addresses) {}

  [[nodiscard]] Result<void> run() const {
    for (const auto step :
         {&DeltaCheck::records, &DeltaCheck::keys, &DeltaCheck::members, &DeltaCheck::route_groups,
          &DeltaCheck::removals, &DeltaCheck::adjacency_users, &DeltaCheck::group_users,
          &DeltaCheck::room}) {
      if (auto checked = (this->*step)(); !checked) return checked;
    }
    return {};
  }

 private:
  [[nodiscard]] Result<void> records() const {
    if (auto checked = check_records(delta_.adjacencies); !checked) return checked;
    if (auto checked = check_records(delta_.groups); !checked) return checked;
    if (auto checked = check_records(delta_.routes); !checked) return checked;
    return check_records(delta_.addresses);
  }

  [[nodiscard]] Result<void> keys() const {
    if (auto checked = check_keys(adjacencies_); !checked) return checked;
    if (auto checked = check_keys(groups_); !checked) return checked;
    if (auto checked = check_keys(routes_); !checked) return checked;
    return check_keys(addresses_);
  }

  [[nodiscard]] Result<void> members() const {
    for (const Group& group : delta_.groups) {
      for (const GroupMember& member : group.members) {
        const auto key = member.adjacency;
        const bool known = adjacencies_.sets(key) ||
                           (content_.adjacencies.find(key) && !adjacencies_.removes(key));
        if (!known) return refuse(group.id, name_of(key) + " is unknown");
      }
    }
    return {};
  }

  [[nodiscard]] Result<void> route_groups() const {
    for (const Route& route : delta_.routes) {
      const auto id = route.group;
      const bool known =
          groups_.sets(id) || (content_.groups.find(id) != nullptr && !groups_.removes(id));
      if (!known) return refuse(route.prefix, name_of(id) + " is unknown");
    }
    return {};
  }

  [[nodiscard]] Result<void> removals() const {
    static constexpr const char* kUnknown = "to be removed, is unknown";
    for (const auto key : delta_.removed_adjacencies) {
      if (!content_.adjacencies.find(key)) return refuse(key, kUnknown);
    }
    for (const auto id : delta_.removed_groups) {
      if (!content_.groups.find(id)) return refuse(id, kUnknown);
    }
    for (const auto& prefix : delta_.removed_routes) {
      if (!content_.find(prefix)) return refuse(prefix, kUnknown);
    }
    for (const auto& address : delta_.removed_addresses) {
      if (!content_.addresses.contains(address)) return refuse(address, kUnknown);
    }
    return {};
  }

  // A group on a removed adjacency must go too or be set anew; members() has seen to it that the
  // new one does not name the adjacency.
  [[nodiscard]] Result<void> adjacency_users() const {
    const auto& groups = content_.groups;
    for (const auto key : delta_.removed_adjacencies) {
      for (auto user = groups.next_user(key, {0}); user;
           user = groups.next_user(key, {user->value + 1})) {
        if (!groups_.sets(*user) && !groups_.removes(*user)) {
          return refuse(key, "to be removed, is still a member of " + name_of(*user));
        }
      }
    }
    return {};
  }

  // Every route on a removed group must leave it in this delta; route_groups() has seen to it that
  // none comes.
  [[nodiscard]] Result<void> group_users() const {
    if (delta_.removed_groups.empty()) return {};
    std::unordered_map<GroupId, std::size_t> staying;
    for (const auto id : delta_.removed_groups) staying[id] = content_.groups.routes_on(id);
    const auto leaves = [&](const IpPrefix& prefix) {
      const auto old = content_.find(prefix);
      if (!old) return;
      if (const auto group = staying.find(old->group); group != staying.end()) --group->second;
    };
    for (const Route& route : delta_.routes) leaves(route.prefix);
    for (const IpPrefix& prefix : delta_.removed_routes) leaves(prefix);
    for (const auto id : delta_.removed_groups) {
      if (const auto routes = staying[id]; routes != 0) {
        return refuse(id, "to be removed, is still used by " + std::to_string(routes) + " routes");
      }
    }
    return {};
  }

  [[nodiscard]] Result<void> room() const {
    const auto is_ipv4 = [](const IpPrefix& prefix) { return prefix.address.is_v4(); };
    const auto after = [&](bool ipv4, std::size_t before) {
      for (const Route& route : delta_.routes) {
        before += is_ipv4(route.prefix) == ipv4 && !content_.find(route.prefix) ? 1 : 0;
      }
      for (const IpPrefix& prefix : delta_.removed_routes)
        before -= is_ipv4(prefix) == ipv4 ? 1 : 0;
      return before;
    };
    if (content_.ipv4.size() + delta_.routes.size() > kMaxIpv4Routes &&
        after(true, content_.ipv4.size()) > kMaxIpv4Routes) {
      return fail("more than " + std::to_string(kMaxIpv4Routes) + " IPv4 routes");
    }
    if (content_.ipv6.size() + delta_.routes.size() > kMaxIpv6Routes &&
        after(false, content_.ipv6.size()) > kMaxIpv6Routes) {
      return fail("more than " + std::to_string(kMaxIpv6Routes) + " IPv6 routes");
    }
    return {};
  }

  const FibContent& content_;
  const Delta& delta_;
  const KeyChanges<AdjacencyKey> adjacencies_;
  const KeyChanges<GroupId> groups_;
  const KeyChanges<IpPrefix> routes_;
  const KeyChanges<PortAddress> addresses_;
};

}  // namespace

Result<void> check_delta(const FibContent& content, const Delta& delta) {
  return DeltaCheck(content, delta).run();
}

}  // namespace rackway::fib
