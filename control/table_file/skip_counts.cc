// SPDX-License-Identifier: Apache-2.0
#include "control/table_file/skip_counts.hh"

namespace rackway::table_file {

std::string_view to_string(Skip reason) {
  switch (reason) {
    case Skip::not_a_rib: return "not a RIB record";
    case Skip::unsupported_rib: return "RIB of no IP unicast";
    case Skip::too_long: return "record too long";
    case Skip::broken_record: return "broken record";
    case Skip::bad_prefix: return "bad prefix";
    case Skip::no_peer_index: return "RIB without peer index";
    case Skip::broken_peer_index: return "broken peer index";
    case Skip::cut_off: return "record cut off";
    case Skip::unknown_peer: return "unknown peer";
    case Skip::broken_attributes: return "broken attributes";
    case Skip::no_next_hop: return "no next hop";
    case Skip::unusable_next_hop: return "unusable next hop";
    case Skip::bad_line: return "bad line";
    case Skip::long_line: return "line too long";
    case Skip::too_many_targets: return "too many different next hops";
    case Skip::broken_stream: return "broken stream";
  }
  return "?";
}

}  // namespace rackway::table_file
