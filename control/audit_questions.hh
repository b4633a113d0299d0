// SPDX-License-Identifier: Apache-2.0
// What an audit asks of all nodes, and what it expects: lookups at the edges of prefixes of the FIB
// and elsewhere, and where they lead by the records of the routes, by which no node forwards. Kept
// as it was when it was asked, so that later epochs do not matter to the answer.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cluster/messages.hh"
#include "fib/fib.hh"

namespace rackway::control {

class AuditQuestions {
 public:
  AuditQuestions() = default;
  // sweep: behind which route the turn goes on; none: at the first. Moved on.
  AuditQuestions(std::uint64_t number, Epoch epoch, const fib::Fib& content,
                 std::optional<IpPrefix>& sweep, std::mt19937_64& random);

  [[nodiscard]] const cluster::AuditRequest& request() const { return request_; }
  // What is wrong with an answer to this number and epoch; empty: nothing.
  [[nodiscard]] std::string fault_in(const cluster::AuditAnswer& answer) const;

 private:
  struct Expected {
    fib::GroupKind kind{fib::GroupKind::unreachable};
    GroupId group{cluster::AuditOutcome::kNoGroup};
    // Of kind forward, any of these, each with its MTU; sorted.
    std::vector<std::pair<fib::AdjacencyKey, std::uint16_t>> ways;
  };

  void choose(Family family, const fib::Fib& content, std::mt19937_64& random);
  void add_edges(const IpPrefix& prefix, const fib::Fib& content, std::mt19937_64& random);
  void add(const IpAddress& address, const fib::Fib& content, std::mt19937_64& random);
  [[nodiscard]] static Expected expected_of(const fib::Fib& content, const IpAddress& address);
  [[nodiscard]] static bool agrees(const Expected& expected, const cluster::AuditOutcome& outcome);

  cluster::AuditRequest request_;
  std::vector<Expected> expected_;
  fib::Digest digest_;
};

}  // namespace rackway::control
