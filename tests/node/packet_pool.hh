// SPDX-License-Identifier: Apache-2.0
// A pool whose buffers hold whole packets, for what makes frames of its own; the frames that tests
// hand in lie elsewhere (heap_frame.hh). One per process and size; one thread.
#pragma once

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <string>
#include <vector>

#include "tests/node/heap_frame.hh"
#include "tests/node/memory_devices.hh"

namespace rackway::node::testing {

class PacketPool {
 public:
  // room: octets of a frame that fit into a buffer.
  explicit PacketPool(const std::string& name, unsigned buffers, std::uint16_t room) {
    Devices::instance();
    pool_ = rte_pktmbuf_pool_create(name.c_str(), buffers, 0, 0,
                                    static_cast<std::uint16_t>(RTE_PKTMBUF_HEADROOM + room),
                                    SOCKET_ID_ANY);
    require(pool_ != nullptr, "no buffers");
  }
  PacketPool(const PacketPool&) = delete;
  PacketPool& operator=(const PacketPool&) = delete;

  [[nodiscard]] rte_mempool& operator*() const { return *pool_; }
  [[nodiscard]] unsigned free_buffers() const { return rte_mempool_avail_count(pool_); }

  // Takes buffers until that many are left; they come back with the result's end.
  class Taken {
   public:
    Taken(rte_mempool* pool, unsigned count) : frames_(count) {
      require(count == 0 || rte_pktmbuf_alloc_bulk(pool, frames_.data(), count) == 0, "no buffers");
    }
    ~Taken() { rte_pktmbuf_free_bulk(frames_.data(), static_cast<unsigned>(frames_.size())); }
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;

   private:
    std::vector<rte_mbuf*> frames_;
  };
  [[nodiscard]] Taken all_but(unsigned left) const { return {pool_, free_buffers() - left}; }

 private:
  rte_mempool* pool_{};
};

// Buffers for whole packets.
inline PacketPool& packet_pool() {
  static PacketPool pool("packets", 2047, 2048);
  return pool;
}
// Buffers for the smallest packets that IPv4 wants forwarded whole.
inline PacketPool& small_pool() {
  static PacketPool pool("small packets", 2047, 100);
  return pool;
}

// Frees a frame at the end of a test.
struct OwnedFrame {
  explicit OwnedFrame(rte_mbuf* made) : frame(made) {}
  explicit OwnedFrame(std::span<const std::uint8_t> bytes, const Reception& how = {})
      : frame(new_frame(bytes, how)) {}
  ~OwnedFrame() { rte_pktmbuf_free(frame); }
  OwnedFrame(const OwnedFrame&) = delete;
  OwnedFrame& operator=(const OwnedFrame&) = delete;
  rte_mbuf* frame;
};

}  // namespace rackway::node::testing
