// SPDX-License-Identifier: Apache-2.0
#include "node/journey.hh"

namespace rackway::node {

// They go while the burst's own frames are still there, as these are what they are made from. What
// is said of the generated ones (answered, to_fragment) is not heard: an error never causes one.
void Journey::generate(Burst& burst, const Context& context) noexcept {
  icmp_answer_.run(burst, context, generated_);
  fragment_.run(burst, generated_);
  const Context own{.fib = context.fib,
                    .self = context.self,
                    .port = context.port,
                    .in = places_.generated,
                    .counters = places_.generated.counters[core_],
                    .controller_present = context.controller_present,
                    .epoch_mark = context.epoch_mark,
                    .now = context.now,
                    .ticks = context.ticks};
  for (std::size_t first = 0; first < generated_.size(); first += kBurst) {
    generated_.fill(own_burst_, first, own);
    take(own_burst_, own.counters);
    lookup_.run(own_burst_, own);
    resolve_.run(own_burst_, own);
    punt_.run(own_burst_, own);
    transmit_.run(own_burst_, own, false);
  }
  generated_.clear();
}

}  // namespace rackway::node
