// A reflector H = I − tau · v · vᴴ, v₁ = 1, that makes a column zero below its first entry, as
// src/lapack/cpu/reflector.hpp has it.
#pragma once

#include "blas/divisor.cl"

// Rows that are summed by themselves, FOLD of such sums are added by themselves, and FOLD of those sums again.
#define CHAIN 32
#define FOLD 8
#define CHUNK (CHAIN * FOLD)
#define CHUNKS(rows) (((rows) + CHUNK - 1) / CHUNK)

#if WORD_BYTES == 8
#define MOST_EXPONENT 1022
#define NEAR_ONE 16  // exponents of what is not scaled
#else
#define MOST_EXPONENT 126
#define NEAR_ONE 8
#endif

HILO_FN element element_of(part x) {
  element r = zero_element();
  r.p[0] = x;
  return r;
}
HILO_FN element plus(element x, element y) {
  FOR_PARTS x.p[part_] = sum_of(x.p[part_], y.p[part_]);
  return x;
}

// x · s, s a power of two.
HILO_FN part scaled_part(part x, key_word s) {
#if IS_DOUBLE_DOUBLE
  x.hi *= s;
  x.lo *= s;
#else
  x *= s;
#endif
  return x;
}
HILO_FN element scaled_element(element x, key_word s) {
  FOR_PARTS x.p[part_] = scaled_part(x.p[part_], s);
  return x;
}

// What sizes of parts are compared by: 0 of 0, the exponent, and the largest where it is not finite.
#define EXPONENT_OF_KEY 2048
#define KEY_OF_INFINITE (2 * EXPONENT_OF_KEY)
HILO_FN int size_key(part x) {
  const key_word size = fabs(leading(x));
#if WORD_BYTES == 8
  const int exponent = (int)(as_ulong(size) >> 52), infinite = 0x7ff, bias = 1023;
#else
  const int exponent = (int)(as_uint(size) >> 23), infinite = 0xff, bias = 127;
#endif
  if (exponent == 0) return size == 0 ? 0 : ilogb(size) + EXPONENT_OF_KEY;
  return exponent < infinite ? exponent - bias + EXPONENT_OF_KEY : KEY_OF_INFINITE;
}

// The power of two that brings the largest part near 1, as far as it can; 1 of what is near enough, of 0 and of what is
// not finite.
HILO_FN key_word scale_of(int key) {
  const key_word one = 1;
  if (key == 0 || key == KEY_OF_INFINITE || abs(key - EXPONENT_OF_KEY) <= NEAR_ONE) return one;
  return ldexp(one, min(max(EXPONENT_OF_KEY - key, -MOST_EXPONENT), MOST_EXPONENT));
}

// Of column j's entry in row i the key of what is to become 0, all of it below the diagonal.
HILO_FN int key_below(element x, int i, int j) {
  int key = 0;
  for (int w = i > j ? 0 : i == j ? 1 : PARTS; w < PARTS; ++w) key = max(key, size_key(x.p[w]));
  return key;
}

typedef struct {
  part beta;
  element tau, divisor;
} reflector;

// Of a column that begins with alpha, and Σ |x|² of what is below, whose imaginary part is left out: H · column =
// (beta, 0 …), v = x / divisor below 1.
HILO_FN reflector reflector_of(element alpha, element below) {
  const part re = alpha.p[0];
  part square = product_of_parts(re, re);
#if IS_COMPLEX
  square = sum_of(square, product_of_parts(alpha.p[1], alpha.p[1]));
#endif
  const part norm = root_of(sum_of(square, below.p[0]));
  reflector r;
  r.beta = leading(re) < 0 ? norm : minus(norm);
  r.divisor = alpha;
  r.divisor.p[0] = sum_of(re, minus(r.beta));
  r.tau.p[0] = quotient_of_parts(sum_of(r.beta, minus(re)), r.beta);
#if IS_COMPLEX
  r.tau.p[1] = quotient_of_parts(minus(alpha.p[1]), r.beta);
#endif
  return r;
}
