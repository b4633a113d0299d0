// SPDX-License-Identifier: Apache-2.0
// An EpochCoordinator and model nodes, joined by queues that keep their order and lose, double or
// delay what the test says; the clock is moved by hand. The coordinator is called as Controller
// does it. Watched throughout: no commit to a node that has not said that it prepared the epoch,
// and no epoch number with two contents in the life of one coordinator.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "control/epoch_coordinator.hh"
#include "tests/control/model_node.hh"
#include "tests/control/quiet_log.hh"

namespace rackway::control::testing {

using namespace std::chrono_literals;

enum class Fate { deliver, lose, twice };

class ModelCluster {
 public:
  using Clock = EpochCoordinator::Clock;
  static constexpr auto kStep = 20ms, kStatusEvery = 240ms, kHelloEvery = 1000ms;

  // Decides about every message, from and to a node, and may change it.
  std::function<Fate(NodeId, cluster::Message&)> fate = [](NodeId, auto&) { return Fate::deliver; };
  std::function<Clock::duration()> delay = [] { return Clock::duration{}; };

  struct Site {
    std::unique_ptr<ModelNode> node;  // none while it does not run
    bool frozen = false;              // stopped by a signal: neither reads nor writes
    bool refuses = false;             // nothing can be sent to it
    struct Due {
      cluster::Message message;
      Clock::time_point at;
      unsigned life{};  // of the coordinator that sent it
    };
    std::deque<Due> inbox, outbox;
    Clock::time_point next_word{};
    std::optional<ModelNode::Disk> disk;  // from its next start on
  };

  explicit ModelCluster(std::size_t nodes) : sites(nodes) {
    quiet_log();
    for (unsigned i = 0; i < nodes; ++i) {
      names_.push_back("n" + std::to_string(i));
      start_node(i);
    }
  }

  void start_node(unsigned i) {
    auto* disk = sites[i].disk ? &*sites[i].disk : nullptr;
    sites[i].node = std::make_unique<ModelNode>(names_[i], ++boots_, disk);
    sites[i].next_word = {};
    sites[i].inbox.clear();
  }
  void stop_node(unsigned i) {
    sites[i].node.reset();
    sites[i].inbox.clear();
  }

  // A new life; what the nodes said meanwhile still waits.
  void start_controller() {
    ++life_;
    prepared_.clear();
    coordinator.emplace(
        names_, [this](NodeId id, const auto& message) { return send(id, message); }, now);
  }
  void stop_controller() { coordinator.reset(); }

  void run(Clock::duration time) {
    for (const auto end = now + time; now < end;) {
      now += kStep;
      let_nodes_speak();
      deliver();
      if (coordinator) coordinator->tick(now);
      deliver();
    }
  }
  // Everything that is on its way, in no time.
  void deliver() {
    while (deliver_to_nodes() || deliver_to_controller()) {
    }
  }

  std::string propose(const fib::Delta& delta) {
    const auto done = coordinator->propose(delta, now);
    return done ? "" : done.error().message;
  }

  // What the coordinator has sent since, as "n0 prepare 1>2", "n0 snapshot 2", "n0 commit 2",
  // "n0 asked".
  std::vector<std::string> take_sent() { return std::exchange(sent_, {}); }

  [[nodiscard]] const EpochCoordinator::Node& known(unsigned i) const {
    return coordinator->nodes()[i];
  }
  [[nodiscard]] unsigned life() const { return life_; }
  // Empty when every node holds the coordinator's epoch and content, and it knows.
  [[nodiscard]] std::string disagreement() const {
    if (!coordinator->ready()) return "not ready";
    for (unsigned i = 0; i < sites.size(); ++i) {
      const auto& node = *sites[i].node;
      if (node.epoch() != coordinator->epoch()) return names_[i] + " has another epoch";
      if (node.fib().snapshot() != coordinator->content().snapshot() ||
          node.fib().digest() != coordinator->content().digest()) {
        return names_[i] + " has another content";
      }
      if (!known(i).up || !known(i).in_sync) return names_[i] + " is not known to be in sync";
    }
    return "";
  }

  bool send(NodeId id, const cluster::Message& message) {
    auto& site = sites[id.value];
    if (site.refuses) return false;
    note(id, message);
    put(id, site.inbox, message);
    return true;
  }

  Clock::time_point now{1000h};
  std::vector<Site> sites;
  std::optional<EpochCoordinator> coordinator;
  std::function<void(NodeId, const cluster::AuditAnswer&)> on_audit = [](NodeId, const auto&) {};

 private:
  void note(NodeId id, const cluster::Message& message) {
    const auto number = [](Epoch epoch) { return std::to_string(epoch.value); };
    const auto& name = names_[id.value];
    if (const auto* prepare = std::get_if<cluster::Prepare>(&message)) {
      sent_.push_back(name + " prepare " + number(prepare->base) + ">" + number(prepare->epoch));
    } else if (const auto* snapshot = std::get_if<cluster::PrepareSnapshot>(&message)) {
      sent_.push_back(name + " snapshot " + number(snapshot->epoch));
    } else if (const auto* commit = std::get_if<cluster::Commit>(&message)) {
      sent_.push_back(name + " commit " + number(commit->epoch));
      EXPECT_TRUE(prepared_.contains({id, commit->epoch})) << sent_.back();
    } else if (std::holds_alternative<cluster::SnapshotRequest>(message)) {
      sent_.push_back(name + " asked");
    }
  }

  void put(NodeId id, std::deque<Site::Due>& queue, cluster::Message message) {
    const auto what = fate(id, message);
    if (what == Fate::lose) return;
    auto due = now + delay();
    if (!queue.empty()) due = std::max(due, queue.back().at);
    queue.push_back({message, due, life_});
    if (what == Fate::twice) queue.push_back({std::move(message), due, life_});
  }

  void say(NodeId id, cluster::Message message) {
    put(id, sites[id.value].outbox, std::move(message));
  }

  void let_nodes_speak() {
    for (std::uint16_t i = 0; i < sites.size(); ++i) {
      auto& site = sites[i];
      if (!site.node || site.frozen || now < site.next_word) continue;
      const bool joined = site.node->joined();
      site.next_word = now + (joined ? kStatusEvery : kHelloEvery);
      say({i}, joined ? cluster::Message(site.node->status()) : site.node->hello());
    }
  }

  bool deliver_to_nodes() {
    bool any = false;
    for (std::uint16_t i = 0; i < sites.size(); ++i) {
      auto& site = sites[i];
      if (!site.node) site.inbox.clear();
      while (!site.frozen && !site.inbox.empty() && site.inbox.front().at <= now) {
        const auto due = std::move(site.inbox.front());
        site.inbox.pop_front();
        if (!site.node->joined()) site.next_word = now;  // it reports as soon as it has joined
        for (auto& answer : site.node->take(due.message)) say({i}, std::move(answer));
        if (const auto* commit = std::get_if<cluster::Commit>(&due.message)) {
          watch_published(*site.node, *commit, due.life);
        }
        any = true;
      }
    }
    return any;
  }

  void watch_published(const ModelNode& node, const cluster::Commit& commit, unsigned life) {
    if (node.epoch() != commit.epoch) return;
    const auto [at, is_new] = published_.try_emplace({life, node.epoch()}, node.fib().digest());
    EXPECT_EQ(at->second, node.fib().digest()) << "epoch " << node.epoch().value;
  }

  bool deliver_to_controller() {
    bool any = false;
    for (std::uint16_t i = 0; i < sites.size(); ++i) {
      auto& outbox = sites[i].outbox;
      while (coordinator && !outbox.empty() && outbox.front().at <= now) {
        const auto message = std::move(outbox.front().message);
        outbox.pop_front();
        dispatch({i}, message);
        any = true;
      }
    }
    return any;
  }

  void dispatch(NodeId id, const cluster::Message& message) {
    const auto before = known(id.value).boot_id;
    if (const auto* hello = std::get_if<cluster::Hello>(&message)) {
      put(id, sites[id.value].inbox, cluster::Welcome{});
      if (hello->boot_id != before) {
        std::erase_if(prepared_, [&](const auto& entry) { return entry.first == id; });
      }
    } else if (before == 0) {
      return put(id, sites[id.value].inbox, cluster::HelloRequest{});
    }
    if (const auto* prepared = std::get_if<cluster::Prepared>(&message)) {
      if (prepared->digest == coordinator->content().digest()) {
        prepared_.insert({id, prepared->epoch});
      }
    }
    if (const auto* answer = std::get_if<cluster::AuditAnswer>(&message)) on_audit(id, *answer);
    std::visit(
        [&](const auto& one) {
          if constexpr (requires { coordinator->on(id, one, now); }) coordinator->on(id, one, now);
        },
        message);
    expect_sync_is_true();
  }

  void expect_sync_is_true() const {
    for (unsigned i = 0; i < sites.size(); ++i) {
      if (!known(i).in_sync) continue;
      EXPECT_TRUE(known(i).up);
      EXPECT_EQ(known(i).epoch, coordinator->epoch());
      EXPECT_EQ(known(i).digest, coordinator->content().digest());
    }
  }

  std::vector<std::string> names_;
  std::vector<std::string> sent_;
  std::set<std::pair<NodeId, Epoch>> prepared_;
  std::map<std::pair<unsigned, Epoch>, fib::Digest> published_;  // by life and number
  std::uint64_t boots_ = 0;
  unsigned life_ = 0;
};

// ---- contents

inline IpPrefix route_to(unsigned number) {
  return {Ipv4Address{0x0a000000 + (number << 8)}, 24};
}

// Route number i goes to a group of that kind, which comes with it when it is not there yet.
inline fib::Delta set_route(const fib::Fib& content, unsigned number,
                            fib::GroupKind kind = fib::GroupKind::blackhole) {
  const GroupId id{static_cast<std::uint32_t>(kind)};
  fib::Delta delta{.routes = {{route_to(number), id}}};
  if (content.find(id) == nullptr) delta.groups.push_back({id, kind, {}});
  return delta;
}

}  // namespace rackway::control::testing
