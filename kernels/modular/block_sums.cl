// The factors of an operand for Strassen's algorithm, sums of blocks modulo small numbers, where blocks are there already
// (src/gemm/modular/block_products.hpp).
//
//   LEVELS    1 2   of the algorithm
//   OPERAND   0 1   A or B
//   WORDS     1 4   of four bytes that an item takes of each factor
//
// Residues are bytes between -m / 2 and m / 2, and so are sums.

#include "number/arguments.cl"

#ifndef LEVELS
#define LEVELS 1
#endif
#if LEVELS != 1 && LEVELS != 2
#error "hilo: LEVELS is none of 1 2"
#endif
#ifndef OPERAND
#define OPERAND 0
#endif
#if OPERAND != 0 && OPERAND != 1
#error "hilo: OPERAND is none of 0 1"
#endif
#ifndef WORDS
#define WORDS 1
#endif
#if WORDS != 1 && WORDS != 4
#error "hilo: WORDS is none of 1 4"
#endif

#include "modular/byte_sums.cl"

#if WORDS == 4
typedef uint4 word;
#else
typedef uint word;
#endif

#if LEVELS == 2
#define FACTORS 49
#define SUMMANDS 4
#else
#define FACTORS 7
#define SUMMANDS 1
#endif

// The seven factors of a matrix of four blocks, each of n numbers; blocks come at places 0 ... 3 of the factors' order.
static inline void form_sums(word (*x)[SUMMANDS], int n, byte_modulus m) {
  for (int i = 0; i < n; ++i) {
#if OPERAND == 0
    const word a11 = x[0][i], a12 = x[1][i], a21 = x[2][i], a22 = x[3][i];
    const word s1 = byte_sum(a21, a22, m), s2 = byte_difference(s1, a11, m);
    x[2][i] = byte_difference(a12, s2, m);
    x[4][i] = s1;
    x[5][i] = s2;
    x[6][i] = byte_difference(a11, a21, m);
#else
    const word b11 = x[0][i], b21 = x[1][i], b22 = x[2][i], b12 = x[3][i];
    const word t1 = byte_difference(b12, b11, m), t2 = byte_difference(b22, t1, m);
    x[3][i] = byte_difference(b21, t2, m);
    x[4][i] = t1;
    x[5][i] = t2;
    x[6][i] = byte_difference(b22, b12, m);
#endif
  }
}

// Planes in the second dimension, words of a factor in the first.
__kernel void form_factors(__global word* restrict x, __global const int* restrict modulus, block_sum_arguments p) {
  const size_t at = get_global_id(0), plane = get_global_id(1);
  if (at >= p.factor_words / WORDS) return;
  const byte_modulus m = byte_modulus_of(modulus[p.first_plane + plane]);
  const size_t size = p.factor_words / WORDS;
  x += plane * FACTORS * size + at;
  word outer[7][SUMMANDS];
#if LEVELS == 1
#pragma unroll
  for (int i = 0; i < 4; ++i) outer[i][0] = x[i * size];
  form_sums(outer, 1, m);
#pragma unroll
  for (int i = 2; i < 7; ++i) x[i * size] = outer[i][0];
#else
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) outer[i][j] = x[(7 * i + j) * size];
  }
  form_sums(outer, 4, m);
#pragma unroll
  for (int i = 0; i < 7; ++i) {
    word inner[7][SUMMANDS];
#pragma unroll
    for (int j = 0; j < 4; ++j) inner[j][0] = outer[i][j];
    form_sums(inner, 1, m);
#pragma unroll
    for (int j = 0; j < 7; ++j) x[(7 * i + j) * size] = inner[j][0];
  }
#endif
}
