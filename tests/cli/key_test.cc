// SPDX-License-Identifier: Apache-2.0
#include "control/cli/key.hh"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <sstream>
#include <vector>

#include "cluster/key_file.hh"
#include "tests/cluster/key_folder.hh"

namespace rackway::cli {
namespace {

class KeyCommand : public ::testing::Test {
 protected:
  int key(std::vector<std::string> words) {
    out_.str("");
    err_.str("");
    std::vector<const char*> arguments{"key"};
    for (const auto& word : words) arguments.push_back(word.c_str());
    return manage_keys(static_cast<int>(arguments.size()), arguments.data(), out_, err_);
  }
  std::string file(const std::string& name) const { return folder_.file(name); }
  // One line, after what every fault begins with.
  std::string fault() const {
    const auto text = err_.str();
    constexpr std::string_view kHead = "rackway key: ";
    EXPECT_TRUE(text.starts_with(kHead)) << text;
    EXPECT_EQ(text.find('\n'), text.size() - 1) << text;
    EXPECT_EQ(out_.str(), "");
    return text.substr(kHead.size(), text.size() - kHead.size() - 1);
  }

  cluster::testing::KeyFolder folder_;
  std::ostringstream out_, err_;
};

TEST_F(KeyCommand, NewMakesAFileForItsOwnerAndPrintsThePublicHalf) {
  ASSERT_EQ(key({"new", file("n1.key")}), 0);
  const auto pair = cluster::read_key_file(file("n1.key"));
  ASSERT_TRUE(pair);
  EXPECT_EQ(out_.str(), pair->open.text() + "\n");
  EXPECT_EQ(err_.str(), "");
}

TEST_F(KeyCommand, NewOverwritesNothing) {
  folder_.write("n1.key", "mine");
  EXPECT_EQ(key({"new", file("n1.key")}), 1);
  EXPECT_EQ(fault(), file("n1.key") + ": it exists already, and a key is never overwritten");
  EXPECT_EQ(folder_.text_of("n1.key"), "mine");
}

TEST_F(KeyCommand, ShowPrintsThePublicHalfOnly) {
  ASSERT_EQ(key({"new", file("n1.key")}), 0);
  const auto open = out_.str();
  ASSERT_EQ(key({"show", file("n1.key")}), 0);
  EXPECT_EQ(out_.str(), open);
  ASSERT_EQ(::chmod(file("n1.key").c_str(), 0644), 0);
  EXPECT_EQ(key({"show", file("n1.key")}), 1);
  EXPECT_NE(fault().find("others can read it"), std::string::npos);
}

TEST_F(KeyCommand, AllowTakesDigitsOrAFile) {
  const std::string first(64, '1'), second(64, '2');
  ASSERT_EQ(key({"allow", file("list"), "n1", first}), 0) << err_.str();
  ASSERT_EQ(key({"allow", file("list"), "n1", folder_.write("n1.pub", second + "\n")}), 0);
  EXPECT_EQ(folder_.text_of("list/n1"), "allowed " + first + "\nallowed " + second + "\n");
  EXPECT_EQ(out_.str() + err_.str(), "");
}

TEST_F(KeyCommand, RevokeTakesOneKeyOrAll) {
  const std::string first(64, '1'), second(64, '2');
  ASSERT_EQ(key({"allow", file("list"), "n1", first}), 0);
  ASSERT_EQ(key({"allow", file("list"), "n1", second}), 0);
  ASSERT_EQ(key({"revoke", file("list"), "n1", second}), 0);
  EXPECT_EQ(folder_.text_of("list/n1"), "allowed " + first + "\nrevoked " + second + "\n");
  ASSERT_EQ(key({"revoke", file("list"), "n1"}), 0);
  EXPECT_EQ(folder_.text_of("list/n1"), "revoked " + first + "\nrevoked " + second + "\n");
  EXPECT_EQ(key({"revoke", file("list"), "n1"}), 1);
  EXPECT_EQ(fault(), "node n1 has no such key allowed in " + file("list"));
}

TEST_F(KeyCommand, BadKeysAreRefusedWithTheReason) {
  const auto why = [&](const std::string& text) {
    EXPECT_EQ(key({"allow", file("list"), "n1", text}), 1);
    return fault();
  };
  EXPECT_EQ(
      why("123"),
      "'123' is neither a file nor a public key: it has 3 characters, a key has 64 hex digits");
  EXPECT_EQ(why(std::string(64, '0')), "'" + std::string(64, '0') +
                                           "' is neither a file nor a public key: it is all zero, "
                                           "which is nobody's key");
  ASSERT_EQ(key({"new", file("n1.key")}), 0);
  EXPECT_EQ(
      why(file("n1.key")),
      file("n1.key") + ": it has a secret key; give the public half alone, of rackway key show");
}

TEST_F(KeyCommand, BadArgumentsAreRefusedInOneLine) {
  const std::vector<std::vector<std::string>> faulty{{},
                                                     {"make"},
                                                     {"new"},
                                                     {"new", "a", "b"},
                                                     {"allow"},
                                                     {"allow", "list", "n1"},
                                                     {"revoke", "list"},
                                                     {"show", "--secret", "x"}};
  for (const auto& words : faulty) {
    EXPECT_EQ(key(words), 2);
    EXPECT_NE(fault(), "");
  }
}

TEST_F(KeyCommand, HelpNamesTheCommands) {
  EXPECT_EQ(key({"--help"}), 0);
  for (const auto* word : {"new", "show", "allow", "revoke"}) {
    EXPECT_NE(out_.str().find(word), std::string::npos);
  }
}

}  // namespace
}  // namespace rackway::cli
