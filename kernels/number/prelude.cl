// Double-double arithmetic in OpenCL C 1.2: what eft.clh, core.clh and step.clh ask their includer for, and the first
// two.
//
//   HILO_LANES   1 2 4 8   doubles in a `real`: 1 on a GPU, the vector width on a CPU
//   HILO_FMA     0 1       whether two_prod uses fused multiply-adds
//
// Error-free transforms need every operation rounded by itself.
#pragma once

#ifndef HILO_LANES
#define HILO_LANES 1
#endif
#if HILO_LANES != 1 && HILO_LANES != 2 && HILO_LANES != 4 && HILO_LANES != 8
#error "hilo: HILO_LANES is none of 1 2 4 8"
#endif
#ifndef HILO_FMA
#define HILO_FMA 1
#endif
#if HILO_FMA != 0 && HILO_FMA != 1
#error "hilo: HILO_FMA is none of 0 1"
#endif

#include "number/doubles.cl"

#ifdef __FAST_RELAXED_MATH__
#error "hilo: double-double arithmetic needs IEEE semantics; build without -cl-fast-relaxed-math"
#endif

#define HILO_FN static inline

// `pair` is two words of each lane in memory, all hi words first.
#if HILO_LANES == 1
typedef double real;
typedef int mask;
typedef double2 pair;
#define CHOOSE(m, a, b) ((m) ? (a) : (b))
#elif HILO_LANES == 2
typedef double2 real;
typedef long2 mask;
typedef double4 pair;
#define CHOOSE(m, a, b) select(b, a, m)
#elif HILO_LANES == 4
typedef double4 real;
typedef long4 mask;
typedef double8 pair;
#define CHOOSE(m, a, b) select(b, a, m)
#elif HILO_LANES == 8
typedef double8 real;
typedef long8 mask;
typedef double16 pair;
#define CHOOSE(m, a, b) select(b, a, m)
#endif

HILO_FN real literal(double c) { return (real)(c); }
HILO_FN real mul(real a, real b) { return a * b; }
HILO_FN real scaled(real a, real b) { return a * b; }
HILO_FN real fms(real a, real b, real c) { return fma(a, b, -c); }
HILO_FN real magnitude(real a) { return fabs(a); }
// Veltkamp: right in the one rounding mode of OpenCL devices.
HILO_FN real leading_half(real a) {
  real t = a * 134217729.0;
  return t - (t - a);
}
HILO_FN real choose(mask m, real a, real b) { return CHOOSE(m, a, b); }
HILO_FN real usually(mask m, real a, real b) { return CHOOSE(m, a, b); }
HILO_FN real spare_add(real x, real y) { return x + y; }
#define square_root sqrt

#if HILO_FMA
#define two_prod two_prod_fma
#else
#define two_prod two_prod_split
#endif

#include "hilo/detail/eft.clh"

#include "hilo/detail/core.clh"
