// SPDX-License-Identifier: Apache-2.0
// Frames made of bytes and back. A frame's octets lie in a heap buffer of exactly its size (and as
// much room behind it as asked for), so that an address sanitizer sees a read behind their end,
// which it can not in the pool's own buffers. The buffer goes when DPDK frees the frame.
#pragma once

#include <rte_mbuf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "tests/node/frames.hh"
#include "tests/node/memory_devices.hh"

namespace rackway::node::testing {

// A frame's buffer on the heap, freed by DPDK when the frame is.
struct HeapBuffer {
  HeapBuffer(std::span<const std::uint8_t> bytes, std::size_t headroom, std::size_t tailroom)
      : octets(new std::uint8_t[headroom + bytes.size() + tailroom]) {
    if (!bytes.empty()) std::memcpy(octets.get() + headroom, bytes.data(), bytes.size());
    shared.free_cb = [](void*, void* self) { delete static_cast<HeapBuffer*>(self); };
    shared.fcb_opaque = this;
    rte_mbuf_ext_refcnt_set(&shared, 1);
  }
  std::unique_ptr<std::uint8_t[]> octets;
  rte_mbuf_ext_shared_info shared{};
};

// How a frame lies in memory and what its receive queue said of it.
struct Reception {
  static constexpr std::size_t kWhole = SIZE_MAX;
  std::size_t tailroom = 0;    // octets behind it in its buffer
  std::size_t split = kWhole;  // the first segment's octets; the rest is in a second one
  std::uint64_t offload_flags = 0;
  std::size_t headroom = 0;     // octets before it in its buffer
  std::uint16_t taken_tag = 0;  // that the device took off, if offload_flags say so
};

inline rte_mbuf* new_segment(std::span<const std::uint8_t> bytes, std::size_t headroom,
                             std::size_t tailroom) {
  rte_mbuf* segment = rte_pktmbuf_alloc(Devices::instance().pool);
  require(segment != nullptr, "out of buffers");
  auto* buffer = new HeapBuffer(bytes, headroom, tailroom);
  rte_pktmbuf_attach_extbuf(segment, buffer->octets.get(), 0,
                            static_cast<std::uint16_t>(headroom + bytes.size() + tailroom),
                            &buffer->shared);
  segment->data_off = static_cast<std::uint16_t>(headroom);
  segment->data_len = static_cast<std::uint16_t>(bytes.size());
  segment->pkt_len = segment->data_len;
  return segment;
}

inline rte_mbuf* new_frame(std::span<const std::uint8_t> bytes, const Reception& how = {}) {
  rte_mbuf* frame =
      new_segment(bytes.first(std::min(how.split, bytes.size())), how.headroom, how.tailroom);
  if (how.split != Reception::kWhole) {
    require(rte_pktmbuf_chain(frame, new_segment(bytes.subspan(how.split), 0, 0)) == 0, "no chain");
  }
  frame->ol_flags |= how.offload_flags;
  frame->vlan_tci = how.taken_tag;
  return frame;
}

inline Bytes bytes_of(const rte_mbuf* frame) {
  Bytes bytes;
  for (const auto* segment = frame; segment != nullptr; segment = segment->next) {
    const auto* at = rte_pktmbuf_mtod(segment, const std::uint8_t*);
    bytes.insert(bytes.end(), at, at + segment->data_len);
  }
  return bytes;
}

}  // namespace rackway::node::testing
