// SPDX-License-Identifier: Apache-2.0
// Files of real route collectors, where RACKWAY_DATA names a folder that has mrt/ in it: the reader
// finds what count_mrt.py finds, which is written apart from it.
#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "control/table_file/mrt_reader.hh"
#include "tests/table_file/mrt_octets.hh"

namespace rackway::table_file::testing {
namespace {

struct Case {
  const char* file;
  std::uint64_t paths, prefixes, not_ribs;
};

class RealFilesTest : public ::testing::TestWithParam<Case> {};

std::string output_of(const std::string& command) {
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  std::array<char, 256> line{};
  const char* const got = std::fgets(line.data(), line.size(), pipe);
  EXPECT_EQ(::pclose(pipe), 0) << command;
  return got == nullptr ? "" : got;
}

TEST_P(RealFilesTest, IsReadAsByAnother) {
  const char* const data = std::getenv("RACKWAY_DATA");
  if (data == nullptr) GTEST_SKIP() << "RACKWAY_DATA is not set";
  const auto path = std::string(data) + "/mrt/" + GetParam().file;
  const auto source = FileSource::open(path);
  ASSERT_TRUE(source.has_value()) << source.error().message;
  MrtReader reader(**source);
  std::set<IpPrefix> prefixes;
  std::uint64_t sum = 0;
  for (MrtRib rib; reader.next(rib);) {
    prefixes.insert(rib.prefix);
    for (const auto& one : rib.paths) {
      const auto text = rib.prefix.to_string() + " " + std::to_string(one.peer) + " " +
                        std::to_string(one.path_id) + " " + one.attributes.next_hop.to_string();
      sum += ::crc32(0, reinterpret_cast<const Bytef*>(text.data()),
                     static_cast<unsigned>(text.size()));
    }
  }
  EXPECT_EQ(reader.paths(), GetParam().paths);
  EXPECT_EQ(prefixes.size(), GetParam().prefixes);
  EXPECT_EQ(reader.skipped().of(Skip::not_a_rib), GetParam().not_ribs);
  const auto numbers = std::to_string(reader.records()) + " " + std::to_string(reader.paths()) +
                       " " + std::to_string(prefixes.size()) + " " + std::to_string(sum) + "\n";
  EXPECT_EQ(output_of("/usr/bin/python3 '" RACKWAY_TEST_SOURCES "/count_mrt.py' '" + path + "'"),
            numbers);
}

INSTANTIATE_TEST_SUITE_P(Files, RealFilesTest,
                         ::testing::Values(Case{"ris-bview.20020722.2337.gz", 115521, 112988, 0},
                                           Case{"bview.ipv4_unicast_add_path.gz", 60, 31, 0},
                                           Case{"quagga_rib", 9, 6, 0},
                                           Case{"openbgpd_rib_table-v2", 31, 21, 0},
                                           Case{"rrc15-updates.20100227.1600.gz", 0, 0, 6615}),
                         [](const auto& param) {
                           std::string name = param.param.file;
                           for (auto& c : name) c = std::isalnum(c) ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace rackway::table_file::testing
