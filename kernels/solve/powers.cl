// Numbers scaled by powers of two, and their sizes, as src/solve/scaling.hpp has them.
#pragma once

#include "number/doubles.cl"

// x · 2^e, rounded once where it underflows.
static inline double times_power(double x, int e) {
  if (e < -1022 || e > 1023) return ldexp(x, e);
  return x * as_double((ulong)(e + 1023) << 52);
}
// The larger one, or NaN where one is.
static inline double larger(double x, double y) { return y > x || y != y ? y : x; }
