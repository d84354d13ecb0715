// Integers of LIMBS 32-bit limbs, rounded by integer arithmetic whatever the exponents.
// docs/modular.md, 1.5, defines it.
#pragma once

#include "modular/number.cl"

#ifndef LIMBS
#define LIMBS 4
#endif
#if LIMBS < 1 || LIMBS > 16
#error "hilo: LIMBS is not in 1 ... 16"
#endif

static inline int length_of(const uint* x) {
  for (int i = LIMBS - 1; i >= 0; --i) {
    if (x[i]) return 32 * i + 32 - (int)clz(x[i]);
  }
  return 0;
}

static inline int bit_of(const uint* x, int bit) { return x[bit >> 5] >> (bit & 31) & 1; }

// magnitude * 2^unit as a word; magnitude <= 2^53, unit >= -1074.
static inline ulong word_of(ulong magnitude, int unit) {
  if (magnitude == 0) return 0;
  int length = bit_length(magnitude), exponent = unit + length - 1;
  if (exponent > 1023) return 0x7ff0000000000000UL;
  if (exponent < -1022) return magnitude << (unit + 1074);
  magnitude = length > 53 ? magnitude >> (length - 53) : magnitude << (53 - length);
  return ((ulong)(exponent + 1022) << 52) + magnitude;
}

// The word nearest to x * 2^shift, ties to even; x becomes what is left of it.
static inline ulong take_word(uint* x, int* is_negative, int shift) {
  int length = length_of(x);
  if (length == 0) return 0;
  ulong sign = *is_negative ? WORD_SIGN : 0;
  int unit = max(max(length - 53, -1074 - shift), 0);
  if (unit > length) return sign;
  ulong kept = 0;
  for (int b = length - 1; b >= unit; --b) kept = kept << 1 | (ulong)bit_of(x, b);
  int goes_out = 0;
  if (unit > 0 && bit_of(x, unit - 1)) {
    goes_out = (int)(kept & 1);
    for (int b = 0; b < unit - 1; ++b) goes_out |= bit_of(x, b);
  }
  // x modulo 2^unit, or what it lacks to 2^unit.
  uint carry = 1;
  for (int i = 0; i < LIMBS; ++i) {
    uint mask = unit >= 32 * i + 32 ? 0xffffffffu : unit > 32 * i ? (1u << (unit - 32 * i)) - 1 : 0;
    uint limb = x[i];
    if (goes_out) {
      limb = ~limb + carry;
      carry = carry && limb == 0;
    }
    x[i] = limb & mask;
  }
  if (goes_out) *is_negative = !*is_negative;
  return sign | word_of(kept + (ulong)goes_out, shift + unit);
}

static inline int is_infinite(ulong x) { return (x & ~WORD_SIGN) == 0x7ff0000000000000UL; }

// A lo that was rounded up to half a unit of an odd hi belongs to the next hi.
static inline void make_canonical(ulong* words) {
  int exponent = biased_exponent(words[0]);
  ulong half_unit = exponent >= 54 ? (ulong)(exponent - 53) << 52 : exponent >= 2 ? 1UL << (exponent - 2) : 0;
  if (half_unit == 0 || (words[1] & ~WORD_SIGN) != half_unit || (words[0] & 1) == 0) return;
  words[0] += ((words[0] ^ words[1]) & WORD_SIGN) ? -1L : 1L;
  words[1] ^= WORD_SIGN;
}

// Whatever the exponent; x is lost.
static __attribute__((noinline)) void round_any(uint* x, int is_negative, int shift, ulong* words) {
  words[0] = take_word(x, &is_negative, shift);
#if WORDS == 2
  words[1] = 0;
  if (is_infinite(words[0])) return;
  words[1] = take_word(x, &is_negative, shift);
  make_canonical(words);
  if (is_infinite(words[0]) || (words[0] & ~WORD_SIGN) == 0) words[1] = 0;
#endif
}
