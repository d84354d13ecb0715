// What products of magnitudes end with (docs/modular.md, 1.3): of their sums T nothing is kept but the most bits that an
// entry asks for, ceil(log2((rho_i + sigma_j) / (4 T'))), T' being T with the first of its bits and three more.
//
//   SUM_TEST   0 1   whether a product ends so; its residues and moduli are of no use then
#pragma once

#include "number/arguments.cl"

#ifndef SUM_TEST
#define SUM_TEST 0
#endif
#if SUM_TEST != 0 && SUM_TEST != 1
#error "hilo: SUM_TEST is none of 0 1"
#endif

// The norm of an idle line: no entry of it asks for anything.
#define NORM_OF_IDLE (-1e30f)

#if SUM_TEST
#define SUM_TEST_ARGUMENTS                                                                      \
  , __global const float *restrict row_norms, __global const float *restrict column_norms, \
      __global int *figures, sum_test_arguments test

// Less than any entry's.
#define NOTHING_ASKED (-0x7fffffff)

inline float norm_of_line(__global const float* norms, int line, int lines) {
  return line < lines ? norms[line] : NORM_OF_IDLE;
}

// 2^23 times what an entry asks for, or somewhat less, but more than 2^23 times the integer below: the difference of two
// positive floats' bits. Very large for a T of 0; of an idle line less than any other's.
inline int asked_by(float norms, uint sum) {
  const float leading = as_float(as_uint(convert_float_rtz(sum)) & 0xFFF00000);
  return as_int(norms) - as_int(4.0f * leading);
}

// `most` of asked_by().
inline void tell_asked(__global int* figures, sum_test_arguments test, int most) {
  most = (most + 0x7fffff) >> 23;
  __global int* asked = figures + test.figure;
  if (most > *(volatile __global int*)asked) atomic_max(asked, most);
}
#else
#define SUM_TEST_ARGUMENTS
#endif
