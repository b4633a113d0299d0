// SPDX-License-Identifier: Apache-2.0
// Where one frame ended and with which bytes: what the packet harness returns and tests compare.
#pragma once

#include <cstddef>
#include <ostream>
#include <utility>

#include "node/burst.hh"
#include "tests/node/frames.hh"

namespace rackway::node::testing {

// Unused parts are as default, so that outcomes can be compared.
struct Outcome {
  Fate fate{};
  DropReason reason{};     // drop
  PuntClass punt_class{};  // punt
  std::size_t output{};    // transmit: ports first, then links
  Bytes bytes{};           // transmit, punt
  bool operator==(const Outcome&) const = default;
};

inline Outcome dropped(DropReason reason) {
  return {.fate = Fate::drop, .reason = reason};
}
// A punted frame is the one that was received, untouched.
inline Outcome punted(PuntClass to, Bytes bytes) {
  return {.fate = Fate::punt, .punt_class = to, .bytes = std::move(bytes)};
}
inline Outcome sent(std::size_t output, Bytes bytes) {
  return {.fate = Fate::transmit, .output = output, .bytes = std::move(bytes)};
}

// For gtest's failure messages.
inline void PrintTo(const Outcome& outcome, std::ostream* out) {
  switch (outcome.fate) {
    case Fate::undecided: *out << "undecided"; break;
    case Fate::take_in: *out << "taken in"; break;
    case Fate::drop: *out << "dropped: " << cluster::to_string(outcome.reason); break;
    case Fate::punt:
      *out << "punted as " << cluster::to_string(outcome.punt_class) << ":\n"
           << to_hex(outcome.bytes);
      break;
    case Fate::transmit:
      *out << "sent to output " << outcome.output << ":\n" << to_hex(outcome.bytes);
      break;
  }
}

}  // namespace rackway::node::testing
