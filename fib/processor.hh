// SPDX-License-Identifier: Apache-2.0
// What the lookups need of the processor. To be called before any other of this library.
#pragma once

namespace rackway::fib {

// Throws StartupError when the library is compiled for instructions that the processor lacks.
void require_processor();

}  // namespace rackway::fib
