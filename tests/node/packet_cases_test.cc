// SPDX-License-Identifier: Apache-2.0
// Every file of tests/node/cases is a test of its own: its frames go through a node as they are
// described there, and what comes out is compared octet by octet.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "tests/node/packet_case.hh"
#include "tests/node/packet_harness.hh"

namespace rackway::node::testing {
namespace {

using Path = std::filesystem::path;

std::vector<Path> case_files() {
  std::vector<Path> files;
  for (const auto& entry : std::filesystem::directory_iterator(RACKWAY_PACKET_CASES)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string content_of(const Path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// How often each way of each frame was taken.
using Taken = std::map<std::pair<std::size_t, std::string>, std::uint64_t>;

class PacketCases : public ::testing::TestWithParam<Path> {
 protected:
  void run(const PacketCase& subject) {
    PacketHarness node(subject.router.options, subject.router.fib);
    for (std::size_t port = 0; port < kPorts; ++port) {
      node.places.outputs[port]->mac = subject.router.macs[port];
      node.places.outputs[port]->mtu = subject.router.mtus[port];
      node.places.outputs[port]->usable.store(subject.router.up[port]);
    }
    for (std::uint64_t i = 0; i < subject.times && !HasFailure(); ++i) {
      SCOPED_TRACE("repetition " + std::to_string(i));
      repeat(subject, node, subject.frames(i));
    }
    if (!HasFailure()) check_shares(subject.frames(0));
  }

 private:
  void repeat(const PacketCase& subject, PacketHarness& node,
              const std::vector<CaseFrame>& frames) {
    std::string first;
    for (std::size_t at = 0; at < frames.size(); ++at) {
      const auto& frame = frames[at];
      SCOPED_TRACE("frame " + std::to_string(at) + ": " + frame.about);
      const auto outcome = node.run(frame.in, frame.bytes, frame.how);
      const auto way = std::find_if(frame.ways.begin(), frame.ways.end(),
                                    [&](const auto& one) { return one.outcome == outcome; });
      if (way == frame.ways.end()) {
        EXPECT_EQ(outcome, frame.ways.front().outcome)
            << (frame.ways.size() > 1 ? "and none of the other ways either" : "");
        return;
      }
      ++taken_[{at, way->name}];
      if (at == 0) first = way->name;
      EXPECT_TRUE(!subject.same_way || way->name == first)
          << "went to " << way->name << ", frame 0 to " << first;
    }
  }

  void check_shares(const std::vector<CaseFrame>& frames) {
    for (std::size_t at = 0; at < frames.size(); ++at) {
      for (const auto& way : frames[at].ways) {
        const auto taken = taken_[{at, way.name}];
        EXPECT_TRUE(way.least <= taken && taken <= way.most)
            << "frame " << at << " took the way to " << way.name << " " << taken << " times, not "
            << way.least << " to " << way.most;
      }
    }
  }

  Taken taken_;
};

TEST_P(PacketCases, EndAsTheySay) {
  const auto name = GetParam().filename().string();
  try {
    const PacketCase subject(content_of(GetParam()), name);
    SCOPED_TRACE(name + ": " + subject.title + " (" + subject.shows + ")");
    run(subject);
  } catch (const CaseFault& fault) {
    FAIL() << fault.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Files, PacketCases, ::testing::ValuesIn(case_files()),
                         [](const auto& file) { return file.param.stem().string(); });

}  // namespace
}  // namespace rackway::node::testing
