// SPDX-License-Identifier: Apache-2.0
#include "cluster/key_file.hh"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/cluster/key_folder.hh"

namespace rackway::cluster::testing {
namespace {

// RFC 7748 6.1: Alice's. Functions, as parameters of tests are made before constants are.
std::string secret_text() {
  return "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a";
}
std::string public_text() {
  return "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a";
}

std::string lines(const std::string& open, const std::string& secret) {
  return "public " + open + "\nsecret " + secret + "\n";
}

struct BadFile {
  const char* name;
  std::string text;
  std::string fault;
};

class BadKeyFiles : public ::testing::TestWithParam<BadFile> {};

TEST_P(BadKeyFiles, AreRefusedWithTheReason) {
  const KeyFolder folder;
  const auto file = folder.write("key", GetParam().text);
  const auto pair = read_key_file(file);
  ASSERT_FALSE(pair);
  EXPECT_EQ(pair.error().message, file + ": " + GetParam().fault);
}

INSTANTIATE_TEST_SUITE_P(
    All, BadKeyFiles,
    ::testing::Values(BadFile{"Empty", "", "it has no secret half: it is cut short or no key file"},
                      BadFile{"NoSecret", "public " + public_text() + "\n",
                              "it has no secret half: it is cut short or no key file"},
                      BadFile{"NoPublic", "secret " + secret_text() + "\n",
                              "it has no public half: it is cut short or no key file"},
                      BadFile{"CutShort", lines(public_text(), secret_text().substr(0, 63)),
                              "the secret half: it has 63 characters, a key has 64 hex digits"},
                      BadFile{"PublicCutShort", lines(public_text().substr(0, 10), secret_text()),
                              "the public half: it has 10 characters, a key has 64 hex digits"},
                      BadFile{"TooLong", lines(public_text(), secret_text() + "0"),
                              "the secret half: it has 65 characters, a key has 64 hex digits"},
                      BadFile{"NoHex", lines(public_text(), "7x" + secret_text().substr(2)),
                              "the secret half: character 2 is no hex digit"},
                      BadFile{"SecretZero", lines(public_text(), std::string(64, '0')),
                              "the secret half: it is all zero, which is nobody's key"},
                      BadFile{"PublicZero", lines(std::string(64, '0'), secret_text()),
                              "the public half: it is all zero, which is nobody's key"},
                      BadFile{"OtherHalf", lines(std::string(64, '5'), secret_text()),
                              "its two halves do not belong together; make a new key"},
                      BadFile{"Twice", lines(public_text(), secret_text()) + "secret x\n",
                              "line 3 is not one of a key"},
                      BadFile{"Foreign", "-----BEGIN PRIVATE KEY-----\n",
                              "line 1 is not one of a key"},
                      BadFile{"Large", std::string(2000, '#'), "it is too large to be a key"}),
    [](const auto& suite) { return std::string(suite.param.name); });

TEST(KeyFile, AFileThatOthersCanReadIsRefused) {
  const KeyFolder folder;
  for (const int mode : {0604, 0640, 0602, 0660, 0644}) {
    const auto file = folder.write("key", lines(public_text(), secret_text()), mode);
    const auto pair = read_key_file(file);
    ASSERT_FALSE(pair) << mode;
    EXPECT_NE(pair.error().message.find(file + ": others can read it or write to it (mode 06"),
              std::string::npos)
        << pair.error().message;
  }
  EXPECT_TRUE(read_key_file(folder.write("key", lines(public_text(), secret_text()), 0400)));
}

TEST(KeyFile, AnotherUsersFileIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  const KeyFolder folder;
  const auto file = folder.write("key", lines(public_text(), secret_text()));
  ASSERT_EQ(::chown(file.c_str(), 12345, 0), 0);
  EXPECT_EQ(read_key_file(file).error().message,
            file + ": it belongs to user 12345; chown it to yours or to root");
}

TEST(KeyFile, WhatIsNoFileIsRefused) {
  const KeyFolder folder;
  EXPECT_EQ(read_key_file(folder.file("none")).error().message,
            folder.file("none") + ": No such file or directory");
  EXPECT_EQ(read_key_file(folder.file("")).error().message, folder.file("") + ": it is not a file");
}

TEST(KeyFile, WhatIsWrittenIsReadAndForTheOwnerOnly) {
  const KeyFolder folder;
  const auto pair = new_key_pair();
  const auto umask_before = ::umask(0);
  ASSERT_TRUE(write_key_file(folder.file("key"), pair));
  ::umask(umask_before);
  struct stat status {};
  ASSERT_EQ(::stat(folder.file("key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
  const auto read = read_key_file(folder.file("key"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->open, pair.open);
  EXPECT_EQ(read->secret.bytes(), pair.secret.bytes());
}

TEST(KeyFile, NothingIsOverwritten) {
  const KeyFolder folder;
  const auto file = folder.write("key", "mine");
  EXPECT_EQ(write_key_file(file, new_key_pair()).error().message,
            file + ": it exists already, and a key is never overwritten");
  EXPECT_EQ(folder.text_of("key"), "mine");
}

TEST(KeyFile, APublicKeyAloneMayBeReadByAll) {
  const KeyFolder folder;
  const auto key = read_public_key_file(folder.write("open", public_text() + "\n", 0644));
  ASSERT_TRUE(key);
  EXPECT_EQ(key->text(), public_text());
}

TEST(KeyFile, ASecretInThePlaceOfAPublicKeyIsRefused) {
  const KeyFolder folder;
  const auto file = folder.write("key", lines(public_text(), secret_text()), 0644);
  EXPECT_EQ(read_public_key_file(file).error().message,
            file + ": it has a secret key; give the public half alone, of rackway key show");
  const auto zero = folder.write("zero", std::string(64, '0'), 0644);
  EXPECT_EQ(read_public_key_file(zero).error().message,
            zero + ": it is all zero, which is nobody's key");
}

TEST(Key, ThePublicHalfIsThatOfX25519) {
  EXPECT_EQ(parse_secret_key(secret_text())->public_half().text(), public_text());
}

TEST(Key, NewOnesDiffer) {
  EXPECT_NE(new_key_pair().open, new_key_pair().open);
}

}  // namespace
}  // namespace rackway::cluster::testing
