// SPDX-License-Identifier: Apache-2.0
#include "fib/processor.hh"

#include "base/startup_error.hh"

namespace rackway::fib {

void require_processor() {
#if defined(__x86_64__) && defined(__AVX2__)
  for (const bool there :
       {__builtin_cpu_supports("avx2") != 0, __builtin_cpu_supports("bmi") != 0,
        __builtin_cpu_supports("bmi2") != 0, __builtin_cpu_supports("popcnt") != 0}) {
    if (!there) {
      throw StartupError("the processor has no AVX2 or BMI2", "",
                         "use one of 2013 or later, and let virtual machines see it as it is");
    }
  }
#endif
}

bool runs_avx512() noexcept {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0;
#else
  return false;
#endif
}

}  // namespace rackway::fib
