// Sums of products of bytes, four at a time.
//
//   HAS_DP4A   0 1   NVIDIA from sm_61 on: an instruction
#pragma once

#ifndef HAS_DP4A
#define HAS_DP4A 0
#endif
#if HAS_DP4A != 0 && HAS_DP4A != 1
#error "hilo: HAS_DP4A is none of 0 1"
#endif

#if HAS_DP4A
static inline uint four_products(uint x, uint y, uint z) {
  uint sum;
  asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(x), "r"(y), "r"(z));
  return sum;
}
#else
static inline uint four_products(uint x, uint y, uint z) {
  return z + (x & 0xffu) * (y & 0xffu) + (x >> 8 & 0xffu) * (y >> 8 & 0xffu) + (x >> 16 & 0xffu) * (y >> 16 & 0xffu) +
         (x >> 24) * (y >> 24);
}
#endif
