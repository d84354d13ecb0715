// What a warp of 32 lanes has on NVIDIA from compute capability 8.0 on.
#pragma once

#ifndef UNITS
#define UNITS 1
#endif
#if UNITS < 1 || UNITS > 4
#error "hilo: UNITS is not in 1 ... 4"
#endif
#ifndef BLOCKS
#define BLOCKS 2
#endif
#if BLOCKS < 2 || BLOCKS > 6
#error "hilo: BLOCKS is not in 2 ... 6"
#endif

static inline void bring_to_cache(__global const void* at) { asm volatile("prefetch.global.L2 [%0];" ::"l"(at)); }

static inline void wait_for_warp(void) { asm volatile("bar.warp.sync 0xffffffff;" ::: "memory"); }

// Four of the eight bytes of x and y, by number.
static inline uint permuted(uint x, uint y, uint selector) {
  uint bytes;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(x), "r"(y), "r"(selector));
  return bytes;
}

#define MULTIPLY_32(sum, a0, a1, a2, a3, b0, b1)                                                             \
  asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
      : "+r"((sum)[0]), "+r"((sum)[1]), "+r"((sum)[2]), "+r"((sum)[3])                                       \
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1))
#define MULTIPLY_16(sum, a0, a1, b0)                                                                 \
  asm("mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" \
      : "+r"((sum)[0]), "+r"((sum)[1]), "+r"((sum)[2]), "+r"((sum)[3])                               \
      : "r"(a0), "r"(a1), "r"(b0))

// Sums of products of bytes: 16 rows, 8 columns and 16 terms a unit, from one on; the rows are those of two entries of
// each quad.
static inline void add_products(uint (*sum)[BLOCKS][4], const uint (*x)[4], const uint (*weights)[BLOCKS], int first) {
#pragma unroll
  for (int block = 0; block < BLOCKS; ++block) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
#pragma unroll
      for (int unit = first; unit + 1 < UNITS; unit += 2) {
        MULTIPLY_32(sum[i][block], x[unit][2 * i], x[unit][2 * i + 1], x[unit + 1][2 * i], x[unit + 1][2 * i + 1],
                    weights[unit][block], weights[unit + 1][block]);
      }
      if ((UNITS - first) % 2) MULTIPLY_16(sum[i][block], x[UNITS - 1][2 * i], x[UNITS - 1][2 * i + 1], weights[UNITS - 1][block]);
    }
  }
}
#define ADD_PRODUCTS(sum, x, weights, first, exchange) add_products(sum, x, weights, first)

// x += y, from limb `first` on; the carry is the processor's.
static inline void add_limbs(uint* x, const uint* y, int first, int count) {
#pragma unroll
  for (int i = first; i < count; ++i) {
    if (i == first) {
      asm volatile("add.cc.u32 %0, %0, %1;" : "+r"(x[i]) : "r"(y[i]));
    } else {
      asm volatile("addc.cc.u32 %0, %0, %1;" : "+r"(x[i]) : "r"(y[i]));
    }
  }
}

// x += factor y modulo 2^(32 count), count even: the products of the even limbs, then those of the odd ones.
static inline void add_product(uint* x, uint factor, const uint* y, int count) {
#pragma unroll
  for (int odd = 0; odd < 2; ++odd) {
#pragma unroll
    for (int i = odd; i < count; i += 2) {
      if (i == odd) {
        asm volatile("mad.lo.cc.u32 %0, %1, %2, %0;" : "+r"(x[i]) : "r"(factor), "r"(y[i]));
      } else {
        asm volatile("madc.lo.cc.u32 %0, %1, %2, %0;" : "+r"(x[i]) : "r"(factor), "r"(y[i]));
      }
      if (i + 1 < count) asm volatile("madc.hi.cc.u32 %0, %1, %2, %0;" : "+r"(x[i + 1]) : "r"(factor), "r"(y[i]));
    }
  }
}
