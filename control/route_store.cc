// SPDX-License-Identifier: Apache-2.0
#include "control/route_store.hh"

#include <sqlite3.h>

#include "base/log.hh"
#include "base/startup_error.hh"

namespace rackway::control {
namespace {

constexpr int kVersion = 1;  // of the tables: SQLite's user_version

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { ::sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

// Null: the database says why.
Statement prepared(sqlite3* database, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  ::sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr);
  return Statement(statement);
}

std::string text_of(sqlite3_stmt* statement, int column) {
  const auto* text = reinterpret_cast<const char*>(::sqlite3_column_text(statement, column));
  if (text == nullptr) return "";
  return {text, static_cast<std::size_t>(::sqlite3_column_bytes(statement, column))};
}

}  // namespace

void RouteStore::Close::operator()(sqlite3* database) const {
  ::sqlite3_close(database);
}

RouteStore::RouteStore(const std::filesystem::path& file) : file_(file.string()) {
  sqlite3* database = nullptr;
  const int opened = ::sqlite3_open_v2(file_.c_str(), &database,
                                       SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  database_.reset(database);
  if (opened != SQLITE_OK) {
    throw StartupError(
        std::string("can not open the routes that were kept: ") + ::sqlite3_errmsg(database), file_,
        "choose another folder with --state");
  }
  prepare();
}

// Held as long as it is open, so that two controllers never have it.
void RouteStore::prepare() {
  const auto demand = [&](const std::string& sql) {
    const auto done = run(sql);
    if (done) return;
    throw StartupError(done.error().message, "",
                       "is another controller running? If the file is damaged, remove it: what "
                       "`rackway route` gave is lost then");
  };
  demand("PRAGMA locking_mode = EXCLUSIVE");
  demand("PRAGMA synchronous = FULL");
  demand("BEGIN EXCLUSIVE");
  const auto version = prepared(database_.get(), "PRAGMA user_version");
  const bool readable = version && ::sqlite3_step(version.get()) == SQLITE_ROW;
  if (!readable || ::sqlite3_column_int(version.get(), 0) > kVersion) {
    throw StartupError("holds routes as a later version of the controller keeps them", file_,
                       "use that one, or another folder with --state");
  }
  ::sqlite3_reset(version.get());
  demand("CREATE TABLE IF NOT EXISTS added (prefix TEXT PRIMARY KEY, target TEXT NOT NULL)");
  demand("CREATE TABLE IF NOT EXISTS imported (part INTEGER PRIMARY KEY, text TEXT NOT NULL)");
  demand("PRAGMA user_version = " + std::to_string(kVersion));
  demand("COMMIT");
}

Result<void> RouteStore::run(const std::string& sql, const std::vector<std::string>& values) {
  const auto statement = prepared(database_.get(), sql);
  if (statement) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      ::sqlite3_bind_text64(statement.get(), static_cast<int>(i + 1), values[i].data(),
                            values[i].size(), SQLITE_STATIC, SQLITE_UTF8);
    }
    int step = SQLITE_ROW;
    while (step == SQLITE_ROW) step = ::sqlite3_step(statement.get());
    if (step == SQLITE_DONE) return {};
  }
  return fail("can not keep it in " + file_ + ": " + ::sqlite3_errmsg(database_.get()));
}

Result<RouteStore::Kept> RouteStore::load() const {
  Kept kept;
  if (!keeps()) return kept;
  const auto added = prepared(database_.get(), "SELECT prefix, target FROM added");
  int step = SQLITE_DONE;
  while (added && (step = ::sqlite3_step(added.get())) == SQLITE_ROW) {
    const auto prefix = IpPrefix::parse(text_of(added.get(), 0));
    auto target = table_file::parse_route_target(text_of(added.get(), 1));
    if (prefix && target) {
      kept.added.emplace_back(*prefix, std::move(*target));
    } else {
      log::warn("{}: the route {} is not understood and left out", file_, text_of(added.get(), 0));
    }
  }
  const auto imported = prepared(database_.get(), "SELECT text FROM imported ORDER BY part");
  if (!added || !imported || step != SQLITE_DONE) {
    return fail(file_ + ": " + ::sqlite3_errmsg(database_.get()));
  }
  while ((step = ::sqlite3_step(imported.get())) == SQLITE_ROW) {
    kept.imported.push_back(text_of(imported.get(), 0));
  }
  if (step != SQLITE_DONE) return fail(file_ + ": " + ::sqlite3_errmsg(database_.get()));
  return kept;
}

Result<void> RouteStore::put(const IpPrefix& prefix, const table_file::RouteTarget& target) {
  if (!keeps()) return {};
  return run("INSERT OR REPLACE INTO added VALUES (?, ?)", {prefix.to_string(), to_string(target)});
}

Result<void> RouteStore::erase(const IpPrefix& prefix) {
  if (!keeps()) return {};
  return run("DELETE FROM added WHERE prefix = ?", {prefix.to_string()});
}

Result<void> RouteStore::set_imported(const std::vector<std::string>& texts, bool keep_others) {
  if (!keeps()) return {};
  auto done = run("BEGIN IMMEDIATE");
  if (done && !keep_others) done = run("DELETE FROM imported");
  for (std::size_t i = 0; done && i < texts.size(); ++i) {
    done = run("INSERT INTO imported (text) VALUES (?)", {texts[i]});
  }
  if (done) done = run("COMMIT");
  if (!done && ::sqlite3_get_autocommit(database_.get()) == 0) (void)run("ROLLBACK");
  return done;
}

}  // namespace rackway::control
