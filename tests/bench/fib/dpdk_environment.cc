// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/fib/dpdk_environment.hh"

#include <rte_eal.h>
#include <rte_errno.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "base/startup_error.hh"

namespace rackway::bench {
namespace {

// For one family's peers at a time: tables up to 500 MB, rules and trees of a million routes.
constexpr unsigned kPages = 1200;
constexpr unsigned kMegabytes = 2 * kPages;

void start(int core, bool huge_pages) {
  std::vector<std::string> words{"bench_fib",
                                 "--no-pci",
                                 "--no-telemetry",
                                 "--force-max-simd-bitwidth=512",
                                 "--log-level=*:critical",
                                 "--iova-mode=va",
                                 "-l",
                                 std::to_string(core)};
  if (huge_pages) {
    words.push_back("--in-memory");
  } else {
    words.insert(words.end(), {"--no-shconf", "--no-huge", "-m", std::to_string(kMegabytes)});
  }
  std::vector<char*> arguments;
  arguments.reserve(words.size());
  for (std::string& word : words) arguments.push_back(word.data());
  if (rte_eal_init(static_cast<int>(arguments.size()), arguments.data()) < 0) {
    throw StartupError("DPDK does not start", rte_strerror(rte_errno),
                       "free memory, or name a core that this process may use");
  }
}

}  // namespace

DpdkEnvironment::DpdkEnvironment(int core) {
  if (::geteuid() == 0) pages_ = std::make_unique<HugePages>(kPages);
  has_huge_pages_ = pages_ && HugePages::free().value_or(0) >= kPages;
  if (!has_huge_pages_) pages_.reset();
  start(core, has_huge_pages_);
}

DpdkEnvironment::~DpdkEnvironment() {
  rte_eal_cleanup();
}

}  // namespace rackway::bench
