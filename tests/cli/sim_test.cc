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

#include "tests/traffic/capture_file.hh"

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
    std::vector<std::string> words{file_, "--warm-up", "1", "--time", "3"};
    words.insert(words.end(), more.begin(), more.end());
    return run_words(words, progress);
  }

  // Without a document and times.
  int run_words(std::vector<std::string> words, std::ostream* progress = nullptr) {
    words.insert(words.begin(), {"sim", "--port-rate", "1G", "--link-rate", "1G"});
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
      {{"--fail", "n1@"}, "'n1@' is not WHAT or WHAT@MS"},
      {{"--repair", "n1@-1"}, "'n1@-1' is not WHAT or WHAT@MS"},
      {{"--fail", "n1@nan"}, "'n1@nan' is not WHAT or WHAT@MS"},
      {{"--fail", "n1@1x"}, "'n1@1x' is not WHAT or WHAT@MS"},
      {{"--shape", "mesh:4"}, "--shape"},
      {{"--fluid", "--relay-ns", "100"}, "--fluid knows no time of cores"},
      {{"--speed", "2"}, "--speed"},
      {{"--pcap", "/nowhere.pcap"}, "can not read the capture /nowhere.pcap"},
      {{"--pcap", "/nowhere.pcap", "--load", "0.5"}, "--load"},
      {{"--matrix", "adversarial", "--fail", "n1-n2", "--fail", "n1-n-3"}, "have no path"},
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

TEST_F(SimTest, MakesRegularShapes) {
  ASSERT_EQ(run_words({"--shape", "mesh:5", "--time", "2", "--json"}), 0) << err_.str();
  EXPECT_EQ(nlohmann::json::parse(out_.str())["links"].size(), 20u);
  ASSERT_EQ(run_words({"--shape", "butterfly:2x3", "--fluid", "--json"}), 0) << err_.str();
  const auto report = nlohmann::json::parse(out_.str());
  EXPECT_EQ(report["ports"].size(), 20u);  // 8 edge nodes, 12 relays
  EXPECT_EQ(report["ports"][7]["to"], "n8");
  EXPECT_GT(report["ports"][7]["load"], 0.5);
  EXPECT_EQ(report["ports"][8]["load"], 0);
  for (const auto* shape : {"mesh", "mesh:", "mesh:0", "mesh:4097", "mesh:99999", "mesh:4x2",
                            "ring:4", "butterfly:4", "butterfly:1x3", "butterfly:2x0",
                            "butterfly:16x4", "butterfly:4x2x2", "butterfly:9999x9999"}) {
    EXPECT_EQ(run_words({"--shape", shape}), 2) << shape;
    EXPECT_NE(err_.str().find("is no shape"), std::string::npos) << err_.str();
  }
  EXPECT_EQ(run_words({}), 2);
  EXPECT_NE(err_.str().find("give a cluster document or --shape"), std::string::npos);
}

// There is no other node to send to, so that all stays between its own ports.
TEST_F(SimTest, OneNodeCarriesWhatItsPortsTakeIn) {
  ASSERT_EQ(run_words({"--shape", "mesh:1", "--fluid", "--load", "0.6"}), 0) << err_.str();
  EXPECT_EQ(out_.str(),
            "traffic     0.600 Gb/s offered, 0.600 Gb/s arrived\n"
            "goodput     100.0000 %\n"
            "straight    100.00 %\n"
            "links       mean load 0.00 %, fullest 0.00 %\n");
  const std::vector<std::string> packets{"--shape", "mesh:1", "--load", "0.6",   "--sizes",
                                         "64",      "--time", "5",      "--json"};
  ASSERT_EQ(run_words(packets), 0) << err_.str();
  const auto report = nlohmann::json::parse(out_.str());
  EXPECT_EQ(report["goodput"], 1);
  EXPECT_EQ(report["reordered"], 0);
  EXPECT_NEAR(report["ports"][0]["load"], 0.6, 0.02);
  EXPECT_EQ(report["links"].size(), 0u);
  // 0.6 Gb/s are 0.893 million packets a second, each of which enters and leaves.
  auto costly = packets;
  costly.insert(costly.end(), {"--ingress-ns", "100", "--egress-ns", "200"});
  ASSERT_EQ(run_words(costly), 0) << err_.str();
  EXPECT_NEAR(nlohmann::json::parse(out_.str())["core_use"][0], 0.893 * 0.3, 0.01);
}

TEST_F(SimTest, TheFluidReckonsWithRates) {
  ASSERT_EQ(run({"--fluid", "--mode", "direct", "--load", "0.6"}), 0) << err_.str();
  EXPECT_EQ(out_.str(),
            "traffic     1.800 Gb/s offered, 1.800 Gb/s arrived\n"
            "goodput     100.0000 %\n"
            "straight    100.00 %\n"
            "links       mean load 30.00 %, fullest 30.00 %\n");
  // A node is dead from the start, whenever it is repaired another fails.
  ASSERT_EQ(run({"--fluid", "--mode", "direct", "--load", "0.6", "--fail", "n1", "--fail", "n2@1",
                 "--repair", "n2@2"}),
            0);
  EXPECT_NE(out_.str().find("goodput     50.0000 %"), std::string::npos) << out_.str();
  EXPECT_NE(out_.str().find("dropped     0.600 Gb/s no_path"), std::string::npos);
  ASSERT_EQ(run({"--fluid", "--json"}), 0);
  const auto report = nlohmann::json::parse(out_.str());
  EXPECT_EQ(report["settled"], true);
  EXPECT_EQ(report["links"][0]["asked"], report["links"][0]["load"]);
}

TEST_F(SimTest, ReplaysACapture) {
  using namespace traffic::testing;
  const auto file = testing::TempDir() + "rackway_sim_test.pcap";
  std::vector<Captured> packets;
  for (std::uint16_t i = 0; i < 300; ++i) {
    packets.push_back({1, i * 10'000u, in_ethernet(ipv4_packet(i % 20, i % 7))});
  }
  packets.push_back({1, 5, in_ethernet({}, 0x0806)});
  write_file(file, capture_of(packets));
  ASSERT_EQ(run_words({file_, "--pcap", file, "--json"}), 0) << err_.str();
  const auto report = nlohmann::json::parse(out_.str());
  const auto replayed = report["capture"]["replayed"].get<int>();
  EXPECT_GT(replayed, 100);
  EXPECT_EQ(report["sent"]["packets"], replayed);
  EXPECT_EQ(report["sent"]["octets"], replayed * 64);
  EXPECT_EQ(report["goodput"], 1);
  EXPECT_EQ(replayed + report["capture"]["within_a_node"].get<int>(), 300);
  EXPECT_EQ(report["capture"]["without_ip"], 1);
  // All is sent in 3 ms, or in a part of it that is measured, or faster.
  ASSERT_EQ(run_words({file_, "--pcap", file, "--time", "1", "--json"}), 0) << err_.str();
  EXPECT_LT(nlohmann::json::parse(out_.str())["sent"]["packets"], replayed / 2);
  ASSERT_EQ(run_words({file_, "--pcap", file, "--time", "1", "--speed", "4"}), 0) << err_.str();
  EXPECT_NE(out_.str().find("packets     " + std::to_string(replayed) + " sent"),
            std::string::npos);
  EXPECT_NE(out_.str().find("capture     " + std::to_string(replayed) + " replayed"),
            std::string::npos);
  ASSERT_EQ(run_words({file_, "--pcap", file, "--fluid"}), 0) << err_.str();
  EXPECT_NE(out_.str().find("goodput     100.0000 %"), std::string::npos);
  write_file(file, capture_of({packets.back()}));
  EXPECT_EQ(run_words({file_, "--pcap", file}), 2);
  EXPECT_NE(err_.str().find("has no IP packet from one node to another"), std::string::npos);
  std::remove(file.c_str());
}

TEST_F(SimTest, DrawsABarOnlyWhereItIsTold) {
  std::ostringstream progress;
  ASSERT_EQ(run({}, &progress), 0);
  EXPECT_NE(progress.str().find("\r[==="), std::string::npos);
  EXPECT_EQ(progress.str().back(), '\r');
  EXPECT_EQ(err_.str(), "");
  const auto report = out_.str();
  progress.str("");
  ASSERT_EQ(run({"--fluid"}, &progress), 0);
  EXPECT_NE(progress.str().find("\r["), std::string::npos);
  EXPECT_EQ(progress.str().back(), '\r');
  // The report is the same without.
  ASSERT_EQ(run({}), 0);
  EXPECT_EQ(out_.str(), report);
  EXPECT_EQ(report.find('\r'), std::string::npos);
}

}  // namespace
}  // namespace rackway::cli
