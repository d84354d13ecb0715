// Integers of LIMBS 32-bit limbs in two's complement, M's highest bit the highest of them, rounded by doubles where these
// tell, by rounding.cl where they do not: for rebuild_mma.cl.
#pragma once

#include "number/doubles.cl"

#include "modular/rounding.cl"

// high's low 20 bits and low, times 2^place.
#define DIGIT(high, low, place) \
  (as_double((ulong)((high) | (uint)(0x43300000 + (place) * 0x100000)) << 32 | (low)) - POWER(52 + (place)))
#define POWER(n) as_double((ulong)(1023 + (n)) << 52)
#define LIMB(i) (LIMBS > (i) ? x[LIMBS - 1 - (i)] : 0u)

// y and slightly more than x.
#define BEYOND(x, y) fma(x, 0x1.000001p0, y)

// x, in two's complement, rounded; 2^unit is what the bit 144 from the top stands for. Returns 0 where that is not sure:
// x = hi + lo + lo_rest + below, and where going beyond each rest changes no word, no word is next to a tie. `below` is
// too small to matter unless lo is small, too.
static inline int round_quickly(const uint* x, int unit, uint sign, ulong* words) {
  // A signed digit of 48 bits, then natural ones: what is left of sums down to one digit is 0 or above the next, so that
  // every sum's error is exact.
  const double a = as_double((ulong)(uint)(((int)LIMB(0) >> 16) + 0x49380000) << 32 | (LIMB(0) << 16 | LIMB(1) >> 16)) -
                   0x1.8p148;
  const double b = DIGIT(LIMB(1) & 0xffffu, LIMB(2), 48);
  const double c = DIGIT(LIMB(3) >> 16, LIMB(3) << 16 | LIMB(4) >> 16, 0);
  const double above = a + b, above_rest = b - (above - a);
  const double middle = above_rest + c, middle_rest = c - (middle - above_rest);
  const double hi = above + middle, hi_rest = middle - (hi - above);
  uint below = 0;
#if WORDS == 2
  const double d = DIGIT(LIMB(4) & 0xffffu, LIMB(5), -48);
  const double tail = middle_rest + d, tail_rest = d - (tail - middle_rest);
  const double lo = hi_rest + tail, lo_rest = (tail - (lo - hi_rest)) + tail_rest;
  int is_sure = (BEYOND(lo, hi) == hi) & (BEYOND(lo_rest, lo) == lo);
  if (fabs(lo) < 0x1p34) {
#pragma unroll
    for (int i = 6; i < LIMBS; ++i) below |= LIMB(i);
  }
#else
  int is_sure = BEYOND(hi_rest + middle_rest, hi) == hi;
  if (fabs(hi) < 0x1p82) {
    below = LIMB(4) & 0xffffu;
#pragma unroll
    for (int i = 5; i < LIMBS; ++i) below |= LIMB(i);
  }
#endif
  const double scale = as_double((ulong)(sign | (uint)(1023 + unit) << 20) << 32);
  words[0] = as_ulong(hi * scale);
#if WORDS == 2
  words[1] = as_ulong(lo * scale);
#endif
  return is_sure & (below == 0) & ((uint)(unit + 974) < 1854u);
}

static inline void round_slowly(const uint* x, int unit, uint sign, ulong* words) {
  // Copies, so that x and words need no address.
  uint magnitude[LIMBS];
  ulong any[WORDS];
  const uint flip = (uint)((int)LIMB(0) >> 31);
  uint carry = flip & 1;
#pragma unroll
  for (int i = 0; i < LIMBS; ++i) {
    magnitude[i] = (x[i] ^ flip) + carry;
    carry = carry && magnitude[i] == 0;
  }
  round_any(magnitude, (int)(flip & 1), unit + 144 - 32 * LIMBS, any);
#pragma unroll
  for (int i = 0; i < WORDS; ++i) words[i] = any[i] ^ (ulong)sign << 32;
}
