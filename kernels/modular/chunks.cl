// Sums of bytes, as matrix units leave them to four lanes, put together to integers modulo M: for rebuild_mma.cl.
//
//   BLOCKS   2 ... 6     of 64 bits, which hold M; LIMBS is twice that
#pragma once

#include "number/doubles.cl"

#include "modular/warp_nvidia.cl"

#ifndef LIMBS
#define LIMBS (2 * BLOCKS)
#endif
#if LIMBS != 2 * BLOCKS
#error "hilo: LIMBS is not twice BLOCKS"
#endif

#define CHUNK_WORDS ((BLOCKS + 2) / 2)

// M's inverse times 2^(32 (LIMBS - 1)), and 2^(32 LIMBS) - M.
typedef struct {
  double inverse;
  uint minus_m[LIMBS];
} modulus_product;

// Sums of bytes as a number of CHUNK_WORDS words.
static inline void chunk_of(uint (*sum)[4], int column, uint* words) {
  ulong carry = 0;
#pragma unroll
  for (int block = 0; block < BLOCKS; ++block) {
    uint two = sum[block][2 * column] + (sum[block][2 * column + 1] << 8);
    carry += block % 2 ? (ulong)two << 16 : two;
    if (block % 2) {
      words[block / 2] = (uint)carry;
      carry >>= 32;
    }
  }
  words[BLOCKS / 2] = (uint)carry;
}

// The four chunks of an entry, word by word, as one number with a limb more.
static inline void join_chunks(uint4* words, uint* x) {
  uint y[LIMBS + 1];
#pragma unroll
  for (int i = 0; i <= LIMBS; ++i) x[i] = y[i] = 0;
#pragma unroll
  for (int i = 0; i < CHUNK_WORDS; ++i) {
    x[i] = words[i].x;
    x[BLOCKS + i] = words[i].z;
#if BLOCKS % 2 == 0
    y[BLOCKS / 2 + i] = words[i].y;
    y[3 * BLOCKS / 2 + i] = words[i].w;
#endif
  }
#if BLOCKS % 2
  // At half a limb.
#pragma unroll
  for (int i = 0; i <= CHUNK_WORDS; ++i) {
    uint4 low = i > 0 ? words[i - 1] : (uint4)(0), high = i < CHUNK_WORDS ? words[i] : (uint4)(0);
    y[BLOCKS / 2 + i] = low.y >> 16 | high.y << 16;
    y[3 * BLOCKS / 2 + i] = low.w >> 16 | high.w << 16;
  }
#endif
  add_limbs(x, y, BLOCKS / 2, LIMBS + 1);
}

// x less the multiple of M nearest to it: |x| <= (M / 2)(1 - 2^-28) has no other near enough for the leading limbs to
// mistake it.
static inline void reduce(uint* x, const modulus_product* m) {
  double leading = as_double((ulong)(0x43300000u | x[LIMBS]) << 32 | x[LIMBS - 1]) - 0x1p52;
  add_product(x, (uint)as_ulong(fma(leading, m->inverse, 0x1.8p52)), m->minus_m, LIMBS);
}
