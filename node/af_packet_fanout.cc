// SPDX-License-Identifier: Apache-2.0
// The af_packet driver of DPDK 22.11 lets the kernel put fragments of IPv4 together before they are
// received (PACKET_FANOUT_FLAG_DEFRAG), so that all of a datagram reach one queue; nothing turns it
// off. A router must not see a datagram whole that came in parts: it may not be cut again (RFC 791,
// DF), and does not fit a frame of the ring, which cuts it short. It also lets packets for a queue
// that is full go to another (PACKET_FANOUT_FLAG_ROLLOVER), where they overtake those before them.
// The link option --wrap=setsockopt sends the driver's calls here, and both flags are taken out.
// Calls of shared libraries go elsewhere.
#include <linux/if_packet.h>
#include <sys/socket.h>

#include <cstdint>
#include <cstring>

extern "C" {
int __real_setsockopt(int socket, int level, int name, const void* value, socklen_t size);
int __wrap_setsockopt(int socket, int level, int name, const void* value, socklen_t size);
}

int __wrap_setsockopt(int socket, int level, int name, const void* value, socklen_t size) {
  std::uint32_t fanout = 0;  // group in the lower half, type and flags in the upper
  if (level != SOL_PACKET || name != PACKET_FANOUT || size != sizeof fanout) {
    return __real_setsockopt(socket, level, name, value, size);
  }
  std::memcpy(&fanout, value, sizeof fanout);
  constexpr std::uint32_t kUnwanted = PACKET_FANOUT_FLAG_DEFRAG | PACKET_FANOUT_FLAG_ROLLOVER;
  fanout &= ~(kUnwanted << 16);
  return __real_setsockopt(socket, level, name, &fanout, sizeof fanout);
}
