// SPDX-License-Identifier: Apache-2.0
// The routes that the RIB has from people: those of the cluster document, those added one by one,
// and imported tables. Puts them there, and keeps the latter two over a restart. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "control/fib_builder.hh"
#include "control/route_store.hh"
#include "control/table_file/csv_reader.hh"
#include "topo/cluster_document.hh"

namespace rackway::control {

class OperatorRoutes {
 public:
  // The builder must outlive this. Begins with the document's routes and those that were kept.
  // Throws StartupError.
  OperatorRoutes(FibBuilder& builder, const std::vector<topo::StaticRoute>& document,
                 RouteStore store = {});

  // On disk when it returns; on error nothing has changed.
  [[nodiscard]] Result<void> add(const IpPrefix& prefix, const table_file::RouteTarget& target);
  [[nodiscard]] Result<void> remove(const IpPrefix& prefix);

  // A table comes in parts: 0, 1 and so on, whole lines each (csv_reader.hh). Routes are in use as
  // soon as they come. With the last part those of an earlier import that did not come again go,
  // unless they are kept, and all is put on disk. Part 0 begins a new import, whatever was before.
  struct ImportPart {
    std::uint64_t number{};
    std::string text;
    bool last{};
    bool keep{};  // what was imported before; said by part 0
  };
  struct ImportReport {
    std::uint64_t lines{};
    std::uint64_t routes{};  // in this part
    table_file::SkipCounts skipped;
    std::vector<table_file::BadLine> bad_lines;  // counted from 1 in this part
    std::size_t imported{};                      // prefixes with an imported route now
  };
  [[nodiscard]] Result<ImportReport> import(ImportPart part);
  // Withdraws everything imported.
  [[nodiscard]] Result<void> remove_imported();

 private:
  struct Import {
    std::uint64_t next_part{};
    bool keep{};
    bool sweeps{};                   // something was imported before
    std::vector<IpPrefix> prefixes;  // that came, when it sweeps
    std::vector<std::string> texts;  // when they are kept on disk
  };
  void restore();
  ImportReport take(const std::string& text, std::vector<IpPrefix>* prefixes);
  void sweep(std::vector<IpPrefix> kept);
  [[nodiscard]] Result<void> finish_import();

  FibBuilder& builder_;
  RouteStore store_;
  std::optional<Import> import_;
};

}  // namespace rackway::control
