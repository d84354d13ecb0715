// Sums and differences of numbers below m modulo m, bytes, four in a word: m <= 256, and results are below m, too.
//
//   HAS_LEAST_OF_HALVES   0 1   NVIDIA from compute capability 9.0 on: instructions on halves of words
//
// Every other byte of a word has 16 bits to itself. There x + y and x - y + m are S < 2m, and the bit 2^15 of S + 2^15 -
// m says whether m is to be taken away; or the least of S and S - m modulo 2^16 is what is wanted.
#pragma once

#ifndef HAS_LEAST_OF_HALVES
#define HAS_LEAST_OF_HALVES 0
#endif
#if HAS_LEAST_OF_HALVES != 0 && HAS_LEAST_OF_HALVES != 1
#error "hilo: HAS_LEAST_OF_HALVES is none of 0 1"
#endif

typedef struct {
  uint modulus, all, below;  // the latter in halves of a word: m, 2^15 - m
} byte_modulus;

static inline byte_modulus byte_modulus_of(int m) {
  const uint one = 0x00010001u;
  byte_modulus k;
  k.modulus = (uint)m;
  k.all = one * k.modulus;
  k.below = one * (32768u - k.modulus);
  return k;
}

#if HAS_LEAST_OF_HALVES
static inline uint least_halves(uint s, byte_modulus k) {
  uint least;
  asm("{.reg .b32 t; add.u16x2 t, %1, %2; min.u16x2 %0, %1, t;}" : "=r"(least) : "r"(s), "r"(0x00010001u * (65536u - k.modulus)));
  return least;
}
static inline uint joined_halves(uint even, uint odd) {
  uint joined;
  asm("prmt.b32 %0, %1, %2, 0x6240;" : "=r"(joined) : "r"(even), "r"(odd));
  return joined;
}
#define LEAST_HALVES(s, k) least_halves(s, k)
#define JOINED(even, odd) joined_halves(even, odd)
#else
#define LEAST_HALVES(s, k) ((s) - ((((s) + (k).below) >> 15) & 0x00010001u) * (k).modulus)
// Of halves below 256.
#define JOINED(even, odd) ((even) | (odd) << 8)
#endif
#define EVEN_BYTES(x) ((x) & 0x00FF00FFu)

// Words as halves of even and of odd bytes, and back.
#define DEFINE_RESIDUE_SUMS(T)                                                                             \
  typedef struct {                                                                                         \
    T even, odd;                                                                                           \
  } T##_halves;                                                                                            \
  static inline __attribute__((overloadable)) T##_halves halves_of(T x) {                                  \
    const T##_halves h = {EVEN_BYTES(x), EVEN_BYTES(x >> 8)};                                              \
    return h;                                                                                              \
  }                                                                                                        \
  static inline __attribute__((overloadable)) T joined(T##_halves x) { return JOINED(x.even, x.odd); }     \
  static inline __attribute__((overloadable)) T##_halves sum_of_halves(T##_halves x, T##_halves y,         \
                                                                       byte_modulus k) {                   \
    const T even = x.even + y.even, odd = x.odd + y.odd;                                                   \
    const T##_halves s = {LEAST_HALVES(even, k), LEAST_HALVES(odd, k)};                                    \
    return s;                                                                                              \
  }                                                                                                        \
  static inline __attribute__((overloadable)) T##_halves difference_of_halves(T##_halves x, T##_halves y,  \
                                                                              byte_modulus k) {            \
    const T even = x.even + k.all - y.even, odd = x.odd + k.all - y.odd;                                   \
    const T##_halves s = {LEAST_HALVES(even, k), LEAST_HALVES(odd, k)};                                    \
    return s;                                                                                              \
  }                                                                                                        \
  static inline __attribute__((overloadable)) T byte_sum(T x, T y, byte_modulus k) {                       \
    return joined(sum_of_halves(halves_of(x), halves_of(y), k));                                           \
  }
DEFINE_RESIDUE_SUMS(uint)
#if !HAS_LEAST_OF_HALVES
DEFINE_RESIDUE_SUMS(uint4)
#endif
