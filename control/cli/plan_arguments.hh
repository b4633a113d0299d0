// SPDX-License-Identifier: Apache-2.0
// The command line of `rackway plan`: words as they were given, and what they ask for once they are
// checked. docs/planning.md describes them.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hh"
#include "topo/plan/hardware.hh"
#include "topo/plan/requirement.hh"

namespace rackway::cli {

struct PlanArguments {
  std::string ports, rate{"100G"}, survive{"0"}, fabric{"any"}, cheapest{"price"}, packets{"imix"};
  std::string cycles, core_load{"70"};
  std::vector<std::string> servers, catalogues;
  std::string grow, out;
  bool json = false, transitions = false, list = false;
  std::string from, to, link_rate, keep{"1"}, spare_ports{"0"};
  std::string cables;
};

// The options of the subcommand.
void declare_plan(CLI::App& plan, PlanArguments& arguments);

// What is wrong with the words is the error: one line.
[[nodiscard]] Result<plan::Requirement> requirement_of(const PlanArguments& arguments,
                                                       const plan::Catalogue& catalogue);

struct TransitionWish {
  std::optional<unsigned> ports;  // only this many
  plan::Mbps rate;
  std::vector<std::string> servers;
  plan::PacketMix packets;
  unsigned cables_per_link;
};
[[nodiscard]] Result<TransitionWish> transition_wish_of(const PlanArguments& arguments,
                                                        const plan::Catalogue& catalogue);

struct RecablingWish {
  double port_gbps;  // of ports whose rate the documents do not say
  double link_gbps;  // 0: what the documents say
  double keep;
  unsigned spare_ports;
};
[[nodiscard]] Result<RecablingWish> recabling_of(const PlanArguments& arguments);

}  // namespace rackway::cli
