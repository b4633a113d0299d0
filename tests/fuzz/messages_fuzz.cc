// SPDX-License-Identifier: Apache-2.0
// What the two ends of a channel may be sent, of any content: a message, or, by the first octet, a
// batch of frames. Besides what the sanitizers see, a fault is one that is taken and is not, octet
// by octet, what would be written for it.
#include <cstdint>
#include <cstdlib>

#include "cluster/messages.hh"

namespace {

using namespace rackway::cluster;

constexpr std::uint8_t kBatch = 0xff;

void require(bool truth) {
  if (!truth) std::abort();
}

void take_batch(std::string_view bytes) {
  const auto frames = split_frames(bytes);
  if (!frames) return;
  std::string again;
  for (const auto& frame : *frames) append_frame(again, frame);
  require(again == bytes);
}

void take_message(std::string_view bytes) {
  const auto message = decode(bytes);
  if (!message) return;
  const auto* hello = std::get_if<Hello>(&*message);
  // Of another version only the beginning is read.
  if (hello == nullptr || hello->version == kWireVersion) require(encode(*message) == bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (size > 0 && data[0] == kBatch) {
    take_batch(bytes.substr(1));
  } else {
    take_message(bytes);
  }
  return 0;
}
