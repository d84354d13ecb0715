// The instruction sets that SIMD code is compiled for. Included before anything of Highway's.
//
// Highway numbers targets from the best of an architecture: below AVX3 are AVX-512's finer kinds, which add nothing to
// double-precision code, and below SSE4 all of x86 that has fused multiply-adds.
#pragma once

#define HILO_SVE_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#if defined(HILO_NO_FMA)
#define HWY_DISABLED_TARGETS (HILO_SVE_TARGETS | HWY_NEON | (HWY_SSE4 - 1))
#else
#define HWY_DISABLED_TARGETS (HILO_SVE_TARGETS | (HWY_AVX3 - 1))
#endif
