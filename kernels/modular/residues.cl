// Elements of an operand as integers: what residues_dot.cl and residues_mma.clh share.
//
//   LIMBS   2 4 6 11   32-bit limbs of an integer, sign included: below 2^(32 LIMBS - 2), or 2^118 in four limbs
//
// An integer is raised to a natural number: 2^(32 LIMBS - 1) is added, or in four limbs 2^119 and a byte on top that is
// always 1. The residue is the sum over bytes of byte * (2^(8 i) w mod m) from a start that takes the addition back; in
// four limbs the start is the top byte's weight. w is 1 for the rows of the product, and for its columns
// the inverse of M / m and of what products leave of sums (residue_factor in bytes.hpp). Moduli of complex elements that
// split have two planes, whose residues are sums over the bytes of both parts.
//
//   FOR_BOTH   0 1   whether an integer's residues go to both operands, which have the same lines, as in A Aᵀ
//   IN_QUADS   0 1   whether panels have their lines in quads (bytes/line_order.clh)
#pragma once

#include "bytes/line_order.clh"
#include "modular/number.cl"
#include "modular/planes.cl"

#ifndef LIMBS
#define LIMBS 4
#endif
#if LIMBS != 2 && LIMBS != 4 && LIMBS != 6 && LIMBS != 11
#error "hilo: LIMBS is none of 2 4 6 11"
#endif

#ifndef FOR_BOTH
#define FOR_BOTH 0
#endif
#if FOR_BOTH != 0 && FOR_BOTH != 1
#error "hilo: FOR_BOTH is none of 0 1"
#endif
#ifndef IN_QUADS
#define IN_QUADS 0
#endif
#if IN_QUADS != 0 && IN_QUADS != 1
#error "hilo: IN_QUADS is none of 0 1"
#endif

#if FOR_BOTH
#define OTHER_OPERAND(space) , space uint* other_table, __global uint4* other_out, other_operand other
#else
#define OTHER_OPERAND(space)
#endif

// A panel's lines come first in memory, each at its place (bytes/line_order.clh):
// [plane][place / panel_lines][term / 16][place % panel_lines][term % 16].
#define CHUNK 16
#define ELEMENT_WORDS (PARTS * WORDS)

// A plane in the table: weights, after them the start as one more byte's, padded to so many words, of a plane of a modulus
// that splits those of the real and those of the imaginary part; then the starts (0 in four limbs), 1 / m as a float, m,
// 2^127 / m as a float, rounded upward. The three planes of other moduli have one.
#define WEIGHT_WORDS ((LIMBS + 3) / 4 * 4)
#define TABLE_STRIDE (WEIGHT_WORDS + 4)
#define SPLIT_STRIDE (2 * WEIGHT_WORDS + 4)

typedef struct {
  uint limb[LIMBS];
} integer;

static inline integer sum_of(integer x, integer y) {
  uint carry = 0;
  for (int i = 0; i < LIMBS; ++i) {
    ulong s = (ulong)x.limb[i] + y.limb[i] + carry;
    x.limb[i] = (uint)s;
    carry = (uint)(s >> 32);
  }
  return x;
}

static inline integer raised(integer x) {
#if LIMBS == 4
  x.limb[3] += 0x01800000u;
#else
  x.limb[LIMBS - 1] ^= 0x80000000u;
#endif
  return x;
}

// Shifts by any number of bits.
static inline ulong shifted_left(ulong x, int bits) { return (uint)bits < 64 ? x << bits : 0UL; }
static inline ulong shifted_right(ulong x, int bits) { return (uint)bits < 64 ? x >> bits : 0UL; }

#define FIXED_LIMBS (LIMBS + 2)

// Adds word * 2^shift, with 64 bits after the point.
//
// Bits of a word below them only say which way to round: the lowest is set for them. If hi has such bits the sum rounds
// to 0; if lo has, hi is an even multiple of the lowest bit or rounds to 0 as well. So a tie stays a tie.
static inline void add_fixed(uint* fixed, ulong word, int shift) {
  ulong magnitude = significand(word);
  // No further than needed for all bits to be below.
  int place = max(unit_exponent(word) + shift + 64, -56);
  uint sign = (word & WORD_SIGN) ? 0xffffffffu : 0u;
  uint carry = sign & 1;
  for (int i = 0; i < FIXED_LIMBS; i += 2) {
    ulong two = shifted_left(magnitude, place - 32 * i) | shifted_right(magnitude, 32 * i - place);
    if (i == 0) two |= shifted_left(magnitude, place + 64) != 0;
    for (int j = i; j < min(i + 2, FIXED_LIMBS); ++j, two >>= 32) {
      ulong s = (ulong)fixed[j] + ((uint)two ^ sign) + carry;
      fixed[j] = (uint)s;
      carry = (uint)(s >> 32);
    }
  }
}

// The integer nearest to the number of these words times 2^shift, ties to even.
static inline integer rounded_fixed(const ulong* words, int shift) {
  uint fixed[FIXED_LIMBS];
  for (int i = 0; i < FIXED_LIMBS; ++i) fixed[i] = 0;
  add_fixed(fixed, words[0], shift);
#if WORDS == 2
  add_fixed(fixed, words[1], shift);
#endif
  // Half a unit is added, but to an even number the lowest bit less.
  uint first_carry = fixed[0] != 0 || (fixed[2] & 1);
  uint carry = (uint)(((ulong)fixed[1] + 0x7fffffffu + first_carry) >> 32);
  integer x;
  for (int i = 0; i < LIMBS; ++i) {
    ulong s = (ulong)fixed[i + 2] + carry;
    x.limb[i] = (uint)s;
    carry = (uint)(s >> 32);
  }
  return x;
}

static inline void negate(ulong* words, int negates) {
  for (int i = 0; i < WORDS; ++i) words[i] ^= negates ? WORD_SIGN : 0UL;
}
