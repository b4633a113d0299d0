// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>

#include "control/table_file/octet_source.hh"
#include "tests/fib/scratch_folder.hh"
#include "tests/table_file/mrt_octets.hh"

namespace rackway::table_file::testing {
namespace {

class FileSourceTest : public ::testing::Test {
 protected:
  std::string plain(const std::string& octets) {
    const auto path = folder_.file("file");
    std::ofstream(path, std::ios::binary) << octets;
    return path;
  }
  std::string compressed(const std::string& octets) {
    const auto path = folder_.file("file.gz").string();
    const gzFile file = ::gzopen(path.c_str(), "wb");
    ::gzwrite(file, octets.data(), static_cast<unsigned>(octets.size()));
    ::gzclose(file);
    return path;
  }
  static std::string all_of(OctetSource& source) {
    std::string all, piece(1000, '\0');
    while (const auto got = source.read(piece)) all.append(piece, 0, got);
    return all;
  }

  fib::testing::ScratchFolder folder_;
};

std::string much() {
  std::string text;
  for (int i = 0; i < 50000; ++i) text += std::to_string(i) + "\n";
  return text;
}

TEST_F(FileSourceTest, ReadsPlainAndCompressedFilesAlike) {
  for (const auto& text : {std::string(), std::string("a"), much()}) {
    for (const auto& path : {plain(text), compressed(text)}) {
      const auto source = FileSource::open(path);
      ASSERT_TRUE(source.has_value());
      EXPECT_EQ(all_of(**source), text);
      EXPECT_FALSE((*source)->broken());
      EXPECT_EQ((*source)->size(), std::filesystem::file_size(path));
      EXPECT_EQ((*source)->position(), (*source)->size());
    }
  }
}

TEST_F(FileSourceTest, SeesACompressedFileThatIsCutOffOrDamaged) {
  const auto path = compressed(much());
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  auto source = *FileSource::open(path);
  const auto some = all_of(*source);
  EXPECT_TRUE(source->broken());
  EXPECT_GT(some.size(), 0u);
  EXPECT_EQ(much().substr(0, some.size()), some);

  compressed(much());
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(5000) << "damage";
  source = *FileSource::open(path);
  (void)all_of(*source);
  EXPECT_TRUE(source->broken());
}

TEST_F(FileSourceTest, SaysWhatCanNotBeOpened) {
  EXPECT_THAT(FileSource::open(folder_.file("none")).error().message,
              ::testing::HasSubstr("No such file"));
  EXPECT_THAT(FileSource::open(folder_.path()).error().message,
              ::testing::HasSubstr("it is a folder"));
}

TEST_F(FileSourceTest, AReaderCountsABrokenStream) {
  auto octets = two_peers();
  for (int i = 0; i < 20000; ++i) {
    octets += rib_ipv4("10." + std::to_string(i / 256) + "." + std::to_string(i % 256) + ".0/24",
                       {entry(0, next_hop("198.51.100.1"))});
  }
  const auto path = compressed(octets);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 100);
  const auto source = *FileSource::open(path);
  MrtReader reader(*source);
  const auto lines = read_all(reader);
  EXPECT_GT(lines.size(), 1000u);
  EXPECT_EQ(reader.skipped().of(Skip::broken_stream), 1u);
  EXPECT_EQ(reader.skipped().total(), 1u);
}

}  // namespace
}  // namespace rackway::table_file::testing
