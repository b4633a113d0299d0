// SPDX-License-Identifier: Apache-2.0
#include "control/table_file/csv_reader.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/table_file/mrt_octets.hh"

namespace rackway::table_file::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Gives a few octets at a time.
class Trickle : public OctetSource {
 public:
  Trickle(std::string_view octets, std::size_t step) : rest_(octets), step_(step) {}
  std::size_t read(std::span<char> into) override {
    return rest_.read(into.first(std::min(step_, into.size())));
  }
  bool broken() const override { return false; }

 private:
  MemorySource rest_;
  std::size_t step_;
};

std::vector<std::string> routes_of(CsvReader& reader) {
  std::vector<std::string> lines;
  for (CsvRoute route; reader.next(route);) {
    lines.push_back(route.prefix.to_string() + " " + to_string(reader.targets()[route.target]));
  }
  return lines;
}

std::vector<std::string> routes_of(const std::string& text) {
  MemorySource source(text);
  CsvReader reader(source);
  auto routes = routes_of(reader);
  EXPECT_EQ(reader.skipped().total(), 0u);
  return routes;
}

TEST(CsvReader, ReadsNextHopsWithWeights) {
  EXPECT_THAT(routes_of("203.0.113.0/24,192.0.2.1\n"
                        "198.51.100.0/24,192.0.2.2,5,192.0.2.1\n"
                        "2001:db8::/32,2001:db8:1::1,65535\n"
                        "0.0.0.0/0,2001:db8:1::1\n"),
              ElementsAre("203.0.113.0/24 192.0.2.1", "198.51.100.0/24 192.0.2.1,192.0.2.2,5",
                          "2001:db8::/32 2001:db8:1::1,65535", "0.0.0.0/0 2001:db8:1::1"));
}

TEST(CsvReader, ReadsRoutesThatLeadNowhere) {
  EXPECT_THAT(routes_of("10.0.0.0/8,blackhole\n10.0.0.0/9,unreachable\n::/0,prohibit"),
              ElementsAre("10.0.0.0/8 blackhole", "10.0.0.0/9 unreachable", "::/0 prohibit"));
}

TEST(CsvReader, TakesBlanksCommentsHeaderAndOtherLineEnds) {
  EXPECT_THAT(routes_of("prefix,next_hop,weight\r\n# all\r\n\r\n  \n"
                        "203.0.113.0/24 192.0.2.1\r\n 10.0.0.0/8 ,\t192.0.2.1 , 3 # why\n"),
              ElementsAre("203.0.113.0/24 192.0.2.1", "10.0.0.0/8 192.0.2.1,3"));
  EXPECT_THAT(routes_of(""), IsEmpty());
}

TEST(CsvReader, EqualTextsShareATarget) {
  MemorySource source("10.0.0.0/8,192.0.2.1\n10.1.0.0/16,192.0.2.2\n10.2.0.0/16,192.0.2.1\n");
  CsvReader reader(source);
  std::vector<std::uint32_t> targets;
  for (CsvRoute route; reader.next(route);) targets.push_back(route.target);
  EXPECT_THAT(targets, ElementsAre(0u, 1u, 0u));
  EXPECT_EQ(reader.targets().size(), 2u);
  EXPECT_EQ(reader.routes(), 3u);
}

TEST(CsvReader, CountsBadLinesAndSaysWhich) {
  const std::string bad[] = {"10.0.0.1/8,192.0.2.1",
                             "10.0.0.0/33,192.0.2.1",
                             "10.0.0.0,192.0.2.1",
                             "prefix,192.0.2.1",
                             "10.0.0.0/8",
                             "10.0.0.0/8,,",
                             "10.0.0.0/8,n1",
                             "10.0.0.0/8,3",
                             "10.0.0.0/8,192.0.2.1,0",
                             "10.0.0.0/8,192.0.2.1,65536",
                             "10.0.0.0/8,192.0.2.1,1,1",
                             "10.0.0.0/8,192.0.2.1,192.0.2.1",
                             "10.0.0.0/8,0.0.0.0",
                             "10.0.0.0/8,fe80::1",
                             "10.0.0.0/8,blackhole,192.0.2.1",
                             "10.0.0.0/8,192.0.2.1,blackhole"};
  for (const auto& line : bad) {
    const auto text = "10.0.0.0/8,192.0.2.1\n" + line + "\n11.0.0.0/8,192.0.2.1\n";
    MemorySource source(text);
    CsvReader reader(source);
    EXPECT_EQ(routes_of(reader).size(), 2u) << line;
    EXPECT_EQ(reader.skipped().of(Skip::bad_line), 1u) << line;
    ASSERT_EQ(reader.bad_lines().size(), 1u);
    EXPECT_EQ(reader.bad_lines()[0].number, 2u);
  }
}

TEST(CsvReader, SaysWhatIsWrongWithoutRepeatingControlCharacters) {
  MemorySource source("10.0.0.0/8,n1\x1b[2J\n");
  CsvReader reader(source);
  EXPECT_THAT(routes_of(reader), IsEmpty());
  EXPECT_EQ(reader.bad_lines()[0].why, "'n1?[2J' is no next hop");
}

TEST(CsvReader, KeepsOnlyTheFirstFewBadLines) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "x\n";
  MemorySource source(text);
  CsvReader reader(source);
  EXPECT_THAT(routes_of(reader), IsEmpty());
  EXPECT_EQ(reader.skipped().of(Skip::bad_line), 1000u);
  EXPECT_EQ(reader.bad_lines().size(), CsvReader::kBadLinesKept);
  EXPECT_EQ(reader.bad_lines().back().number, 10u);
}

TEST(CsvReader, ReadsOverLinesThatAreTooLong) {
  const std::string fits = "10.0.0.0/8,192.0.2.1 #" + std::string(CsvReader::kMostLineOctets, 'x');
  const std::string good = fits.substr(0, CsvReader::kMostLineOctets);
  for (const auto& line : {fits, fits + std::string(1'000'000, 'y')}) {
    const auto text = good + "\n" + line + "\n11.0.0.0/8,192.0.2.1";
    MemorySource source(text);
    CsvReader reader(source);
    EXPECT_THAT(routes_of(reader), ElementsAre("10.0.0.0/8 192.0.2.1", "11.0.0.0/8 192.0.2.1"));
    EXPECT_EQ(reader.skipped().of(Skip::long_line), 1u);
    EXPECT_EQ(reader.lines(), 3u);
  }
}

TEST(CsvReader, IsTheSameInWhateverPiecesTheTextComes) {
  std::string text = "prefix,next_hop\n";
  for (int i = 0; i < 500; ++i) {
    text += "10.0." + std::to_string(i % 256) + ".0/24,192.0.2." + std::to_string(1 + i % 9) +
            (i % 7 == 0 ? "\r\n" : "\n");
    if (i % 50 == 0) text += "bad\n\n";
  }
  const auto whole = [&](std::size_t step) {
    Trickle source(text, step);
    CsvReader reader(source);
    const auto routes = routes_of(reader);
    return std::pair(routes, reader.skipped().of(Skip::bad_line));
  };
  const auto expected = whole(text.size());
  EXPECT_EQ(expected.first.size(), 500u);
  EXPECT_EQ(expected.second, 10u);
  for (const std::size_t step : {1, 2, 3, 7, 100}) EXPECT_EQ(whole(step), expected);
}

TEST(RouteTarget, IsParsedAsItIsWritten) {
  for (const auto* text : {"blackhole", "192.0.2.1", "192.0.2.1,7,192.0.2.2,2001:db8::1,3"}) {
    const auto target = parse_route_target(text);
    ASSERT_TRUE(target.has_value()) << text;
    EXPECT_EQ(to_string(*target), text);
  }
  std::string many = "10.0.0.1";
  for (unsigned i = 2; i <= kMostNextHops; ++i) {
    many += ",10.0." + std::to_string(i / 256) + "." + std::to_string(i % 256);
  }
  EXPECT_TRUE(parse_route_target(many).has_value());
  EXPECT_THAT(parse_route_target(many + ",10.9.9.9").error().message, HasSubstr("more than 512"));
}

}  // namespace
}  // namespace rackway::table_file::testing
