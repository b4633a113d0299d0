// SPDX-License-Identifier: Apache-2.0
// A node as the controller sees it: joins, prepares and commits on two real FIB copies, and answers
// as node/agent.cc does. No network, no clock; a restarted node is a new object.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/audit_run.hh"
#include "cluster/messages.hh"
#include "fib/left_right.hh"

namespace rackway::control::testing {

class ModelNode {
 public:
  using Answers = std::vector<cluster::Message>;

  // What outlives it.
  struct Disk {
    Epoch epoch;
    fib::Delta content;
  };

  // disk: null when it keeps nothing.
  ModelNode(std::string name, std::uint64_t boot_id, Disk* disk = nullptr)
      : name_(std::move(name)), boot_id_(boot_id), disk_(disk) {}

  void keep() {
    *disk_ = {epoch_, fib().snapshot()};
    kept_ = {epoch_, fib().digest()};
  }
  // There was no controller at its start.
  void resume() {
    if (!prepared(disk_->epoch, fibs_.prepare_snapshot(disk_->content)).empty()) fibs_.commit();
    epoch_ = disk_->epoch;
  }

  [[nodiscard]] bool joined() const { return joined_; }
  [[nodiscard]] Epoch epoch() const { return epoch_; }
  [[nodiscard]] const fib::Fib& fib() const { return *fibs_.active(); }

  [[nodiscard]] cluster::Hello hello() const {
    return {.name = name_,
            .boot_id = boot_id_,
            .epoch = epoch_,
            .digest = fib().digest(),
            .keeps_state = disk_ != nullptr};
  }
  [[nodiscard]] cluster::Status status() const {
    return {.epoch = epoch_,
            .digest = fib().digest(),
            .kept_epoch = kept_.first,
            .kept_digest = kept_.second};
  }

  // Until it has joined it waits for its welcome and passes over everything else.
  Answers take(const cluster::Message& message) {
    if (std::holds_alternative<cluster::Welcome>(message)) joined_ = true;
    if (!joined_) return {};
    return std::visit([&](const auto& one) { return on(one); }, message);
  }

 private:
  Answers on(const cluster::Prepare& message) {
    if (message.base != epoch_) return {cluster::Refused{message.epoch, "another base"}};
    return prepared(message.epoch, fibs_.prepare(message.delta));
  }
  Answers on(const cluster::PrepareSnapshot& message) {
    return prepared(message.epoch, fibs_.prepare_snapshot(message.content));
  }
  Answers on(const cluster::Commit& message) {
    if (fibs_.prepared() && prepared_epoch_ == message.epoch) {
      fibs_.commit();
      epoch_ = message.epoch;
    } else if (message.epoch != epoch_) {
      return {cluster::Refused{message.epoch, "not prepared here"}};
    }
    return {cluster::Committed{epoch_, fib().digest()}};
  }
  Answers on(const cluster::SnapshotRequest&) {
    return {cluster::NodeSnapshot{epoch_, fib().snapshot()}};
  }
  Answers on(const cluster::AuditRequest& message) {
    cluster::AuditRun run(fib(), epoch_, message);
    while (!run.step()) {
    }
    return {run.answer()};
  }
  Answers on(const cluster::HelloRequest&) { return {hello()}; }
  template <class Other>
  Answers on(const Other&) {
    return {};
  }

  Answers prepared(Epoch epoch, const Result<fib::Digest>& digest) {
    if (!digest) return {cluster::Refused{epoch, digest.error().message}};
    prepared_epoch_ = epoch;
    return {cluster::Prepared{epoch, *digest}};
  }

  std::string name_;
  std::uint64_t boot_id_;
  Disk* disk_;
  std::pair<Epoch, fib::Digest> kept_;  // in this run
  bool joined_ = false;
  fib::LeftRight fibs_;
  Epoch epoch_, prepared_epoch_;
};

}  // namespace rackway::control::testing
