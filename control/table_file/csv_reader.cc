// SPDX-License-Identifier: Apache-2.0
#include "control/table_file/csv_reader.hh"

#include <algorithm>
#include <cstring>
#include <utility>

namespace rackway::table_file {
namespace {

constexpr std::size_t kPiece = 128 * 1024;
static_assert(kPiece > CsvReader::kMostLineOctets);

std::string_view without_comment(std::string_view line) {
  return line.substr(0, line.find('#'));
}

}  // namespace

void CsvReader::refuse(Skip reason, std::string why) {
  skipped_.add(reason);
  if (bad_lines_.size() < kBadLinesKept) bad_lines_.push_back({lines_, std::move(why)});
}

// Moves what is left to the front; false at the end of the source.
bool CsvReader::read_more() {
  buffer_.resize(kPiece);
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
            buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
  end_ -= begin_;
  begin_ = 0;
  const auto got = source_.read({buffer_.data() + end_, buffer_.size() - end_});
  end_ += got;
  if (got > 0) return true;
  if (source_.broken() && !at_end_) skipped_.add(Skip::broken_stream);
  at_end_ = true;
  return false;
}

// The last line may lack its newline. One that is too long is read over.
bool CsvReader::next_line(std::string_view& line) {
  bool too_long = false;
  for (std::size_t looked_at = 0;;) {
    const std::string_view rest(buffer_.data() + begin_, end_ - begin_);
    const auto newline = rest.find('\n', looked_at);
    const bool is_whole = newline != std::string_view::npos;
    if (is_whole || at_end_) {
      if (!is_whole && rest.empty() && !too_long) return false;
      line = rest.substr(0, newline);
      begin_ += is_whole ? newline + 1 : rest.size();
      ++lines_;
      if (!too_long && line.size() <= kMostLineOctets) return true;
      refuse(Skip::long_line, "it is longer than 65536 octets");
      too_long = false;
      looked_at = 0;
      continue;
    }
    looked_at = rest.size();
    if (rest.size() > kMostLineOctets) {
      too_long = true;
      begin_ = end_;
      looked_at = 0;
    }
    (void)read_more();
  }
}

bool CsvReader::parse(std::string_view line, CsvRoute& route) {
  const auto field = take_field(line);
  const auto prefix = IpPrefix::parse(field);
  if (!prefix) {
    refuse(Skip::bad_line, "it does not begin with a prefix ADDRESS/LENGTH without host bits");
    return false;
  }
  route.prefix = *prefix;
  key_.assign(line);
  const auto known = target_indices_.find(key_);
  if (known != target_indices_.end()) {
    route.target = known->second;
    return true;
  }
  auto target = parse_route_target(line);
  if (!target) {
    refuse(Skip::bad_line, target.error().message);
    return false;
  }
  if (targets_.size() >= kMostTargets) {
    refuse(Skip::too_many_targets, "there are too many different next hops before it");
    return false;
  }
  route.target = static_cast<std::uint32_t>(targets_.size());
  targets_.push_back(std::move(*target));
  target_indices_.emplace(key_, route.target);
  return true;
}

bool CsvReader::next(CsvRoute& route) {
  for (std::string_view line; next_line(line);) {
    auto content = without_comment(line);
    auto fields = content;
    const auto first = take_field(fields);
    if (first.empty() || (lines_ == 1 && first == "prefix")) continue;
    if (!parse(content, route)) continue;
    ++routes_;
    return true;
  }
  return false;
}

}  // namespace rackway::table_file
