// SPDX-License-Identifier: Apache-2.0
// What the operator gave the controller and it has to have again after a restart: routes added one
// by one, and what was imported. One SQLite file in the folder of --state; each change is one
// transaction, on the disk when the call returns. One thread.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/ip_address.hh"
#include "base/result.hh"
#include "control/table_file/route_target.hh"

struct sqlite3;

namespace rackway::control {

class RouteStore {
 public:
  // Kept nowhere: every change succeeds, nothing is there again.
  RouteStore() = default;
  // The file is made if need be. Throws StartupError: it is none of ours, of a later version,
  // damaged, or another controller has it.
  explicit RouteStore(const std::filesystem::path& file);

  [[nodiscard]] bool keeps() const { return database_ != nullptr; }

  struct Kept {
    std::vector<std::pair<IpPrefix, table_file::RouteTarget>> added;
    std::vector<std::string> imported;  // texts of routes (csv_reader.hh), in the order they came
  };
  [[nodiscard]] Result<Kept> load() const;

  // The error says that the disk is full, or what else keeps it from being written. Then nothing
  // has changed.
  [[nodiscard]] Result<void> put(const IpPrefix& prefix, const table_file::RouteTarget& target);
  [[nodiscard]] Result<void> erase(const IpPrefix& prefix);
  [[nodiscard]] Result<void> set_imported(const std::vector<std::string>& texts, bool keep_others);

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  [[nodiscard]] Result<void> run(const std::string& sql,
                                 const std::vector<std::string>& values = {});
  void prepare();

  std::string file_;
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace rackway::control
