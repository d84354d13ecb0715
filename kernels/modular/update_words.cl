// alpha * sum + beta * C for a sum that comes as words, in double-double or in double.
#pragma once

#include "modular/element.cl"
#include "number/factors.cl"
#if WORDS == 2
#define IS_COMPLEX (PARTS == 2)
#include "direct/update.cl"
#else
#include "number/doubles.cl"
#endif

#if WORDS == 2
static inline void update_from_words(__global ulong* c, long element, ulong (*words)[WORDS], double4 alpha,
                                     double4 beta) {
  dd sum[PARTS];
  for (int part = 0; part < PARTS; ++part) {
    sum[part].hi = as_double(words[part][0]);
    sum[part].lo = as_double(words[part][1]);
  }
  update_element((__global double2*)c, element, sum, alpha, beta);
}
#else
// Every product and sum by itself: two products added are not one fused operation. Of a double4 x and z are the real
// and the imaginary part.
#if PARTS == 2
static inline double2 plain_times(double2 x, double2 y) {
  return (double2)(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}

static inline double2 plain_update(double2 sum, __global const double2* c, double4 alpha, double4 beta) {
  double2 r = alpha.x == 1.0 && alpha.z == 0.0 ? sum : plain_times(alpha.xz, sum);
  if (beta.x == 0.0 && beta.z == 0.0) return r;
  return r + (beta.x == 1.0 && beta.z == 0.0 ? *c : plain_times(beta.xz, *c));
}

static inline void update_from_words(__global ulong* c, long element, ulong (*words)[WORDS], double4 alpha,
                                     double4 beta) {
  __global double2* out = (__global double2*)c + element;
  *out = plain_update((double2)(as_double(words[0][0]), as_double(words[1][0])), out, alpha, beta);
}
#else
static inline double plain_times(double x, double y) { return x * y; }

static inline double plain_update(double sum, __global const double* c, double4 alpha, double4 beta) {
  double r = alpha.x == 1.0 ? sum : plain_times(alpha.x, sum);
  if (beta.x == 0.0) return r;
  return r + (beta.x == 1.0 ? *c : plain_times(beta.x, *c));
}

static inline void update_from_words(__global ulong* c, long element, ulong (*words)[WORDS], double4 alpha,
                                     double4 beta) {
  __global double* out = (__global double*)c + element;
  *out = plain_update(as_double(words[0][0]), out, alpha, beta);
}
#endif
#endif
