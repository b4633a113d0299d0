// SPDX-License-Identifier: Apache-2.0
#include "control/cli/route_import.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/fib/scratch_folder.hh"
#include "tests/table_file/mrt_octets.hh"

namespace rackway::cli {
namespace {

using Json = nlohmann::json;
using namespace table_file::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RouteImportTest : public ::testing::Test {
 protected:
  RouteImportTest() { arguments_.file = folder_.file("table"); }

  int import(const std::string& content, bool json = false) {
    std::ofstream(arguments_.file, std::ios::binary) << content;
    return import_file(json);
  }
  int import_file(bool json = false) {
    requests_.clear();
    out_.str("");
    err_.str("");
    const auto ask = [this](const std::string& request) -> Result<std::string> {
      requests_.push_back(Json::parse(request));
      if (!refusal_.empty()) return R"({"ok": false, "error": ")" + refusal_ + R"("})";
      return std::string(R"({"ok": true, "rows": [{"imported": 7}]})");
    };
    return import_routes(arguments_, ask, {out_, err_, nullptr, json});
  }
  [[nodiscard]] std::string sent() const {
    std::string all;
    for (const auto& request : requests_) all += request.at("text").get<std::string>();
    return all;
  }

  fib::testing::ScratchFolder folder_;
  ImportArguments arguments_;
  std::string refusal_;
  std::vector<Json> requests_;
  std::ostringstream out_, err_;
};

TEST_F(RouteImportTest, SendsTheRoutesOfText) {
  EXPECT_EQ(import("prefix,next_hop\n10.0.0.0/8 192.0.2.1\n2001:db8::/32,2001:db8:1::1,3\n"), 0);
  ASSERT_EQ(requests_.size(), 1u);
  EXPECT_EQ(requests_[0],
            Json({{"order", "route-import"},
                  {"part", 0},
                  {"last", true},
                  {"keep", false},
                  {"text", "10.0.0.0/8,192.0.2.1\n2001:db8::/32,2001:db8:1::1,3\n"}}));
  EXPECT_EQ(out_.str(), "read 2 routes of " + arguments_.file + ", 7 prefixes are imported\n");
  EXPECT_EQ(err_.str(), "");
}

TEST_F(RouteImportTest, SaysWhichLinesAreBad) {
  arguments_.keep = true;
  EXPECT_EQ(import("10.0.0.0/8,192.0.2.1\n10.0.0.1/8,192.0.2.1\n11.0.0.0/8,n1\n"), 0);
  EXPECT_EQ(err_.str(), arguments_.file +
                            ":2: it does not begin with a prefix ADDRESS/LENGTH without host "
                            "bits\n" +
                            arguments_.file + ":3: 'n1' is no next hop\nskipped 2: bad line\n");
  EXPECT_EQ(requests_[0]["keep"], true);
  EXPECT_EQ(import("10.0.0.0/8,192.0.2.1\nx\n", true), 0);
  const auto summary = Json::parse(out_.str());
  EXPECT_EQ(summary["skipped"], Json({{"bad line", 1}}));
  EXPECT_EQ(summary["bad_lines"][0]["line"], 2);
  EXPECT_EQ(summary["imported"], 7);
  EXPECT_EQ(summary["format"], "csv");
  EXPECT_EQ(err_.str(), "");
}

TEST_F(RouteImportTest, SendsALargeTableInPartsOfWholeLines) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) {
    text += "10." + std::to_string(i / 256 % 256) + "." + std::to_string(i % 256) +
            ".0/24,192.0.2." + std::to_string(1 + i % 200) + "\n";
  }
  EXPECT_EQ(import(text), 0);
  EXPECT_GT(requests_.size(), 2u);
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    EXPECT_EQ(requests_[i]["part"], i);
    EXPECT_EQ(requests_[i]["last"], i + 1 == requests_.size());
    EXPECT_LT(requests_[i].dump().size(), std::size_t{1} << 20);
    const auto part = requests_[i]["text"].get<std::string>();
    EXPECT_TRUE(part.empty() || part.back() == '\n');
  }
  EXPECT_EQ(sent(), text);
}

TEST_F(RouteImportTest, TakesTheBestPathOfADump) {
  const auto attributes = [](unsigned path, const char* hop) {
    return origin(0) + as_path(static_cast<std::uint8_t>(path)) + next_hop(hop);
  };
  const auto dump =
      two_peers() + rib_ipv4("203.0.113.0/24", {entry(0, attributes(3, "192.0.2.1")),
                                                entry(1, attributes(2, "192.0.2.2"))});
  EXPECT_EQ(import(dump), 0);
  EXPECT_EQ(sent(), "203.0.113.0/24,192.0.2.2\n");
  arguments_.peer = ip("192.0.2.1");
  EXPECT_EQ(import(dump), 0);
  EXPECT_EQ(sent(), "203.0.113.0/24,192.0.2.1\n");
  arguments_.peer = ip("192.0.2.77");
  EXPECT_EQ(import(dump), 1);
  EXPECT_THAT(err_.str(), HasSubstr("there is no route in"));
  EXPECT_TRUE(requests_.empty());
}

// Its paths lie anywhere in the file.
TEST_F(RouteImportTest, TakesTheBestPathOfATableDump) {
  const auto path = [](const char* to, unsigned length, const char* hop) {
    return table_dump(to, "192.0.2.1", 1,
                      origin(0) + as_path(static_cast<std::uint8_t>(length), 2) + next_hop(hop));
  };
  EXPECT_EQ(import(path("10.0.0.0/8", 3, "192.0.2.1") + path("11.0.0.0/8", 1, "192.0.2.2") +
                   path("10.0.0.0/8", 2, "192.0.2.3")),
            0);
  EXPECT_THAT(sent(), HasSubstr("10.0.0.0/8,192.0.2.3\n"));
  EXPECT_THAT(sent(), HasSubstr("11.0.0.0/8,192.0.2.2\n"));
  EXPECT_EQ(sent().size(), 42u);
}

TEST_F(RouteImportTest, SaysWhatKeepsItFromImporting) {
  refusal_ = "the FIB has no room";
  EXPECT_EQ(import("10.0.0.0/8,192.0.2.1\n"), 1);
  EXPECT_EQ(err_.str(), "the FIB has no room\n");
  EXPECT_EQ(import("nothing\n"), 1);
  EXPECT_THAT(err_.str(), HasSubstr("there is no route in"));
  std::filesystem::remove(arguments_.file);
  EXPECT_EQ(import_file(), 1);
  EXPECT_THAT(err_.str(), HasSubstr("No such file"));
}

}  // namespace
}  // namespace rackway::cli
