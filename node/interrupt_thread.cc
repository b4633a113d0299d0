// SPDX-License-Identifier: Apache-2.0
#include "node/interrupt_thread.hh"

#include <rte_alarm.h>

#include <future>
#include <memory>

namespace rackway::node {
namespace {

struct Job {
  std::function<void()> work;
  std::promise<void> done;
};

void run(void* job_of_ours) {
  const std::unique_ptr<Job> job(static_cast<Job*>(job_of_ours));
  job->work();
  job->done.set_value();
}

}  // namespace

bool run_on_interrupt_thread(const std::function<void()>& work) {
  auto job = std::make_unique<Job>(Job{work, {}});
  const auto done = job->done.get_future();
  // Alarms fire on the interrupt thread; 1 us is the least they take.
  if (rte_eal_alarm_set(1, run, job.get()) != 0) return false;
  (void)job.release();  // the alarm's
  done.wait();
  return true;
}

}  // namespace rackway::node
