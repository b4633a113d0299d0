// SPDX-License-Identifier: Apache-2.0
#include "control/node_audit.hh"

#include <utility>

namespace rackway::control {

NodeAudit::NodeAudit(std::vector<std::string> node_names, EpochCoordinator& coordinator,
                     EventLog& events, Send send, std::uint64_t seed)
    : names_(std::move(node_names)),
      coordinator_(coordinator),
      events_(events),
      send_(std::move(send)),
      random_(seed),
      peers_(names_.size()) {}

void NodeAudit::ask(Clock::time_point now) {
  questions_ = AuditQuestions(questions_.request().number + 1, coordinator_.epoch(),
                              coordinator_.content(), sweep_, random_);
  for (std::uint16_t i = 0; i < peers_.size(); ++i) {
    auto& peer = peers_[i];
    if (peer.is_asked) peer.check.note_unfinished("no answer in time", now);
    peer.is_asked =
        coordinator_.nodes()[i].in_sync && send_(NodeId{i}, cluster::Message(questions_.request()));
  }
}

void NodeAudit::on(NodeId node, const cluster::AuditAnswer& answer, Clock::time_point now) {
  auto& peer = peers_[node.value];
  if (!peer.is_asked || answer.number != questions_.request().number) return;
  peer.is_asked = false;
  if (answer.epoch != questions_.request().epoch) {
    return peer.check.note_unfinished("another epoch by then", now);
  }
  if (const auto fault = questions_.fault_in(answer); !fault.empty()) {
    return accuse(node, fault, now);
  }
  if (!answer.has_digest) return peer.check.note_unfinished("another epoch before the end", now);
  if (!peer.check.note_equal(now)) return;
  events_.note(EventLog::Grave::no, "audit: node " + names_[node.value] + " is equal again", now);
}

void NodeAudit::accuse(NodeId node, const std::string& what, Clock::time_point now) {
  peers_[node.value].check.note_difference(what, now);
  events_.note(EventLog::Grave::yes, "audit: node " + names_[node.value] + " differs: " + what,
               now);
  coordinator_.distrust(node, "an audit found a difference", now);
}

}  // namespace rackway::control
