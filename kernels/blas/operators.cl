// Operators of numbers of any precision, as the host's. In double-double, selects for what is special are behind a
// branch that is seldom taken: src/dd/elementwise_kernels.hpp has the same conditions for SIMD lanes.
#pragma once

#include "blas/element.cl"
#include "number/loops.cl"

#if IS_DOUBLE_DOUBLE
HILO_FN int is_not_finite(double a) { return ((int)(as_ulong(a) >> 32) & 0x7ff00000) == 0x7ff00000; }
HILO_FN int is_minus_zero(double a) { return as_ulong(a) == 0x8000000000000000UL; }

// |x|, as `absolute` gives it but for the sign of zeros: whole words of signs instead of comparisons.
HILO_FN part magnitude_of_part(part x) {
  const ulong sign = as_ulong(x.hi == 0.0 ? x.lo : x.hi) & 0x8000000000000000UL;
  dd r = {fabs(x.hi), as_double(as_ulong(x.lo) ^ sign)};
  return r;
}
// x + y, with the bits of add.
HILO_FN part plus(part x, part y) {
  part z = add_finite(x, y);
  if (is_not_finite(z.hi) | is_minus_zero(x.hi) | is_minus_zero(y.hi)) z = add(x, y);
  return z;
}
// x · y, with the bits of multiply.
HILO_FN part product(part x, part y) {
  const dd p = two_prod(x.hi, y.hi);
  part z = fast_two_sum(p.hi, p.lo + (mul(x.hi, y.lo) + mul(x.lo, y.hi)));
  if (is_not_finite(z.hi) | is_minus_zero(p.hi)) z = multiply(x, y);
  return z;
}
#else
HILO_FN part magnitude_of_part(part x) { return fabs(x); }
HILO_FN part plus(part x, part y) { return x + y; }
HILO_FN part product(part x, part y) { return x * y; }
#endif

HILO_FN element add_elements(element x, element y) {
  element r;
  FOR_PARTS r.p[part_] = plus(x.p[part_], y.p[part_]);
  return r;
}
HILO_FN element multiply_elements(element x, element y) {
  element r;
#if IS_COMPLEX
  r.p[0] = plus(product(x.p[0], y.p[0]), minus(product(x.p[1], y.p[1])));
  r.p[1] = plus(product(x.p[0], y.p[1]), product(x.p[1], y.p[0]));
#else
  r.p[0] = product(x.p[0], y.p[0]);
#endif
  return r;
}

// An element as one number in memory, where the device loads such numbers at once.
#if IS_COMPLEX && !IS_DOUBLE_DOUBLE
#if WORD_BYTES == 8
typedef double2 two_parts;
#else
typedef float2 two_parts;
#endif
HILO_FN element load_whole(__global const part_in_memory* x, long index) {
  const two_parts z = ((__global const two_parts*)x)[index];
  element r;
  r.p[0] = z.x;
  r.p[1] = z.y;
  return r;
}
HILO_FN void store_whole(__global part_in_memory* x, long index, element y) {
  ((__global two_parts*)x)[index] = (two_parts)(y.p[0], y.p[1]);
}
#else
HILO_FN element load_whole(__global const part_in_memory* x, long index) { return load_element(x, index); }
HILO_FN void store_whole(__global part_in_memory* x, long index, element y) { store_element(x, index, y); }
#endif

// A number as the host passes it.
typedef struct {
  part_in_memory p[PARTS];
} scalar;
HILO_FN element element_of(scalar x) {
  element r;
  FOR_PARTS r.p[part_] = part_of(x.p[part_]);
  return r;
}
