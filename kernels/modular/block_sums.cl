// The factors of an operand for Strassen's algorithm, sums of blocks modulo small numbers, where blocks are there already
// (src/gemm/modular/block_products.hpp).
//
//   LEVELS    1 2   of the algorithm
//   OPERAND   0 1   A or B
//   WORDS     1 4   of four bytes that an item takes of each factor
//
// Residues are below m, and so are sums.

#include "number/arguments.cl"

#ifndef LEVELS
#define LEVELS 1
#endif
#if LEVELS != 1 && LEVELS != 2
#error "hilo: LEVELS is none of 1 2"
#endif
#ifndef WORDS
#define WORDS 1
#endif
#if WORDS != 1 && WORDS != 4
#error "hilo: WORDS is none of 1 4"
#endif

#if WORDS == 4
typedef uint4 word;
#define word_halves uint4_halves
#else
typedef uint word;
#define word_halves uint_halves
#endif

#if LEVELS == 2
#define FACTORS 49
#define SUMMANDS 4
#else
#define FACTORS 7
#define SUMMANDS 1
#endif

#include "modular/factor_sums.clh"

// Planes in the second dimension, words of a factor in the first.
__kernel void form_factors(__global word* restrict x, __global const int* restrict modulus, block_sum_arguments p) {
  const size_t at = get_global_id(0), plane = get_global_id(1);
  if (at >= p.factor_words / WORDS) return;
  const byte_modulus m = byte_modulus_of(modulus[p.first_plane + plane]);
  const size_t size = p.factor_words / WORDS;
  x += plane * FACTORS * size + at;
  word_halves outer[7][SUMMANDS];
#if LEVELS == 1
#pragma unroll
  for (int i = 0; i < 4; ++i) outer[i][0] = halves_of(x[i * size]);
  form_sums(outer, 1, m);
#pragma unroll
  for (int i = 2; i < 7; ++i) x[i * size] = joined(outer[i][0]);
#else
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) outer[i][j] = halves_of(x[(7 * i + j) * size]);
  }
#define STORE(f, word) x[(f) * size] = (word)
  FORM_FACTORS_TWICE(outer, m, STORE)
#endif
}
