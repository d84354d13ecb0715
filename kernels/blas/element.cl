// Elements of matrices of any precision, and what blocks without products do with them: in DD and ZDD with the bits of
// src/blas/reference.hpp, but where one is not finite.
//
//   IS_DOUBLE_DOUBLE, IS_COMPLEX   0 1
//   WORD_BYTES                     4 8, of S and C or D and Z
#pragma once

#include "number/complex.cl"

#ifndef IS_DOUBLE_DOUBLE
#define IS_DOUBLE_DOUBLE 1
#endif
#if IS_DOUBLE_DOUBLE != 0 && IS_DOUBLE_DOUBLE != 1
#error "hilo: IS_DOUBLE_DOUBLE is none of 0 1"
#endif
#ifndef WORD_BYTES
#define WORD_BYTES 8
#endif
#if WORD_BYTES != 4 && WORD_BYTES != 8
#error "hilo: WORD_BYTES is none of 4 8"
#endif

#define PARTS (1 + IS_COMPLEX)

#if IS_DOUBLE_DOUBLE
#include "number/step.cl"

typedef dd part;
typedef double2 part_in_memory;
typedef double key_word;

HILO_FN part part_of(part_in_memory x) {
  dd r = {x.x, x.y};
  return r;
}
HILO_FN part_in_memory in_memory(part x) { return (double2)(x.hi, x.lo); }
HILO_FN part part_of_word(double x) {
  dd r = {x, 0.0};
  return r;
}
HILO_FN part minus(part x) {
  dd r = {-x.hi, -x.lo};
  return r;
}
HILO_FN part step_of(part x, part a, part b) {
#if HILO_FMA
  const dd r = step_fma(x, a, b);
#else
  const dd r = step_split_scaled(x, a, b);
#endif
  return fast_two_sum(r.hi, r.lo);
}
HILO_FN part closed(part x) { return two_sum(x.hi, x.lo); }
HILO_FN part sum_of(part x, part y) { return add(x, y); }
HILO_FN part product_of_parts(part x, part y) { return multiply(x, y); }
HILO_FN part quotient_of_parts(part x, part y) { return divide(x, y); }
HILO_FN part root_of(part x) { return root(x); }
HILO_FN part absolute(part x) { return x.hi < 0.0 || (x.hi == 0.0 && x.lo < 0.0) ? minus(x) : x; }
HILO_FN double leading(part x) { return x.hi; }
HILO_FN double trailing(part x) { return x.lo; }
#else
#if WORD_BYTES == 8
#include "number/doubles.cl"
typedef double part;
#else
#pragma OPENCL FP_CONTRACT OFF
typedef float part;
#endif
#define HILO_FN static inline
typedef part part_in_memory;
typedef part key_word;

HILO_FN part part_of(part x) { return x; }
HILO_FN part in_memory(part x) { return x; }
HILO_FN part part_of_word(part x) { return x; }
HILO_FN part minus(part x) { return -x; }
HILO_FN part step_of(part x, part a, part b) { return fma(a, b, x); }
HILO_FN part closed(part x) { return x; }
HILO_FN part sum_of(part x, part y) { return x + y; }
HILO_FN part product_of_parts(part x, part y) { return x * y; }
HILO_FN part quotient_of_parts(part x, part y) { return x / y; }
HILO_FN part root_of(part x) { return sqrt(x); }
HILO_FN part absolute(part x) { return fabs(x); }
HILO_FN part leading(part x) { return x; }
HILO_FN part trailing(part x) { return 0; }
#endif

typedef struct {
  part p[PARTS];
} element;

#define FOR_PARTS for (int part_ = 0; part_ < PARTS; ++part_)

HILO_FN element load_element(__global const part_in_memory* x, long index) {
  element r;
  FOR_PARTS r.p[part_] = part_of(x[index * PARTS + part_]);
  return r;
}
HILO_FN void store_element(__global part_in_memory* x, long index, element y) {
  FOR_PARTS x[index * PARTS + part_] = in_memory(y.p[part_]);
}
HILO_FN element load_local(__local const part_in_memory* x, int index) {
  element r;
  FOR_PARTS r.p[part_] = part_of(x[index * PARTS + part_]);
  return r;
}
HILO_FN void store_local(__local part_in_memory* x, int index, element y) {
  FOR_PARTS x[index * PARTS + part_] = in_memory(y.p[part_]);
}
HILO_FN element zero_element(void) {
  element r;
  FOR_PARTS r.p[part_] = part_of_word(0);
  return r;
}
HILO_FN element conjugated(element x, long conjugate) {
#if IS_COMPLEX
  if (conjugate) x.p[1] = minus(x.p[1]);
#endif
  return x;
}
HILO_FN element negated(element x) {
  FOR_PARTS x.p[part_] = minus(x.p[part_]);
  return x;
}
HILO_FN int is_zero(element x) {
  int r = 1;
  FOR_PARTS r &= leading(x.p[part_]) == 0;
  return r;
}

// x + a · b, to be closed after the last of them.
HILO_FN element with_product(element x, element a, element b) {
#if IS_COMPLEX
  x.p[0] = step_of(x.p[0], a.p[0], b.p[0]);
  x.p[0] = step_of(x.p[0], minus(a.p[1]), b.p[1]);
  x.p[1] = step_of(x.p[1], a.p[0], b.p[1]);
  x.p[1] = step_of(x.p[1], a.p[1], b.p[0]);
#else
  x.p[0] = step_of(x.p[0], a.p[0], b.p[0]);
#endif
  return x;
}
HILO_FN element closed_element(element x) {
  FOR_PARTS x.p[part_] = closed(x.p[part_]);
  return x;
}
HILO_FN element times(element x, element y) {
  element r;
#if IS_COMPLEX
  r.p[0] = sum_of(product_of_parts(x.p[0], y.p[0]), minus(product_of_parts(x.p[1], y.p[1])));
  r.p[1] = sum_of(product_of_parts(x.p[0], y.p[1]), product_of_parts(x.p[1], y.p[0]));
#else
  r.p[0] = product_of_parts(x.p[0], y.p[0]);
#endif
  return r;
}

// What pivots are compared by, as src/lapack/cpu/panel.cpp: |x|, of complex numbers |re| + |im|; NaN as infinite.
HILO_FN part magnitude_of(element x) {
  part r = absolute(x.p[0]);
#if IS_COMPLEX
  r = sum_of(r, absolute(x.p[1]));
#endif
  if (leading(r) != leading(r)) r = part_of_word(INFINITY);
  return r;
}
HILO_FN int is_larger(part x, part y) {
  return leading(x) > leading(y) || (leading(x) == leading(y) && trailing(x) > trailing(y));
}
