// SPDX-License-Identifier: Apache-2.0
// Brings one FIB to all nodes in epochs. An epoch is a transaction: prepare to every node that is
// up (a delta to those that hold the epoch before, a snapshot to the others), each answers with the
// digest of its whole standby FIB, the digests are compared with our own, then commit to those that
// agree. One transaction at a time. A node that disagrees, refuses, or does not answer in time is
// left behind and gets a snapshot in a later transaction; it holds up nobody.
//
// After a start the coordinator first listens (recovering()) which epoch the nodes hold, and takes
// the newest one's FIB over, so that numbers go on and nothing is lost that the nodes forward by.
// Then all nodes get an epoch of ours, even if it changes nothing: one that has it has nothing of
// an older controller on its way any more.
//
// tests/model/epoch_coordinator.pml is this in Promela: its states (Node and Transaction, the
// phases) and functions have the names that they have here, and epochs.pml says what is checked of
// them, for all orders of events. What is changed here is changed there.
//
// One thread. Time and sending are given from outside; see tests/control/epoch_coordinator_test.cc.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hh"
#include "cluster/messages.hh"
#include "fib/fib.hh"

namespace rackway::control {

class EpochCoordinator {
 public:
  using Clock = std::chrono::steady_clock;
  using Send = std::function<bool(NodeId, const cluster::Message&)>;

  struct Node {
    bool up{};
    bool in_sync{};     // holds epoch() with digest(), and no audit says otherwise
    bool distrusted{};  // an audit does, until it has got the whole FIB
    Epoch epoch;
    fib::Digest digest;
    Epoch whole;  // in which it had or got the whole FIB at once; its epochs since were deltas
    Epoch ours;   // the epoch of this coordinator that it is known to hold, 0 for anything else
    // As `ours`, of what a restart without us may bring back; the largest of all when it brings
    // nothing back.
    Epoch kept;
    std::uint64_t boot_id{};
    Clock::time_point heard{};
    Clock::time_point retry_at{};  // not before then after a failed attempt
  };

  EpochCoordinator(std::vector<std::string> node_names, Send send, Clock::time_point now);

  // ---- what happens
  void on(NodeId node, const cluster::Hello& message, Clock::time_point now);
  void on(NodeId node, const cluster::Status& message, Clock::time_point now);
  void on(NodeId node, const cluster::Prepared& message, Clock::time_point now);
  void on(NodeId node, const cluster::Refused& message, Clock::time_point now);
  void on(NodeId node, const cluster::Committed& message, Clock::time_point now);
  void on(NodeId node, const cluster::NodeSnapshot& message, Clock::time_point now);
  void tick(Clock::time_point now);
  // The node differs, whatever digest it tells: it is left behind, hence gets a snapshot.
  void distrust(NodeId node, const std::string& why, Clock::time_point now);
  // Requires ready(). The content is made anew of its records, and all nodes get the whole of it,
  // in an epoch of its own. An error says what is wrong with the records; nothing has changed then.
  [[nodiscard]] Result<void> renew_content();

  // ---- changes
  // True when the next change can be proposed: recovered, and no transaction on its way.
  [[nodiscard]] bool ready() const { return !recovering_ && !transaction_; }
  // Requires ready(). The content has the delta from now on. An error (a delta that does not fit)
  // is our own fault and changes nothing.
  [[nodiscard]] Result<void> propose(const fib::Delta& delta, Clock::time_point now);
  // The epoch that the next proposal will have.
  [[nodiscard]] Epoch next_epoch() const;
  // What was taken over from the nodes; once, after recovery.
  [[nodiscard]] std::optional<fib::Delta> take_recovered();

  // ---- state
  [[nodiscard]] bool recovering() const { return recovering_; }
  [[nodiscard]] const fib::Fib& content() const { return content_; }
  [[nodiscard]] Epoch epoch() const { return epoch_; }
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  // The newest epoch that every node of the cluster, up or down, is known to have, and to have kept
  // if it keeps any.
  [[nodiscard]] Epoch everywhere() const;

 private:
  // Of a node in the transaction; none: it is not, or no longer, part of it.
  enum class Phase : std::uint8_t { none, preparing, prepared, committing, done };
  struct Transaction {
    Epoch epoch;
    bool committing{};
    Clock::duration answer_time{};  // to prepare, and to commit
    Clock::time_point deadline;
    std::vector<Phase> phases;         // by node
    std::vector<bool> takes_snapshot;  // by node
  };

  Node& heard(NodeId node, Clock::time_point now);
  void learn(Node& node, Epoch epoch, const fib::Digest& digest);
  void learn_kept(Node& node, const cluster::Status& status);
  void remember();
  [[nodiscard]] bool made(Epoch epoch, const fib::Digest& digest) const;
  void recover(Clock::time_point now);
  void finish_recovery();
  void pass_over();
  [[nodiscard]] std::optional<NodeId> newest_holder() const;
  void resynchronise(Clock::time_point now);
  void begin(Epoch base, const fib::Delta& delta, bool only_behind, Clock::time_point now);
  void advance(Clock::time_point now);
  void start_committing(Clock::time_point now);
  void leave_behind(NodeId node, const std::string& why, Clock::time_point now);
  void drop_silent(Clock::time_point now);
  void excuse(Clock::duration absence, Clock::time_point now);
  [[nodiscard]] Phase* phase_of(NodeId node, Epoch epoch);
  [[nodiscard]] bool any_in(Phase phase) const;

  std::vector<std::string> names_;
  Send send_;
  std::vector<Node> nodes_;
  fib::Fib content_;
  Epoch epoch_;
  std::deque<std::pair<Epoch, fib::Digest>> made_;  // the latest epochs of ours, ascending
  Epoch highest_seen_;                              // of any node: our numbers go on from there
  std::optional<Transaction> transaction_;

  bool recovering_ = true;
  bool took_over_ = false;  // and has made no epoch of its own since
  Clock::time_point started_, last_tick_;
  std::optional<NodeId> asked_for_snapshot_;
  std::vector<bool> asked_in_vain_;  // by node
  Clock::time_point snapshot_deadline_{};
  std::optional<fib::Delta> recovered_;
};

}  // namespace rackway::control
