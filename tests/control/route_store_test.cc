// SPDX-License-Identifier: Apache-2.0
#include "control/route_store.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "base/startup_error.hh"
#include "tests/control/fake_kernel.hh"
#include "tests/control/quiet_log.hh"
#include "tests/fib/scratch_folder.hh"

namespace rackway::control::testing {
namespace {

using fib::testing::file_at;
using fib::testing::put_file;
using fib::testing::ScratchFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

table_file::RouteTarget leading(const char* text) {
  return *table_file::parse_route_target(text);
}

// "PREFIX TARGET" of each that was added.
std::vector<std::string> added(const RouteStore& store) {
  std::vector<std::string> all;
  const auto kept = store.load().value();
  for (const auto& [to, target] : kept.added) {
    all.push_back(to.to_string() + " " + to_string(target));
  }
  std::ranges::sort(all);
  return all;
}

class RouteStoreTest : public ::testing::Test {
 protected:
  void sql(const std::string& statement) const {
    sqlite3* database = nullptr;
    ASSERT_EQ(::sqlite3_open(file_.c_str(), &database), SQLITE_OK);
    ASSERT_EQ(::sqlite3_exec(database, statement.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    ::sqlite3_close(database);
  }

  ScratchFolder folder_;
  std::filesystem::path file_ = folder_.file("routes.sqlite");
};

TEST_F(RouteStoreTest, KeptNowhereEverythingSucceeds) {
  RouteStore store;
  EXPECT_FALSE(store.keeps());
  EXPECT_TRUE(store.put(prefix("10.0.0.0/8"), leading("192.0.2.1")));
  EXPECT_TRUE(store.set_imported({"text"}, false));
  EXPECT_TRUE(store.erase(prefix("10.0.0.0/8")));
  EXPECT_THAT(added(store), IsEmpty());
}

TEST_F(RouteStoreTest, WhatIsPutIsThereAgain) {
  {
    RouteStore store(file_);
    EXPECT_TRUE(store.keeps());
    ASSERT_TRUE(store.put(prefix("10.0.0.0/8"), leading("192.0.2.1")));
    ASSERT_TRUE(store.put(prefix("2001:db8::/32"), leading("blackhole")));
    ASSERT_TRUE(store.put(prefix("10.1.0.0/16"), leading("192.0.2.9")));
    ASSERT_TRUE(store.put(prefix("10.0.0.0/8"), leading("192.0.2.2,192.0.2.3,7")));
    ASSERT_TRUE(store.erase(prefix("10.1.0.0/16")));
    ASSERT_TRUE(store.erase(prefix("10.9.0.0/16")));
  }
  EXPECT_THAT(added(RouteStore(file_)),
              ElementsAre("10.0.0.0/8 192.0.2.2,192.0.2.3,7", "2001:db8::/32 blackhole"));
}

TEST_F(RouteStoreTest, ImportsReplaceEachOtherOrAddUp) {
  {
    RouteStore store(file_);
    ASSERT_TRUE(store.set_imported({"a\n", "b\n"}, false));
    ASSERT_TRUE(store.set_imported({"c\n"}, true));
  }
  {
    RouteStore store(file_);
    EXPECT_THAT(store.load()->imported, ElementsAre("a\n", "b\n", "c\n"));
    ASSERT_TRUE(store.set_imported({"d\n"}, false));
    EXPECT_THAT(store.load()->imported, ElementsAre("d\n"));
    ASSERT_TRUE(store.set_imported({}, false));
  }
  EXPECT_THAT(RouteStore(file_).load()->imported, IsEmpty());
}

TEST_F(RouteStoreTest, TwoControllersDoNotShareIt) {
  const RouteStore store(file_);
  try {
    const RouteStore other(file_);
    FAIL();
  } catch (const StartupError& error) {
    EXPECT_THAT(error.what(), HasSubstr("locked"));
  }
}

TEST_F(RouteStoreTest, AFileThatIsNoneOfOursIsRefused) {
  put_file(file_, std::string(5000, 'x'));
  EXPECT_THROW(RouteStore{file_}, StartupError);
  put_file(file_, "");
  sql("PRAGMA user_version = 2");
  EXPECT_THROW(RouteStore{file_}, StartupError);
  EXPECT_THROW(RouteStore{folder_.file("none") / "routes"}, StartupError);
}

TEST_F(RouteStoreTest, WhatIsNotUnderstoodIsLeftOut) {
  quiet_log();
  {
    RouteStore store(file_);
    ASSERT_TRUE(store.put(prefix("10.0.0.0/8"), leading("192.0.2.1")));
  }
  sql("INSERT INTO added VALUES ('10.0.0.1/8', '192.0.2.1'), ('11.0.0.0/8', 'n1')");
  EXPECT_THAT(added(RouteStore(file_)), ElementsAre("10.0.0.0/8 192.0.2.1"));
}

// The process dies in the middle of a change, on the disk as it is then.
TEST_F(RouteStoreTest, AChangeThatWasNotFinishedIsNone) {
  {
    RouteStore store(file_);
    ASSERT_TRUE(store.put(prefix("10.0.0.0/8"), leading("192.0.2.1")));
    ASSERT_TRUE(store.set_imported({"a\n"}, false));
  }
  const auto child = ::fork();
  if (child == 0) {
    sqlite3* database = nullptr;
    ::sqlite3_open(file_.c_str(), &database);
    ::sqlite3_exec(database, "PRAGMA cache_size = 1; BEGIN; DELETE FROM imported", nullptr, nullptr,
                   nullptr);
    const auto row = "INSERT INTO imported (text) VALUES ('" + std::string(100'000, 'x') + "')";
    for (int i = 0; i < 20; ++i) {
      ::sqlite3_exec(database, row.c_str(), nullptr, nullptr, nullptr);
    }
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  const RouteStore store(file_);
  EXPECT_THAT(added(store), ElementsAre("10.0.0.0/8 192.0.2.1"));
  EXPECT_THAT(store.load()->imported, ElementsAre("a\n"));
}

// On a disk of 256 KiB, in a mount namespace of the child's own.
TEST_F(RouteStoreTest, AFullDiskIsSaidAndChangesNothing) {
  const auto child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, "size=256k") != 0) {
      ::_exit(77);
    }
    RouteStore store(file_);
    bool good = store.put(prefix("10.0.0.0/8"), leading("192.0.2.1")).has_value();
    const auto full = store.set_imported({std::string(400'000, 'x')}, false);
    good = good && !full && full.error().message.find("full") != std::string::npos;
    // It goes on, with what there was.
    good = good && store.put(prefix("10.1.0.0/16"), leading("192.0.2.1")).has_value();
    good = good && added(store).size() == 2 && store.load()->imported.empty();
    ::_exit(good ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no mount namespaces here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace rackway::control::testing
