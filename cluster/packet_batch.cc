// SPDX-License-Identifier: Apache-2.0
// Frames of packets in batches, as the slow path carries them.
#include <numeric>

#include "base/wire.hh"
#include "cluster/message_bounds.hh"
#include "cluster/messages.hh"

namespace rackway::cluster {

std::uint64_t PlaceCounters::dropped_total() const {
  return std::accumulate(std::begin(dropped), std::end(dropped), std::uint64_t{0});
}

// A frame in a batch: port (16 bits), class (8 bits), size (16 bits), bytes.
void append_frame(std::string& batch, const PacketFrame& frame) {
  char header[kFrameHeaderBytes];
  store_be(header, frame.port.value);
  header[2] = static_cast<char>(frame.punt_class);
  store_be(header + 3, static_cast<std::uint16_t>(frame.bytes.size()));
  batch.append(header, sizeof header);
  batch.append(frame.bytes);
}

Result<std::vector<PacketFrame>> split_frames(std::string_view batch) {
  if (batch.size() > kMaxBatchBytes) {
    return fail("oversized batch of frames, " + std::to_string(batch.size()) + " bytes");
  }
  WireReader in(batch);
  std::vector<PacketFrame> frames;
  while (in.ok() && !in.at_end()) {
    PacketFrame frame;
    frame.port.value = in.number<std::uint16_t>();
    const auto punt_class = in.number<std::uint8_t>();
    frame.punt_class = static_cast<PuntClass>(punt_class);
    const auto size = in.number<std::uint16_t>();
    frame.bytes = in.bytes(size);
    if (punt_class >= kPuntClasses || frame.port.value >= kMaxPortsPerNode || size < 14 ||
        size > kMaxFrameBytes) {
      in.fail();
    }
    frames.push_back(frame);
  }
  if (!in.ok())
    return fail("malformed batch of frames, " + std::to_string(batch.size()) + " bytes");
  return frames;
}

}  // namespace rackway::cluster
