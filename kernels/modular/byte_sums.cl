// Sums and differences of signed bytes modulo m, four in a word: operands between -m / 2 and m / 2, and so are results.
//
// Each byte plus 128 is natural, and every other one has 16 bits to itself. There S = 256 + x + y; the bit 2^15 of S +
// above says whether x + y > h = (m - 1) / 2, that of S + not_below whether x + y >= -h. So S + m - m (the two bits'
// sum) is 256 more than the result. For m = 256, where h = 127, -128 becomes 128, which is the same byte.
#pragma once

typedef struct {
  uint modulus, all, above, not_below;  // all but the first twice, in halves of a word
} byte_modulus;

static inline byte_modulus byte_modulus_of(int m) {
  const uint one = 0x00010001u, h = (uint)(m - 1) / 2;
  byte_modulus k;
  k.modulus = (uint)m;
  k.all = one * k.modulus;
  k.above = one * (32768u - 1 - h - 256);
  k.not_below = one * (32768u + h - 256);
  return k;
}

// Of halves 256 + x + y.
#define NEAREST(s, k) \
  ((s) + (k).all -                                                                                              \
   (((((s) + (k).above) >> 15) & 0x00010001u) + ((((s) + (k).not_below) >> 15) & 0x00010001u)) * (k).modulus)
#define HALVES 0x00FF00FFu
#define NATURAL 0x80808080u
// The low bytes of two words' halves.
#define JOINED(even, odd) (((even) & HALVES) | ((odd) & HALVES) << 8)

#define DEFINE_BYTE_SUMS(T)                                                                          \
  static inline __attribute__((overloadable)) T byte_sum(T x, T y, byte_modulus k) {                 \
    x ^= NATURAL;                                                                                    \
    y ^= NATURAL;                                                                                    \
    const T even = (x & HALVES) + (y & HALVES), odd = ((x >> 8) & HALVES) + ((y >> 8) & HALVES);         \
    return JOINED(NEAREST(even, k), NEAREST(odd, k));                                                \
  }                                                                                                  \
  static inline __attribute__((overloadable)) T byte_difference(T x, T y, byte_modulus k) {          \
    x ^= NATURAL;                                                                                    \
    y ^= NATURAL;                                                                                    \
    const T even = (x & HALVES) + 0x01000100u - (y & HALVES);                                        \
    const T odd = ((x >> 8) & HALVES) + 0x01000100u - ((y >> 8) & HALVES);                               \
    return JOINED(NEAREST(even, k), NEAREST(odd, k));                                                \
  }
DEFINE_BYTE_SUMS(uint)
DEFINE_BYTE_SUMS(uint4)
