// SPDX-License-Identifier: Apache-2.0
#include "node/stage/hello.hh"

namespace rackway::node {

std::size_t Hello::link_of(const Place& in) const noexcept {
  std::size_t link = 0;
  while (link + 1 < places_.links() && &places_.link(link) != &in) ++link;
  return link;
}

// The queue's taker has a reference of its own. A queue that is full has lost a hello.
void Hello::hand_over(Burst& burst, std::size_t i, const Context& context) const noexcept {
  rte_mbuf* const frame = burst.frames[i];
  frame->port = context.in.device;
  rte_mbuf_refcnt_update(frame, 1);
  if (rte_ring_mp_enqueue(takers_.queue, frame) != 0) rte_mbuf_refcnt_update(frame, -1);
  burst.take_in(i);
}

void Hello::run(Burst& burst, const Context& context) const noexcept {
  const std::size_t link = link_of(context.in);
  for_each(burst.hellos, [&](std::size_t i) {
    const rte_mbuf& frame = *burst.frames[i];
    const bool somebody_listens = takers_.watch != nullptr || takers_.queue != nullptr;
    // The sender puts them into one segment; more would have to be copied.
    if (!somebody_listens || frame.data_len != frame.pkt_len) {
      return burst.drop(i, DropReason::fabric_malformed);
    }
    if (takers_.watch == nullptr) return hand_over(burst, i, context);
    const auto fault = takers_.watch->take(link, {burst.octets[i], frame.data_len}, context.now);
    fault ? burst.drop(i, *fault) : burst.take_in(i);
  });
}

}  // namespace rackway::node
