// SPDX-License-Identifier: Apache-2.0
#include "control/epoch_coordinator.hh"

#include <algorithm>
#include <utility>

#include "base/log.hh"

namespace rackway::control {
namespace {

using namespace std::chrono_literals;

constexpr auto kListen = 1500ms;         // for hellos after a start
constexpr auto kSnapshotWait = 5s;       // for the FIB of the newest node
constexpr auto kSilence = 2s;            // without a word a node is down
constexpr auto kAbsence = 500ms;         // between ticks: we were stopped, or short of CPU
constexpr auto kRetry = 500ms;           // after a failed attempt
constexpr auto kAnswerBase = 1s;         // for an answer to prepare or commit,
constexpr auto kAnswerPerRecord = 10us;  // more for large ones
// A node that writes a large file says that it has kept an epoch when there have been many since.
constexpr std::size_t kRemembered = 8192;
constexpr Epoch kKeepsNothing{~std::uint64_t{0}};

std::size_t records_in(const fib::Delta& delta) {
  return delta.adjacencies.size() + delta.groups.size() + delta.routes.size() +
         delta.addresses.size() + delta.removed_adjacencies.size() + delta.removed_groups.size() +
         delta.removed_routes.size() + delta.removed_addresses.size();
}

}  // namespace

EpochCoordinator::EpochCoordinator(std::vector<std::string> node_names, Send send,
                                   Clock::time_point now)
    : names_(std::move(node_names)),
      send_(std::move(send)),
      nodes_(names_.size()),
      started_(now),
      last_tick_(now),
      asked_in_vain_(names_.size(), false) {}

// ---- what nodes say

EpochCoordinator::Node& EpochCoordinator::heard(NodeId id, Clock::time_point now) {
  auto& node = nodes_[id.value];
  if (!node.up) log::info("node {} is up", names_[id.value]);
  node.up = true;
  node.heard = now;
  return node;
}

// A number alone says little: a node may have it from another controller, for another content.
void EpochCoordinator::learn(Node& node, Epoch epoch, const fib::Digest& digest) {
  if (!recovering_ && !node.distrusted && epoch == epoch_ && digest == content_.digest()) {
    node.ours = epoch;
  } else if (epoch != node.epoch || digest != node.digest) {
    node.ours = {};
  }
  node.epoch = epoch;
  node.digest = digest;
}

// What it had before that one it can not come back with: it has written over it.
void EpochCoordinator::learn_kept(Node& node, const cluster::Status& status) {
  if (node.kept == kKeepsNothing) return;
  node.kept = made(status.kept_epoch, status.kept_digest) ? status.kept_epoch : Epoch{};
}

void EpochCoordinator::remember() {
  made_.emplace_back(epoch_, content_.digest());
  if (made_.size() > kRemembered) made_.pop_front();
}

bool EpochCoordinator::made(Epoch epoch, const fib::Digest& digest) const {
  const auto at = std::ranges::lower_bound(made_, epoch, {}, [](const auto& m) { return m.first; });
  return at != made_.end() && *at == std::pair(epoch, digest);
}

void EpochCoordinator::on(NodeId id, const cluster::Hello& message, Clock::time_point now) {
  auto& node = heard(id, now);
  if (node.boot_id != message.boot_id && transaction_) {
    transaction_->phases[id.value] = Phase::none;  // whatever it had prepared is gone
  }
  if (node.boot_id != message.boot_id) node.distrusted = false;
  node.boot_id = message.boot_id;
  node.kept = message.keeps_state ? Epoch{} : kKeepsNothing;
  learn(node, message.epoch, message.digest);
  node.whole = message.epoch;
  node.in_sync = !recovering_ && !node.distrusted && node.epoch == epoch_ &&
                 node.digest == content_.digest() && !transaction_;
  highest_seen_ = std::max(highest_seen_, message.epoch);
  advance(now);
}

void EpochCoordinator::on(NodeId id, const cluster::Status& message, Clock::time_point now) {
  auto& node = heard(id, now);
  highest_seen_ = std::max(highest_seen_, message.epoch);
  learn_kept(node, message);
  if (transaction_ && transaction_->phases[id.value] != Phase::none) return;  // about to change
  learn(node, message.epoch, message.digest);
  if (recovering_ || transaction_) return;
  const bool agrees = node.epoch == epoch_ && node.digest == content_.digest();
  if (node.in_sync && !agrees) {
    log::error("{} has drifted: epoch {}, ours is {}", names_[id.value], node.epoch.value,
               epoch_.value);
  }
  node.in_sync = agrees && !node.distrusted;
}

void EpochCoordinator::on(NodeId id, const cluster::Prepared& message, Clock::time_point now) {
  heard(id, now);
  auto* phase = phase_of(id, message.epoch);
  if (phase == nullptr || *phase != Phase::preparing) return;
  if (message.digest != content_.digest()) {
    log::error("{} would differ in epoch {}", names_[id.value], message.epoch.value);
    leave_behind(id, "its digest differs", now);
  } else {
    *phase = Phase::prepared;
  }
  advance(now);
}

void EpochCoordinator::on(NodeId id, const cluster::Refused& message, Clock::time_point now) {
  heard(id, now);
  if (phase_of(id, message.epoch) == nullptr) return;
  leave_behind(id, message.reason, now);
  advance(now);
}

void EpochCoordinator::on(NodeId id, const cluster::Committed& message, Clock::time_point now) {
  auto& node = heard(id, now);
  auto* phase = phase_of(id, message.epoch);
  if (phase == nullptr || *phase != Phase::committing) return;
  if (transaction_->takes_snapshot[id.value]) {
    node.whole = message.epoch;
    node.distrusted = false;
  }
  learn(node, message.epoch, message.digest);
  node.in_sync = message.digest == content_.digest() && !node.distrusted;
  *phase = Phase::done;
  advance(now);
}

// ---- after a start

void EpochCoordinator::on(NodeId id, const cluster::NodeSnapshot& message, Clock::time_point now) {
  heard(id, now);
  if (!recovering_ || asked_for_snapshot_ != id) return;
  fib::Fib taken;
  if (const auto applied = taken.apply(message.content); !applied) {
    log::error("the FIB of {} can not be taken over: {}", names_[id.value],
               applied.error().message);
    return pass_over();
  }
  content_ = std::move(taken);
  epoch_ = message.epoch;
  remember();
  took_over_ = true;
  recovered_ = message.content;
  log::info("took over epoch {} of {}", epoch_.value, names_[id.value]);
  finish_recovery();
}

void EpochCoordinator::finish_recovery() {
  recovering_ = false;
  const auto digest = content_.digest();
  for (auto& node : nodes_) {
    const bool agrees = node.epoch == epoch_ && node.digest == digest;
    node.in_sync = node.up && agrees;
    if (agrees) node.ours = epoch_;
  }
}

void EpochCoordinator::recover(Clock::time_point now) {
  if (asked_for_snapshot_) {
    if (now < snapshot_deadline_) return;
    pass_over();
  }
  const bool all_up = std::all_of(nodes_.begin(), nodes_.end(), [](const auto& n) { return n.up; });
  if (!all_up && now < started_ + kListen) return;
  const auto newest = newest_holder();
  if (!newest) {
    // Nobody holds anything, or all were asked in vain: those that are still there once more.
    if (std::count(asked_in_vain_.begin(), asked_in_vain_.end(), true) == 0) finish_recovery();
    asked_in_vain_.assign(nodes_.size(), false);
    return;
  }
  asked_for_snapshot_ = newest;
  snapshot_deadline_ = now + kSnapshotWait;
  send_(*newest, cluster::SnapshotRequest{});
}

// Another one is to be asked.
void EpochCoordinator::pass_over() {
  log::warn("the FIB of {} can not be had", names_[asked_for_snapshot_->value]);
  asked_in_vain_[asked_for_snapshot_->value] = true;
  asked_for_snapshot_.reset();
}

std::optional<NodeId> EpochCoordinator::newest_holder() const {
  std::optional<NodeId> newest;
  Epoch epoch;
  for (std::uint16_t i = 0; i < nodes_.size(); ++i) {
    if (!nodes_[i].up || asked_in_vain_[i] || nodes_[i].epoch <= epoch) continue;
    newest = NodeId{i};
    epoch = nodes_[i].epoch;
  }
  return newest;
}

std::optional<fib::Delta> EpochCoordinator::take_recovered() {
  return std::exchange(recovered_, std::nullopt);
}

// ---- transactions

Epoch EpochCoordinator::next_epoch() const {
  return {std::max(epoch_, highest_seen_).value + 1};
}

Result<void> EpochCoordinator::propose(const fib::Delta& delta, Clock::time_point now) {
  if (auto applied = content_.apply(delta); !applied) return applied;
  const Epoch base = epoch_;
  epoch_ = next_epoch();
  remember();
  begin(base, delta, false, now);
  return {};
}

// Nodes that are up and behind get the present content; when one of them is ahead (it served an
// older controller), or nobody has an epoch of ours yet, the number moves on first, for all.
void EpochCoordinator::resynchronise(Clock::time_point now) {
  const bool behind = std::any_of(nodes_.begin(), nodes_.end(), [&](const auto& node) {
    return node.up && !node.in_sync && now >= node.retry_at;
  });
  if (!behind && !took_over_) return;
  const bool for_all = highest_seen_ > epoch_ || took_over_;
  const Epoch base = epoch_;
  if (for_all) {
    epoch_ = next_epoch();
    remember();
  }
  begin(base, {}, !for_all, now);
}

void EpochCoordinator::begin(Epoch base, const fib::Delta& delta, bool only_behind,
                             Clock::time_point now) {
  took_over_ = false;
  std::optional<cluster::PrepareSnapshot> snapshot;
  std::size_t records = records_in(delta);
  transaction_ = Transaction{.epoch = epoch_,
                             .phases = std::vector<Phase>(nodes_.size()),
                             .takes_snapshot = std::vector<bool>(nodes_.size())};
  for (std::uint16_t i = 0; i < nodes_.size(); ++i) {
    auto& node = nodes_[i];
    if (!node.up || (only_behind && node.in_sync) || (!node.in_sync && now < node.retry_at)) {
      continue;
    }
    const bool takes_delta = node.in_sync && node.epoch == base;
    node.in_sync = false;
    if (!takes_delta && !snapshot) {
      snapshot = cluster::PrepareSnapshot{epoch_, content_.snapshot()};
      records += records_in(snapshot->content);
    }
    const bool sent = takes_delta ? send_(NodeId{i}, cluster::Prepare{base, epoch_, delta})
                                  : send_(NodeId{i}, *snapshot);
    transaction_->phases[i] = Phase::preparing;
    transaction_->takes_snapshot[i] = !takes_delta;
    if (!sent) leave_behind(NodeId{i}, "nothing can be sent to it", now);
  }
  transaction_->answer_time = kAnswerBase + records * kAnswerPerRecord;
  transaction_->deadline = now + transaction_->answer_time;
  advance(now);
}

EpochCoordinator::Phase* EpochCoordinator::phase_of(NodeId node, Epoch epoch) {
  if (!transaction_ || transaction_->epoch != epoch) return nullptr;
  auto& phase = transaction_->phases[node.value];
  return phase == Phase::none ? nullptr : &phase;
}

bool EpochCoordinator::any_in(Phase phase) const {
  return std::find(transaction_->phases.begin(), transaction_->phases.end(), phase) !=
         transaction_->phases.end();
}

void EpochCoordinator::advance(Clock::time_point now) {
  if (!transaction_) return;
  if (!transaction_->committing && !any_in(Phase::preparing)) start_committing(now);
  if (transaction_->committing && !any_in(Phase::committing)) transaction_.reset();
}

void EpochCoordinator::start_committing(Clock::time_point now) {
  transaction_->committing = true;
  transaction_->deadline = now + transaction_->answer_time;
  for (std::uint16_t i = 0; i < nodes_.size(); ++i) {
    if (transaction_->phases[i] != Phase::prepared) continue;
    transaction_->phases[i] = Phase::committing;
    if (!send_(NodeId{i}, cluster::Commit{epoch_})) {
      leave_behind(NodeId{i}, "nothing can be sent to it", now);
    }
  }
}

void EpochCoordinator::leave_behind(NodeId id, const std::string& why, Clock::time_point now) {
  auto& node = nodes_[id.value];
  log::warn("{} is left behind in epoch {}: {}", names_[id.value], epoch_.value, why);
  node.in_sync = false;
  node.retry_at = now + kRetry;
  if (transaction_) transaction_->phases[id.value] = Phase::none;
}

void EpochCoordinator::distrust(NodeId id, const std::string& why, Clock::time_point now) {
  auto& node = nodes_[id.value];
  node.distrusted = true;
  node.ours = {};
  leave_behind(id, why, now);
  advance(now);
}

Result<void> EpochCoordinator::renew_content() {
  fib::Fib fresh;
  if (auto applied = fresh.apply(content_.snapshot()); !applied) return applied;
  content_ = std::move(fresh);
  epoch_ = next_epoch();
  remember();
  for (auto& node : nodes_) node.in_sync = false;
  return {};
}

void EpochCoordinator::drop_silent(Clock::time_point now) {
  for (std::uint16_t i = 0; i < nodes_.size(); ++i) {
    auto& node = nodes_[i];
    // A node that takes in a large epoch says nothing meanwhile: the deadline is for that.
    const bool busy = transaction_ && transaction_->phases[i] != Phase::none;
    if (!node.up || busy || now < node.heard + kSilence) continue;
    log::warn("node {} is down", names_[i]);
    node.up = node.in_sync = false;
  }
}

// Time in which nobody listened does not count: what was said in it may still be on its way here.
void EpochCoordinator::excuse(Clock::duration absence, Clock::time_point now) {
  for (auto& node : nodes_) node.heard = std::min(now, node.heard + absence);
  started_ += absence;
  snapshot_deadline_ += absence;
  if (transaction_) transaction_->deadline += absence;
}

void EpochCoordinator::tick(Clock::time_point now) {
  const auto absence = now - std::exchange(last_tick_, now);
  if (absence >= kAbsence) excuse(absence, now);
  if (transaction_ && now >= transaction_->deadline) {
    for (std::uint16_t i = 0; i < nodes_.size(); ++i) {
      const auto phase = transaction_->phases[i];
      if (phase == Phase::preparing || phase == Phase::committing) {
        leave_behind(NodeId{i}, "no answer in time", now);
      }
    }
    advance(now);
  }
  drop_silent(now);
  if (recovering_) return recover(now);
  if (!transaction_) resynchronise(now);
}

Epoch EpochCoordinator::everywhere() const {
  Epoch least = epoch_;
  for (const auto& node : nodes_) least = std::min({least, node.ours, node.kept});
  return least;
}

}  // namespace rackway::control
