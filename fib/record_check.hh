// SPDX-License-Identifier: Apache-2.0
// Whether a record makes sense by itself: ids, lengths and kinds in range. What it refers to is not
// looked at. The error names the record, as do the names here for whoever has more to say of it.
#pragma once

#include <string>

#include "base/result.hh"
#include "fib/records.hh"

namespace rackway::fib {

inline constexpr std::uint16_t kMinMtu = 68;  // RFC 791 3.2: every link carries 68 octets

[[nodiscard]] Result<void> check_record(const Adjacency& adjacency);
[[nodiscard]] Result<void> check_record(const Group& group);
[[nodiscard]] Result<void> check_record(const Route& route);
[[nodiscard]] Result<void> check_record(const PortAddress& address);

[[nodiscard]] std::string name_of(const AdjacencyKey& key);  // "adjacency 7 of node 1"
[[nodiscard]] std::string name_of(const GroupId& id);        // "group 7"
[[nodiscard]] std::string name_of(const IpPrefix& prefix);   // "route 10.0.0.0/8"
[[nodiscard]] std::string name_of(
    const PortAddress& address);  // "address 10.0.0.1/24 of port 2 ..."

}  // namespace rackway::fib
