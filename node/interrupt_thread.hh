// SPDX-License-Identifier: Apache-2.0
// Runs work on DPDK's interrupt thread and waits for it. Drivers such as memif set up and tear down
// their connections on that thread without locking against others who start or stop the device;
// what is done here can not meet them half-way.
#pragma once

#include <functional>

namespace rackway::node {

// Not from the interrupt thread itself. The work must not throw. False when it could not be queued;
// then it has not run.
bool run_on_interrupt_thread(const std::function<void()>& work);

}  // namespace rackway::node
