// SPDX-License-Identifier: Apache-2.0
// `rackway sim` from words to report.
#include "control/cli/sim.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace rackway::cli {
namespace {

constexpr const char* kMesh = R"({"name": "m", "nodes": [
  {"name": "n1", "ports": [{"name": "p0", "device": "d0"}]},
  {"name": "n2", "ports": [{"name": "p0", "device": "d0"}]},
  {"name": "n-3", "ports": [{"name": "p0", "device": "d0"}]}],
  "fabric": {"links": [{"between": ["n1", "n2"], "devices": ["d1", "d1"]},
                       {"between": ["n2", "n-3"], "devices": ["d2", "d2"]},
                       {"between": ["n1", "n-3"], "devices": ["d3", "d3"]}]}})";

class SimTest : public testing::Test {
 protected:
  void SetUp() override { write(kMesh); }
  void TearDown() override { std::remove(file_.c_str()); }

  void write(const std::string& document) { std::ofstream(file_) << document; }

  int run(const std::vector<std::string>& more, std::ostream* progress = nullptr) {
    std::vector<std::string> words{"sim", file_, "--port-rate", "1G", "--link-rate", "1G"};
    words.insert(words.end(), {"--warm-up", "1", "--time", "3"});
    words.insert(words.end(), more.begin(), more.end());
    std::vector<const char*> argv;
    for (const auto& word : words) argv.push_back(word.c_str());
    out_.str("");
    err_.str("");
    return simulate(static_cast<int>(argv.size()), argv.data(), out_, err_, progress);
  }

  const std::string file_ = testing::TempDir() + "rackway_sim_test.json";
  std::ostringstream out_, err_;
};

TEST_F(SimTest, ReportsAsTextAndAsJson) {
  ASSERT_EQ(run({}), 0) << err_.str();
  EXPECT_NE(out_.str().find("goodput     100.0000 %\n"), std::string::npos) << out_.str();
  ASSERT_EQ(run({"--json", "--matrix", "hot-spot", "--sizes", "64", "--flows", "steady"}), 0);
  const auto report = nlohmann::json::parse(out_.str());
  EXPECT_EQ(report["goodput"], 1);
  EXPECT_EQ(report["links"].size(), 6u);
  EXPECT_EQ(report["links"][0]["from"], "n1");
  EXPECT_EQ(report["ports"].size(), 3u);
  EXPECT_GT(report["sent"]["packets"], 1000);
  EXPECT_EQ(report["sent"]["octets"], 64 * report["sent"]["packets"].get<int>());
  EXPECT_GT(report["latency_us"]["99"], report["latency_us"]["50"]);
}

TEST_F(SimTest, TheSameForASeed) {
  ASSERT_EQ(run({"--json"}), 0);
  const auto first = out_.str();
  ASSERT_EQ(run({"--json"}), 0);
  EXPECT_EQ(out_.str(), first);
  ASSERT_EQ(run({"--json", "--seed", "2"}), 0);
  EXPECT_NE(out_.str(), first);
}

TEST_F(SimTest, ThingsFailAtTheirTimes) {
  ASSERT_EQ(run({"--json", "--hello", "0.2", "--fail", "n1-n-3@2", "--fail", "n2@2.5", "--repair",
                 "n2@3"}),
            0)
      << err_.str();
  const auto report = nlohmann::json::parse(out_.str());
  EXPECT_GT(report["dropped"]["link_down"], 0);
  EXPECT_LT(report["goodput"], 1);
}

TEST_F(SimTest, RefusesWhatItDoesNotKnowInOneLine) {
  struct Case {
    std::vector<std::string> words;
    std::string fault;
  };
  const std::vector<Case> cases = {
      {{"--fail", "n9@3"}, "there is no node or link 'n9'"},
      {{"--fail", "n1-n1@3"}, "there is no node or link 'n1-n1'"},
      {{"--fail", "n1"}, "'n1' is not WHAT@MS"},
      {{"--repair", "n1@-1"}, "'n1@-1' is not WHAT@MS"},
      {{"--fail", "n1@nan"}, "'n1@nan' is not WHAT@MS"},
      {{"--fail", "n1@1x"}, "'n1@1x' is not WHAT@MS"},
      {{"--load", "0"}, "--load"},
      {{"--load", "1.1"}, "--load"},
      {{"--matrix", "round"}, "--matrix"},
      {{"--mode", "fast"}, "--mode"},
      {{"--sizes", "63"}, "'63' is neither imix nor octets"},
      {{"--sizes", "many"}, "'many' is neither imix nor octets"},
      {{"--link-rate", "fast"}, "'fast' is no rate"},
      {{"--time", "0"}, "--time"},
      {{"--wings", "2"}, "--wings"},
  };
  for (const auto& [words, fault] : cases) {
    EXPECT_EQ(run(words), 2) << fault;
    const std::string said = err_.str();
    EXPECT_NE(said.find(fault), std::string::npos) << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
    EXPECT_EQ(out_.str(), "");
  }
}

TEST_F(SimTest, RefusesADocumentThatIsNone) {
  write("{");
  EXPECT_EQ(run({}), 1);
  EXPECT_NE(err_.str().find(file_), std::string::npos) << err_.str();
  write(R"({"name": "x", "nodes": [{"name": "a"}]})");
  EXPECT_EQ(run({}), 2);
  EXPECT_NE(err_.str().find("no traffic"), std::string::npos) << err_.str();
}

TEST_F(SimTest, DrawsABarOnlyWhereItIsTold) {
  std::ostringstream progress;
  ASSERT_EQ(run({}, &progress), 0);
  EXPECT_NE(progress.str().find("\r[==="), std::string::npos);
  EXPECT_EQ(progress.str().back(), '\r');
  EXPECT_EQ(err_.str(), "");
}

}  // namespace
}  // namespace rackway::cli
