// SPDX-License-Identifier: Apache-2.0
// What the lookups need of the processor, and what else it has.
#pragma once

namespace rackway::fib {

// To be called before any other of this library. Throws StartupError when the library is compiled
// for instructions that the processor lacks.
void require_processor();

// The loops over bursts have a form for AVX-512: F, BW, DQ and VL.
[[nodiscard]] bool runs_avx512() noexcept;

}  // namespace rackway::fib
