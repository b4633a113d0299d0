// SPDX-License-Identifier: Apache-2.0
#include "fib/file_replacement.hh"

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/fib/scratch_folder.hh"

namespace rackway::fib::testing {
namespace {

using Names = std::set<std::string>;
namespace fs = std::filesystem;

std::string error_of(const fs::path& path, std::string_view bytes) {
  const auto replaced = replace_file(path, bytes);
  return replaced ? "no error" : replaced.error().message;
}

TEST(FileReplacement, MakesTheFile) {
  const ScratchFolder folder;
  ASSERT_TRUE(replace_file(folder.file("a"), std::string_view("x\0y", 3)));
  EXPECT_EQ(file_at(folder.file("a")), std::string("x\0y", 3));
  EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(FileReplacement, ReplacesALongerOne) {
  const ScratchFolder folder;
  put_file(folder.file("a"), "long before");
  ASSERT_TRUE(replace_file(folder.file("a"), "new"));
  EXPECT_EQ(file_at(folder.file("a")), "new");
  EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(FileReplacement, ARelativeNameIsInTheFolderAtHand) {
  const ScratchFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  const auto replaced = replace_file("a", "x");
  fs::current_path(before);
  EXPECT_TRUE(replaced);
  EXPECT_EQ(file_at(folder.file("a")), "x");
}

// Whoever has the old file open goes on reading it.
TEST(FileReplacement, LeavesTheOldFileToItsReaders) {
  const ScratchFolder folder;
  put_file(folder.file("a"), "old");
  std::ifstream reader(folder.file("a"));
  ASSERT_TRUE(replace_file(folder.file("a"), "new"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(reader), {}), "old");
}

TEST(FileReplacement, WhatACrashLeftIsInNobodysWay) {
  const ScratchFolder folder;
  put_file(folder.file("a.new"), "much that was never finished");
  ASSERT_TRUE(replace_file(folder.file("a"), "new"));
  EXPECT_EQ(file_at(folder.file("a")), "new");
  EXPECT_EQ(folder.names(), Names{"a"});
}

// The file beside it is always one of its own.
TEST(FileReplacement, DoesNotWriteThroughALink) {
  const ScratchFolder folder;
  put_file(folder.file("other"), "precious");
  fs::create_symlink(folder.file("other"), folder.file("a.new"));
  ASSERT_TRUE(replace_file(folder.file("a"), "new"));
  EXPECT_EQ(file_at(folder.file("other")), "precious");
  EXPECT_EQ(file_at(folder.file("a")), "new");
}

TEST(FileReplacement, AMissingFolderIsSaid) {
  const ScratchFolder folder;
  const auto path = folder.file("none/a");
  EXPECT_EQ(error_of(path, "x"), path.string() + ": can not create " + path.string() +
                                     ".new: No such file or directory");
  EXPECT_EQ(folder.names(), Names{});
}

TEST(FileReplacement, AFolderThatIsAFileIsSaid) {
  const ScratchFolder folder;
  put_file(folder.file("file"), "");
  const auto path = folder.file("file/a");
  EXPECT_EQ(error_of(path, "x"),
            path.string() + ": can not create " + path.string() + ".new: Not a directory");
}

TEST(FileReplacement, AFolderIsNotReplaced) {
  const ScratchFolder folder;
  fs::create_directory(folder.file("a"));
  EXPECT_EQ(error_of(folder.file("a"), "x"),
            folder.file("a").string() + ": can not replace it: Is a directory");
  EXPECT_EQ(folder.names(), Names{"a"});
}

// Nobody else's name in place of root's, to whom permissions mean nothing.
class NobodyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (root_ && ::seteuid(65534) != 0) GTEST_SKIP() << "can not become another user";
  }
  void TearDown() override { ASSERT_TRUE(!root_ || ::seteuid(0) == 0); }
  const bool root_ = ::geteuid() == 0;
};

TEST_F(NobodyTest, AFolderWithoutPermissionIsSaidAndStaysAsItIs) {
  const ScratchFolder folder;
  put_file(folder.file("a"), "old");
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  const auto path = folder.file("a");
  EXPECT_EQ(error_of(path, "new"),
            path.string() + ": can not create " + path.string() + ".new: Permission denied");
  EXPECT_EQ(file_at(path), "old");
  EXPECT_EQ(folder.names(), Names{"a"});
  fs::permissions(folder.path(), fs::perms::owner_all);
}

// The system ends a file at 100,000 octets, in the middle of what is to be written.
class ShortFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before_), 0);
    const rlimit limit{100'000, before_.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
    signal_before_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  void TearDown() override {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_before_);
  }
  rlimit before_{};
  void (*signal_before_)(int) = nullptr;
};

TEST_F(ShortFilesTest, AWriteThatFailsHalfwayLeavesTheOldFile) {
  const ScratchFolder folder;
  put_file(folder.file("a"), "old");
  const auto path = folder.file("a");
  EXPECT_EQ(error_of(path, std::string(100'001, 'x')),
            path.string() + ": can not write " + path.string() + ".new: File too large");
  EXPECT_EQ(file_at(path), "old");
  EXPECT_EQ(folder.names(), Names{"a"});
  EXPECT_EQ(error_of(path, std::string(100'000, 'x')), "no error");
  EXPECT_EQ(fs::file_size(path), 100'000u);
}

// A disk of 64 kB.
TEST(FileReplacement, AFullDiskLeavesTheOldFile) {
  const ScratchFolder folder;
  if (::mount("none", folder.path().c_str(), "tmpfs", 0, "size=64k") != 0) {
    GTEST_SKIP() << "needs root, to mount a small disk";
  }
  const auto path = folder.file("a");
  put_file(path, "old");
  EXPECT_EQ(error_of(path, std::string(65'536, 'x')),
            path.string() + ": can not write " + path.string() + ".new: No space left on device");
  EXPECT_EQ(file_at(path), "old");
  EXPECT_EQ(folder.names(), Names{"a"});
  EXPECT_EQ(error_of(path, std::string(32'768, 'x')), "no error");
  EXPECT_EQ(fs::file_size(path), 32'768u);
  EXPECT_EQ(::umount(folder.path().c_str()), 0);
}

// A child that replaces the file without end, until it is killed.
pid_t replace_forever(const fs::path& path, const std::string& one, const std::string& other) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  for (;;) {
    if (!replace_file(path, one) || !replace_file(path, other)) ::_exit(1);
  }
}

TEST(FileReplacement, ACrashLeavesTheOldFileOrTheNew) {
  const ScratchFolder folder;
  const auto path = folder.file("a");
  const std::string one(500'000, '1'), other(300'000, '2');
  ASSERT_TRUE(replace_file(path, one));
  for (unsigned i = 0; i < 50; ++i) {
    const pid_t child = replace_forever(path, one, other);
    ::usleep(1000 + i * 137);
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    const std::string now = file_at(path);
    ASSERT_TRUE(now == one || now == other) << now.size();
  }
  ASSERT_TRUE(replace_file(path, "new"));
  EXPECT_EQ(folder.names(), Names{"a"});
}

}  // namespace
}  // namespace rackway::fib::testing
