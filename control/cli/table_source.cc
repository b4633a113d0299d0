// SPDX-License-Identifier: Apache-2.0
#include "control/cli/table_source.hh"

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>
#include <utility>

#include "control/table_file/best_path.hh"
#include "control/table_file/mrt_reader.hh"

namespace rackway::cli {
namespace {

using namespace table_file;

// The type of an MRT record is one of a few small numbers in its fifth and sixth octet; text has
// none below a tab there.
Result<bool> looks_like_mrt(const std::string& file) {
  auto source = FileSource::open(file);
  if (!source) return tl::unexpected(source.error());
  std::array<char, 6> first{};
  return (*source)->read(first) == first.size() && first[4] == 0;
}

unsigned percent_of(const FileSource& source) {
  if (source.size() == 0) return 0;
  return static_cast<unsigned>(
      std::min<std::uint64_t>(100, source.position() * 100 / source.size()));
}

TableReading read_csv(FileSource& source, const TakeRoute& take) {
  CsvReader reader(source);
  std::vector<std::string> texts;  // by target
  unsigned percent = 0;
  for (CsvRoute route; reader.next(route);) {
    if (route.target == texts.size()) texts.push_back(to_string(reader.targets()[route.target]));
    if (reader.routes() % 4096 == 0) percent = percent_of(source);
    if (!take(route.prefix, texts[route.target], percent)) break;
  }
  return {false, reader.routes(), 0, reader.skipped(), reader.bad_lines()};
}

class MrtTable {
 public:
  MrtTable(FileSource& source, const ImportArguments& arguments, const TakeRoute& take)
      : source_(source), reader_(source), arguments_(arguments), take_(take) {}

  TableReading read() {
    for (MrtRib rib; !stopped_ && reader_.next(rib);) {
      const auto* best = best_of(rib);
      if (best == nullptr) continue;
      if (rib.is_complete) {
        give(rib.prefix, best->attributes.next_hop);
      } else {
        gather(rib.prefix, best->attributes);
      }
    }
    for (const auto& [prefix, path] : gathered_) {
      if (!stopped_) give(prefix, path.next_hop);
    }
    return {true, routes_, reader_.paths(), reader_.skipped(), {}};
  }

 private:
  [[nodiscard]] const MrtPath* best_of(const MrtRib& rib) const {
    const MrtPath* best = nullptr;
    for (const auto& path : rib.paths) {
      if (arguments_.peer && reader_.peers()[path.peer].address != *arguments_.peer) continue;
      if (best == nullptr || is_better(path.attributes, best->attributes)) best = &path;
    }
    return best;
  }
  // Of TABLE_DUMP, whose paths to a prefix may lie anywhere in the file.
  void gather(const IpPrefix& prefix, const PathAttributes& path) {
    const auto [at, is_new] = gathered_.try_emplace(prefix, path);
    if (!is_new && is_better(path, at->second)) at->second = path;
  }
  void give(const IpPrefix& prefix, const IpAddress& next_hop) {
    auto& text = texts_[next_hop];
    if (text.empty()) text = next_hop.to_string();
    if (routes_++ % 4096 == 0) percent_ = percent_of(source_);
    stopped_ = !take_(prefix, text, percent_);
  }

  FileSource& source_;
  MrtReader reader_;
  const ImportArguments& arguments_;
  const TakeRoute& take_;
  std::unordered_map<IpPrefix, PathAttributes> gathered_;
  std::unordered_map<IpAddress, std::string> texts_;
  std::uint64_t routes_ = 0;
  unsigned percent_ = 0;
  bool stopped_ = false;
};

}  // namespace

Result<TableReading> read_table(const ImportArguments& arguments, const TakeRoute& take) {
  bool is_mrt = arguments.format == "mrt";
  if (arguments.format.empty()) {
    const auto looks = looks_like_mrt(arguments.file);
    if (!looks) return tl::unexpected(looks.error());
    is_mrt = *looks;
  }
  const auto source = FileSource::open(arguments.file);
  if (!source) return tl::unexpected(source.error());
  return is_mrt ? MrtTable(**source, arguments, take).read() : read_csv(**source, take);
}

}  // namespace rackway::cli
