// SPDX-License-Identifier: Apache-2.0
#include "control/cli/plan.hh"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "control/cli/arguments.hh"
#include "topo/cluster_document.hh"

namespace rackway::cli {
namespace {

class PlanCommand : public testing::Test {
 protected:
  int run(std::vector<std::string> words) {
    words.insert(words.begin(), {"rackway", "plan"});
    std::vector<const char*> argv;
    for (const auto& word : words) argv.push_back(word.c_str());
    out_.str("");
    err_.str("");
    const auto arguments = parse_arguments(static_cast<int>(argv.size()), argv.data(), out_, err_);
    if (!arguments) return arguments.error();
    if (!arguments->plan) return -1;
    return make_plan(*arguments->plan, out_, err_);
  }

  std::ostringstream out_, err_;
};

TEST_F(PlanCommand, PrintsAPlan) {
  EXPECT_EQ(run({"--ports", "32", "--rate", "100G", "--server", "r760", "--survive", "1"}), 0)
      << err_.str();
  const auto text = out_.str();
  for (const char* words : {"full mesh of", "guarantee", "with failures", "any 1 server or link",
                            "chosen", "for comparison only", "butterfly"}) {
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
  }
}

TEST_F(PlanCommand, PrintsJson) {
  EXPECT_EQ(run({"--json", "--ports", "8", "--server", "r660,r760"}), 0);
  EXPECT_EQ(out_.str().front(), '{');
  EXPECT_NE(out_.str().find("\"possible\": true"), std::string::npos);
}

TEST_F(PlanCommand, WhatIsNotPossibleIsAnAnswer) {
  EXPECT_EQ(run({"--ports", "8", "--rate", "800G", "--server", "r760"}), 1);
  EXPECT_EQ(err_.str(), "");
  EXPECT_NE(out_.str().find("not possible: no NIC of r760 has ports of 800G\npossible with slower"),
            std::string::npos)
      << out_.str();
  EXPECT_EQ(run({"--ports", "8", "--rate", "800G", "--json"}), 1);
  EXPECT_NE(out_.str().find("\"possible\": false"), std::string::npos);
}

TEST_F(PlanCommand, RefusesBadWordsWithOneLineAndCode2) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> faults{
      {{}, "--ports is required"},
      {{"--ports", "-1"}, "--ports '-1' is not a whole number"},
      {{"--ports", "0"}, "--ports '0'"},
      {{"--ports", "1e3"}, "--ports '1e3'"},
      {{"--ports", "99999999999999999999"}, "--ports"},
      {{"--ports", "4", "--rate", "fast"}, "--rate 'fast' is not a rate"},
      {{"--ports", "4", "--server", "r76"}, "no server model 'r76', only r760"},
      {{"--ports", "4", "--server", ""}, "no server model ''"},
      {{"--ports", "4", "--survive", "nodes=1,knots=2"}, "--survive"},
      {{"--ports", "4", "--survive", "nodes=1,nodes=2"}, "--survive"},
      {{"--ports", "4", "--fabric", "ring"}, "--fabric 'ring' is not any, mesh or butterfly"},
      {{"--ports", "4", "--packets", "1"}, "'1' is no mix of packets"},
      {{"--ports", "4", "--cycles", "ingress=-1"}, "--cycles"},
      {{"--ports", "4", "--core-load", "101"}, "--core-load"},
      {{"--ports", "4", "--grow", "2,2"}, "--grow"},
      {{"--ports", "4", "--cheapest", "love"}, "--cheapest"},
      {{"--ports", "4", "--unknown"}, "--unknown"},
      {{"--from", "a", "--to", "b", "--link-rate", "x"}, "--link-rate 'x' is not a rate"},
      {{"--from", "a.json"}, "--from and --to belong together"},
      {{"--from", "a", "--to", "b", "--link-rate", "1G", "--keep", "2"}, "--keep"},
  };
  for (const auto& [words, expected] : faults) {
    EXPECT_EQ(run(words), 2) << expected;
    const auto line = err_.str();
    EXPECT_NE(line.find(expected), std::string::npos) << line;
    EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
    EXPECT_NE(line.find("; see rackway plan --help\n"), std::string::npos) << line;
    EXPECT_EQ(out_.str(), "");
  }
}

TEST_F(PlanCommand, FilesThatCanNotBeReadAreOneLineAndCode1) {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"--ports", "4", "--catalogue", "/nonexistent"},
           {"--ports", "4", "--catalogue", "/"},
           {"--ports", "4", "--out", "/proc/nonexistent/x"},
           {"--from", "/nonexistent", "--to", "/nonexistent", "--link-rate", "1G"}}) {
    EXPECT_EQ(run(words), 1);
    const auto line = err_.str();
    EXPECT_FALSE(line.empty());
    EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
  }
}

TEST_F(PlanCommand, WritesFilesThatAreReadAgain) {
  const auto folder = std::filesystem::temp_directory_path() / "rackway_plan_test";
  std::filesystem::remove_all(folder);
  ASSERT_EQ(run({"--ports", "4", "--server", "r760", "--out", (folder / "a").string()}), 0);
  ASSERT_EQ(run({"--ports", "12", "--server", "r760", "--out", (folder / "b").string()}), 0);
  for (const char* name :
       {"cluster.json", "cabling.csv", "inventory.yml", "topology.svg", "plan.json"}) {
    EXPECT_GT(std::filesystem::file_size(folder / "a" / name), 0u) << name;
  }
  const auto document = topo::read_cluster_document((folder / "b" / "cluster.json").string());
  EXPECT_GE(document.nodes.size(), 1u);
  const auto a = (folder / "a" / "cluster.json").string();
  const auto b = (folder / "b" / "cluster.json").string();
  EXPECT_EQ(run({"--from", a, "--to", a}), 2);  // one server has no links that say their rate
  EXPECT_EQ(run({"--from", a, "--to", b, "--link-rate", "400G"}), 0) << out_.str();
  EXPECT_NE(out_.str().find("guaranteed all the time"), std::string::npos) << out_.str();
  std::filesystem::remove_all(folder);
}

TEST_F(PlanCommand, ListsTheCatalogueWithItsSources) {
  EXPECT_EQ(run({"--list"}), 0);
  EXPECT_NE(out_.str().find("rb-current"), std::string::npos);
  EXPECT_NE(out_.str().find("SOURCE"), std::string::npos);
}

TEST_F(PlanCommand, SaysHowManyServersOneNumberOfPortsNeeds) {
  const std::vector<std::string> asked{"--transitions", "--server", "rb-current", "--rate", "10G"};
  const auto json = [&](const std::string& ports, const std::string& cables) {
    auto words = asked;
    words.insert(words.end(), {"--json", "--ports", ports, "--cables", cables});
    EXPECT_EQ(run(words), 0) << err_.str();
    return nlohmann::json::parse(out_.str())["transitions"];
  };
  using nlohmann::json_literals::operator""_json;
  EXPECT_EQ(json("16", "8"), R"([{"server": "rb-current", "mbps": 10000,
      "points": [{"ports": 16, "servers": 16, "fabric": "mesh"}]}])"_json);
  EXPECT_EQ(json("64", "8")[0]["points"],
            R"([{"ports": 64, "servers": 192, "fabric": "butterfly"}])"_json);
  EXPECT_EQ(json("2048", "8")[0]["points"],
            R"([{"ports": 2048, "servers": null, "fabric": null}])"_json);
  EXPECT_NE(json("16", "1")[0]["points"][0]["servers"], 16);  // one cable is too slow
}

TEST_F(PlanCommand, AllTransitionsAsJsonHaveTheLargestMesh) {
  EXPECT_EQ(run({"--transitions", "--json", "--server", "rb-more-nics", "--rate", "10G", "--cables",
                 "8"}),
            0);
  const auto all = nlohmann::json::parse(out_.str())["transitions"];
  EXPECT_EQ(all[0]["largest_mesh"], 153);
  EXPECT_EQ(all[0]["points"].size(), 10u);
  EXPECT_EQ(all[0]["points"][5]["servers"], 128);
}

TEST_F(PlanCommand, RefusesCablesThatAreNoNumberOrOfAPlan) {
  EXPECT_EQ(run({"--transitions", "--cables", "0"}), 2);
  EXPECT_NE(err_.str().find("--cables '0' is not a whole number from 1 to 64"), std::string::npos);
  EXPECT_EQ(run({"--ports", "8", "--cables", "2"}), 2);
  EXPECT_NE(err_.str().find("--cables goes with --transitions"), std::string::npos);
  EXPECT_EQ(run({"--transitions", "--ports", "0"}), 2);
  EXPECT_EQ(out_.str(), "");
}

TEST_F(PlanCommand, HelpNamesItsOptions) {
  EXPECT_EQ(run({"--help"}), 0);
  for (const char* option : {"--ports", "--survive", "--out", "--transitions", "--grow"}) {
    EXPECT_NE(out_.str().find(option), std::string::npos) << option;
  }
}

}  // namespace
}  // namespace rackway::cli
