// SPDX-License-Identifier: Apache-2.0
#include "control/table_file/mrt_records.hh"

#include <algorithm>

#include "base/byte_order.hh"

namespace rackway::table_file {
namespace {

constexpr std::size_t kHeader = 12;  // timestamp 4, type 2, subtype 2, length 4
constexpr std::size_t kPiece = 64 * 1024;

}  // namespace

// So many octets at begin_; false when the stream has no more.
bool MrtRecords::fill(std::size_t octets) {
  if (end_ - begin_ >= octets) return true;
  std::copy_n(buffer_.data() + begin_, end_ - begin_, buffer_.data());
  end_ -= begin_;
  begin_ = 0;
  if (buffer_.size() < std::max(octets, kPiece)) buffer_.resize(std::max(octets, kPiece));
  while (end_ < octets) {
    const auto got = source_.read({buffer_.data() + end_, buffer_.size() - end_});
    if (got == 0) return false;
    end_ += got;
  }
  return true;
}

bool MrtRecords::pass_over(std::size_t octets) {
  for (;;) {
    const auto now = std::min(octets, end_ - begin_);
    begin_ += now;
    octets -= now;
    if (octets == 0) return true;
    if (!fill(1)) return false;
  }
}

std::optional<MrtRecord> MrtRecords::stop() {
  if (source_.broken()) {
    skipped_.add(Skip::broken_stream);
  } else if (end_ != begin_) {
    skipped_.add(Skip::cut_off);
  }
  stopped_ = true;
  return std::nullopt;
}

std::optional<MrtRecord> MrtRecords::next() {
  while (!stopped_) {
    if (!fill(kHeader)) return stop();
    const char* header = buffer_.data() + begin_;
    MrtRecord record{load_be<std::uint16_t>(header + 4), load_be<std::uint16_t>(header + 6), {}};
    const std::size_t length = load_be<std::uint32_t>(header + 8);
    if (length > kMostOctets) {
      skipped_.add(Skip::too_long);
      begin_ += kHeader;
      if (!pass_over(length)) return stop();
      continue;
    }
    if (!fill(kHeader + length)) return stop();
    record.body = {buffer_.data() + begin_ + kHeader, length};
    begin_ += kHeader + length;
    return record;
  }
  return std::nullopt;
}

}  // namespace rackway::table_file
