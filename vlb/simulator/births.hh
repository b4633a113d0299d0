// SPDX-License-Identifier: Apache-2.0
// Where a simulation's packets come from: made by the generator, or from a recording. One thread.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "vlb/simulator/scenario.hh"
#include "vlb/traffic/generator.hh"

namespace rackway::simulator {

class Births {
 public:
  // The scenario must outlive it.
  explicit Births(const Scenario& scenario) : recording_(scenario.recording.get()) {
    if (recording_ != nullptr) {
      next_.resize(recording_->packets.size());
    } else {
      generator_.emplace(scenario.matrix, rates_of(scenario.nodes), scenario.mix, scenario.sizes,
                         scenario.seed);
    }
  }

  // The next one that enters there; nothing if there is none any more.
  [[nodiscard]] std::optional<traffic::Packet> next(NodeId at) {
    if (recording_ == nullptr) {
      auto& source = generator_->at(at);
      return source.sends() ? std::optional(source.next()) : std::nullopt;
    }
    const auto& packets = recording_->packets[at.value];
    auto& next = next_[at.value];
    return next < packets.size() ? std::optional(packets[next++]) : std::nullopt;
  }

  // What would have entered until then does not (a node that was dead).
  void skip_to(NodeId at, Picoseconds time) {
    if (recording_ == nullptr) return generator_->at(at).skip_to(time);
    const auto& packets = recording_->packets[at.value];
    const auto first = std::lower_bound(
        packets.begin(), packets.end(), time,
        [](const traffic::Packet& packet, Picoseconds when) { return packet.born < when; });
    next_[at.value] = static_cast<std::size_t>(first - packets.begin());
  }

 private:
  std::optional<traffic::Generator> generator_;
  const traffic::Recording* recording_;
  std::vector<std::size_t> next_;  // by ingress node
};

}  // namespace rackway::simulator
