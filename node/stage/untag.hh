// SPDX-License-Identifier: Apache-2.0
// On an external port: takes the 802.1Q tag off frames that have one, so that all later stages see
// frames without, and notes the VLAN. A tag with VLAN 0 says only what priority a frame has (IEEE
// 802.1Q 6.9.1): it counts as untagged. Dropped are frames of VLANs in which the router has no
// address on this port, of VLAN 4095, and with more than one tag.
#pragma once

#include "node/burst.hh"

namespace rackway::node {

struct Untag {
  // Looks at what is undecided and not plain. Returns the slots that it took a tag off.
  [[nodiscard]] Mask run(Burst& burst, const Context& context) const noexcept;
};

}  // namespace rackway::node
