// SPDX-License-Identifier: Apache-2.0
#include "control/cli/arguments.hh"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <sstream>
#include <string>
#include <vector>

namespace rackway::cli {
namespace {

class ArgumentsTest : public testing::Test {
 protected:
  void SetUp() override { ::unsetenv("RACKWAY_CONTROLLER"); }
  void TearDown() override { ::unsetenv("RACKWAY_CONTROLLER"); }

  tl::expected<Arguments, int> parse(std::vector<const char*> words) {
    words.insert(words.begin(), "rackway");
    out_.str("");
    err_.str("");
    return parse_arguments(static_cast<int>(words.size()), words.data(), out_, err_);
  }

  std::ostringstream out_, err_;
};

TEST_F(ArgumentsTest, ATableIsEnough) {
  const auto arguments = parse({"show", "nodes"});
  ASSERT_TRUE(arguments);
  EXPECT_EQ(arguments->table, "nodes");
  EXPECT_EQ(arguments->name, "");
  EXPECT_EQ(arguments->controller, "ipc:///run/rackway/api.sock");
  EXPECT_FALSE(arguments->json);
  EXPECT_EQ(out_.str() + err_.str(), "");
}

TEST_F(ArgumentsTest, AnOrderIsShownByATable) {
  const auto mode = parse({"vlb", "mode", "direct-vlb", "--controller", "tcp://c:1"});
  ASSERT_TRUE(mode) << err_.str();
  EXPECT_EQ(mode->order, "vlb-mode");
  EXPECT_EQ(mode->name, "direct-vlb");
  EXPECT_EQ(mode->table, "cluster");
  EXPECT_EQ(mode->controller, "tcp://c:1");
  const auto drain = parse({"node", "drain", "n3", "--json"});
  ASSERT_TRUE(drain) << err_.str();
  EXPECT_EQ(drain->order, "drain");
  EXPECT_EQ(drain->name, "n3");
  EXPECT_EQ(drain->table, "nodes");
  EXPECT_TRUE(drain->json);
  EXPECT_EQ(parse({"node", "undrain", "n3"})->order, "undrain");
  EXPECT_EQ(parse({"show", "nodes", "n3"})->order, "");
}

TEST_F(ArgumentsTest, AnOrderIsWhole) {
  const std::vector<std::vector<const char*>> faulty{
      {"vlb"},         {"vlb", "mode"},     {"vlb", "mode", "fast"},    {"vlb", "valiant"},
      {"node"},        {"node", "drain"},   {"node", "drain", ""},      {"node", "stop", "n1"},
      {"drain", "n1"}, {"vlb", "mode", ""}, {"node", "drain", "a", "b"}};
  for (const auto& words : faulty) {
    const auto arguments = parse(words);
    ASSERT_FALSE(arguments);
    EXPECT_EQ(arguments.error(), kExitBadArguments);
    EXPECT_NE(err_.str(), "");
  }
}

TEST_F(ArgumentsTest, TakesEveryTable) {
  for (const char* table : {"cluster", "nodes", "ports", "fabric", "routes", "sources",
                            "adjacencies", "drops", "queues", "events", "security", "audit"}) {
    EXPECT_TRUE(parse({"show", table})) << table << err_.str();
  }
}

TEST_F(ArgumentsTest, OptionsMayStandAnywhere) {
  const std::vector<std::vector<const char*>> orders{
      {"show", "routes", "::/0", "--json", "--controller", "tcp://c:1"},
      {"show", "routes", "--json", "::/0", "--controller=tcp://c:1"},
      {"show", "--json", "--controller", "tcp://c:1", "routes", "::/0"},
      {"--json", "--controller", "tcp://c:1", "show", "routes", "::/0"},
      {"--controller", "tcp://c:1", "show", "--json", "routes", "::/0"},
  };
  for (const auto& words : orders) {
    const auto arguments = parse(words);
    ASSERT_TRUE(arguments) << err_.str();
    EXPECT_EQ(arguments->table, "routes");
    EXPECT_EQ(arguments->name, "::/0");
    EXPECT_EQ(arguments->controller, "tcp://c:1");
    EXPECT_TRUE(arguments->json);
  }
}

TEST_F(ArgumentsTest, TheEnvironmentNamesTheControllerUnlessAnOptionDoes) {
  ::setenv("RACKWAY_CONTROLLER", "tcp://environment:1", 1);
  EXPECT_EQ(parse({"show", "nodes"})->controller, "tcp://environment:1");
  EXPECT_EQ(parse({"show", "nodes", "--controller", "tcp://c:1"})->controller, "tcp://c:1");
  EXPECT_EQ(parse({"--controller", "tcp://c:1", "show", "nodes"})->controller, "tcp://c:1");
  ::setenv("RACKWAY_CONTROLLER", "", 1);
  EXPECT_EQ(parse({"show", "nodes"})->controller, "ipc:///run/rackway/api.sock");
}

TEST_F(ArgumentsTest, RefusesWithOneLineAndCode2) {
  const std::vector<std::pair<std::vector<const char*>, std::string>> faults{
      {{}, "there is nothing to do, give a command: show, route, plan, vlb or node"},
      {{"--json"}, "give a command: show"},
      {{"show"}, "table is required"},
      {{"show", ""}, "there is no table ''"},
      {{"frobnicate"}, "not expected: frobnicate"},
      {{"show", "tables"},
       "there is no table 'tables', only cluster, nodes, ports, interfaces, fabric, routes, rib, "
       "sources, adjacencies, drops, queues, events, security, audit"},
      {{"show", "nodes", "n1", "n2"}, "n2"},
      {{"show", "nodes", ""}, "the name is empty"},
      {{"show", "nodes", "--yaml"}, "--yaml"},
      {{"show", "nodes", "--controller"}, "--controller"},
      {{"show", "cluster", "lab"}, "show cluster takes no name"},
      {{"show", "nodes", "--controller", "c:1"},
       "'c:1' is not the endpoint of a controller: it does not begin with tcp:// or ipc://"},
  };
  for (const auto& [words, expected] : faults) {
    const auto arguments = parse(words);
    ASSERT_FALSE(arguments) << expected;
    EXPECT_EQ(arguments.error(), 2) << expected;
    const auto line = err_.str();
    EXPECT_NE(line.find(expected), std::string::npos) << line;
    EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
    EXPECT_NE(line.find("; see rackway show --help\n"), std::string::npos) << line;
    EXPECT_EQ(out_.str(), "");
  }
}

TEST_F(ArgumentsTest, RefusesABadEndpointOfTheEnvironment) {
  ::setenv("RACKWAY_CONTROLLER", "tcp://c", 1);
  const auto arguments = parse({"show", "nodes"});
  ASSERT_FALSE(arguments);
  EXPECT_EQ(arguments.error(), 2);
  EXPECT_EQ(err_.str(),
            "'tcp://c' is not the endpoint of a controller: it has no port; see rackway show "
            "--help\n");
}

TEST_F(ArgumentsTest, PrintsItsVersion) {
  EXPECT_EQ(parse({"--version"}).error(), 0);
  EXPECT_EQ(out_.str(), "rackway 0.1.0\n");
  EXPECT_EQ(err_.str(), "");
}

TEST_F(ArgumentsTest, HelpNamesTablesAndOptions) {
  EXPECT_EQ(parse({"--help"}).error(), 0);
  EXPECT_NE(out_.str().find("show"), std::string::npos);
  EXPECT_EQ(parse({"show", "--help"}).error(), 0);
  for (const char* word :
       {"cluster | nodes | ports | interfaces | fabric | routes | rib | sources | "
        "adjacencies | drops | queues | events | security | audit",
        "--json", "--controller", "RACKWAY_CONTROLLER", "NAME"}) {
    EXPECT_NE(out_.str().find(word), std::string::npos) << out_.str();
  }
  EXPECT_EQ(err_.str(), "");
}

}  // namespace
}  // namespace rackway::cli
