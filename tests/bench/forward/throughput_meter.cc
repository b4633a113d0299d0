// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/forward/throughput_meter.hh"

#include <rte_cycles.h>
#include <rte_ethdev.h>

#include <cstdio>
#include <ctime>
#include <fstream>
#include <utility>

namespace rackway::bench {

ThroughputMeter::ThroughputMeter(MeterSetup setup)
    : setup_(std::move(setup)),
      warm_up_(static_cast<std::uint64_t>(setup_.warm_up_seconds *
                                          static_cast<double>(rte_get_tsc_hz()))),
      window_(static_cast<std::uint64_t>(setup_.window_seconds *
                                         static_cast<double>(rte_get_tsc_hz()))) {
  points_.reserve(setup_.windows + 1);
}

ThroughputMeter::Ports ThroughputMeter::ports() {
  Ports all{};
  std::uint16_t port = 0;
  RTE_ETH_FOREACH_DEV(port) {
    rte_eth_stats of_port{};
    if (rte_eth_stats_get(port, &of_port) != 0) continue;
    all.received += of_port.ipackets;
    all.sent += of_port.opackets;
  }
  return all;
}

ThroughputMeter::Point ThroughputMeter::point() const {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return {rte_rdtsc(), packets_,
          static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec)};
}

void ThroughputMeter::look() {
  next_look_ = packets_ + kLookEvery;
  const std::uint64_t now = rte_rdtsc();
  if (first_ == 0) first_ = now;
  if (points_.empty()) {
    if (now - first_ < warm_up_) return;
    before_ = ports();
    points_.push_back(point());
    return;
  }
  if (now - points_.back().cycles < window_) return;
  points_.push_back(point());
  if (points_.size() <= setup_.windows) return;
  next_look_ = UINT64_MAX;
  finish();
  if (when_over) when_over();
}

void ThroughputMeter::finish() const {
  const Ports after = ports();
  const std::string unfinished = setup_.result + ".part";
  {
    std::ofstream file(unfinished);
    file << "{\"hz\": " << rte_get_tsc_hz()
         << ", \"received\": " << after.received - before_.received
         << ", \"sent\": " << after.sent - before_.sent << ", \"windows\": [";
    for (std::size_t i = 1; i < points_.size(); ++i) {
      file << (i > 1 ? ", " : "") << "{\"packets\": " << points_[i].packets - points_[i - 1].packets
           << ", \"cycles\": " << points_[i].cycles - points_[i - 1].cycles
           << ", \"cpu_seconds\": " << points_[i].cpu_seconds - points_[i - 1].cpu_seconds << "}";
    }
    file << "]}\n";
  }
  std::rename(unfinished.c_str(), setup_.result.c_str());
}

}  // namespace rackway::bench
