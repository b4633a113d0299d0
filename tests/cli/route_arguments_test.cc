// SPDX-License-Identifier: Apache-2.0
// `rackway route` and `--explain`: what the words ask for, what is said, and how an explanation
// reads.
#include "control/cli/route_arguments.hh"

#include <gtest/gtest.h>

#include <sstream>

#include "control/cli/arguments.hh"
#include "control/cli/explain_text.hh"
#include "control/cli/show.hh"

namespace rackway::cli {
namespace {

class RouteArgumentsTest : public ::testing::Test {
 protected:
  tl::expected<Arguments, int> parse(std::vector<const char*> words) {
    words.insert(words.begin(), "rackway");
    err_.str("");
    return parse_arguments(static_cast<int>(words.size()), words.data(), out_, err_);
  }
  // What is sent for these words.
  std::string request(const std::vector<const char*>& words) {
    const auto arguments = parse(words);
    EXPECT_TRUE(arguments) << err_.str();
    if (!arguments) return "";
    std::string sent;
    std::ostringstream out, err;
    const auto ask = [&](const std::string& text) -> Result<std::string> {
      sent = text;
      return std::string(R"({"ok": true, "rows": []})");
    };
    (void)show(*arguments, ask, out, err);
    return sent;
  }

  std::ostringstream out_, err_;
};

TEST_F(RouteArgumentsTest, OrdersAreSent) {
  EXPECT_EQ(request({"route", "add", "203.0.113.0/24", "via", "192.0.2.1", "192.0.2.2*3"}),
            R"({"order":"route-add","name":"203.0.113.0/24","target":"192.0.2.1,192.0.2.2,3"})");
  EXPECT_EQ(request({"route", "add", "::/0", "blackhole"}),
            R"({"order":"route-add","name":"::/0","target":"blackhole"})");
  EXPECT_EQ(request({"route", "del", "203.0.113.0/24"}),
            R"({"order":"route-del","name":"203.0.113.0/24"})");
  EXPECT_EQ(request({"route", "del", "--imported"}), R"({"order":"route-del-imported","name":""})");
}

TEST_F(RouteArgumentsTest, TablesAreAskedFor) {
  EXPECT_EQ(request({"route", "show"}), R"({"show":"rib"})");
  EXPECT_EQ(request({"route", "show", "192.0.2.1"}), R"({"show":"rib","name":"192.0.2.1"})");
  EXPECT_EQ(request({"show", "rib"}), R"({"show":"rib"})");
  EXPECT_EQ(request({"show", "route", "192.0.2.1"}), R"({"show":"routes","name":"192.0.2.1"})");
  for (const char* table : {"route", "routes"}) {
    EXPECT_EQ(request({"show", table, "192.0.2.1", "--explain"}),
              R"({"show":"explain","name":"192.0.2.1"})");
  }
  EXPECT_EQ(request({"route", "show", "192.0.2.0/24", "--explain"}),
            R"({"show":"explain","name":"192.0.2.0/24"})");
}

TEST_F(RouteArgumentsTest, ImportsAreWhole) {
  const auto arguments =
      parse({"route", "import", "dump.gz", "--format", "mrt", "--peer", "192.0.2.1", "--keep"});
  ASSERT_TRUE(arguments && arguments->import) << err_.str();
  EXPECT_EQ(arguments->import->file, "dump.gz");
  EXPECT_EQ(arguments->import->format, "mrt");
  EXPECT_EQ(arguments->import->peer, IpAddress::parse("192.0.2.1"));
  EXPECT_TRUE(arguments->import->keep);
  const auto plain = parse({"route", "import", "table.csv", "--controller", "tcp://c:1"});
  ASSERT_TRUE(plain && plain->import);
  EXPECT_FALSE(plain->import->peer || plain->import->keep);
  EXPECT_EQ(plain->controller, "tcp://c:1");
}

TEST_F(RouteArgumentsTest, FaultsAreSaid) {
  const std::vector<std::vector<const char*>> faulty{{"route"},
                                                     {"route", "flush"},
                                                     {"route", "add"},
                                                     {"route", "add", "10.0.0.0/8"},
                                                     {"route", "add", "10.0.0.1/8", "192.0.2.1"},
                                                     {"route", "del"},
                                                     {"route", "del", "10.0.0.0"},
                                                     {"route", "del", "10.0.0.0/8", "--imported"},
                                                     {"route", "import"},
                                                     {"route", "import", "f", "--format", "xml"},
                                                     {"route", "import", "f", "--peer", "n1"},
                                                     {"route", "show", "n1"},
                                                     {"route", "show", "--explain"},
                                                     {"show", "routes", "--explain"},
                                                     {"show", "nodes", "n1", "--explain"}};
  for (const auto& words : faulty) {
    const auto arguments = parse(words);
    ASSERT_FALSE(arguments) << words.back();
    EXPECT_EQ(arguments.error(), kExitBadArguments);
    EXPECT_EQ(err_.str().find('\n'), err_.str().size() - 1) << err_.str();
  }
}

TEST(ExplainText, ReadsFromPrefixToNodes) {
  const auto row = nlohmann::ordered_json::parse(R"({
    "prefix": "203.0.113.0/24", "protocol": "added", "stale": false,
    "candidates": [
      {"source": "added", "origin": "added", "distance": 1, "kind": "forward",
       "via": ["192.0.2.1*2"], "state": "used"},
      {"source": "kernel", "origin": "bgp", "distance": 20, "kind": "blackhole", "via": [],
       "state": "beaten"}],
    "recursion": [
      {"depth": 0, "next_hop": "192.0.2.1", "through": "192.0.2.0/24", "origin": "imported",
       "outcome": "recursive"},
      {"depth": 1, "next_hop": "10.0.1.2", "through": "", "origin": "", "outcome": "no route"}],
    "route_epoch": 7, "group": 3, "kind": "forward", "group_epoch": 0,
    "next_hops": [{"node": "n1", "port": "n1-p0", "interface": "n1-p0.100", "address": "10.0.1.2",
      "mac": "02:00:00:00:00:02", "weight": 1, "share_percent": 100, "vlan": 100, "mtu": 1500,
      "adjacency": 5, "epoch": 6}],
    "nodes": [{"node": "n1", "state": "up", "epoch": 9, "took": 7},
              {"node": "n2", "state": "syncing", "epoch": 4, "took": null}]})");
  EXPECT_EQ(explain_text(row),
            "prefix 203.0.113.0/24, protocol added\n"
            "routes, the best first:\n"
            "  used: added, distance 1, via 192.0.2.1*2\n"
            "  beaten: kernel (bgp), distance 20, blackhole\n"
            "next hops:\n"
            "  192.0.2.1 through 192.0.2.0/24 (imported): recursive\n"
            "    10.0.1.2: no route\n"
            "route since epoch 7, to group 3 of kind forward, from before this controller\n"
            "sent to:\n"
            "  10.0.1.2 on n1-p0.100 (node n1, port n1-p0), MAC 02:00:00:00:00:02, MTU 1500, 100 "
            "%, adjacency 5, since epoch 6\n"
            "nodes:\n"
            "  n1: took it in epoch 7, at epoch 9 now (up)\n"
            "  n2: has not taken it yet, at epoch 4 now (syncing)\n");
}

TEST(ExplainText, OneThatIsNotInTheFib) {
  EXPECT_EQ(explain_text({{"prefix", "10.0.0.0/8"}, {"protocol", ""}, {"stale", true}}),
            "prefix 10.0.0.0/8, kept from before a restart and named by nobody since\n"
            "it is not in the FIB\n");
}

}  // namespace
}  // namespace rackway::cli
