// Double-double numbers as 64-bit words, for devices without double precision too: RN(hi + lo) and its exponent.
//
// E(x) = 1 + floor(log2 |RN(hi + lo)|), as docs/modular.md defines it.
#pragma once

#include "modular/agreed.clh"
#include "modular/element.cl"
#include "number/arguments.cl"

#define E_OF_ZERO (-32768)
// Inf, NaN, and words whose sum overflows.
#define E_OF_BAD 32767

// Of a line, also where its exponent and some small number were added.
static inline int is_bad(int line_exponent) { return line_exponent > line_is_bad / 2; }

// NaN: an entry of a bad line, which has no residues.
static inline void spoil(__global ulong* c, long element) {
  for (int w = 0; w < PARTS * WORDS; ++w) {
    c[element * (PARTS * WORDS) + w] = w % WORDS == 0 ? 0x7ff8000000000000UL : 0UL;
  }
}

#define WORD_SIGN 0x8000000000000000UL
#define WORD_FRACTION 0x000fffffffffffffUL
#define HIDDEN_BIT 0x0010000000000000UL

static inline int biased_exponent(ulong x) { return (int)(x >> 52) & 2047; }

// |x| = significand * 2^(unit_exponent) for finite x.
static inline ulong significand(ulong x) {
  return (x & WORD_FRACTION) | (biased_exponent(x) ? HIDDEN_BIT : 0UL);
}
static inline int unit_exponent(ulong x) { return max(biased_exponent(x), 1) - 1075; }

static inline int bit_length(ulong x) { return 64 - (int)clz(x); }

// |RN(hi + lo)| = mantissa * 2^(exponent - 53), the mantissa of 53 bits; exponent is one of the E_OF_ above otherwise.
typedef struct {
  ulong mantissa;
  int exponent;
} rounded_number;

static inline rounded_number rounded_word(ulong x) {
  rounded_number r = {0, E_OF_BAD};
  if (biased_exponent(x) == 2047) return r;
  r.mantissa = significand(x);
  r.exponent = E_OF_ZERO;
  if (r.mantissa == 0) return r;
  int length = bit_length(r.mantissa);
  r.mantissa <<= 53 - length;
  r.exponent = unit_exponent(x) + length;
  return r;
}

#if WORDS == 2
// The sum of two finite words, rounded: both as 128-bit integers in units of 2^(exponent of the larger - 64).
static inline rounded_number rounded_sum(ulong x, ulong y) {
  rounded_number r = {0, E_OF_ZERO};
  if (unit_exponent(x) < unit_exponent(y)) {
    ulong swapped = x;
    x = y;
    y = swapped;
  }
  int distance = unit_exponent(x) - unit_exponent(y);
  ulong large = significand(x), small = significand(y);
  ulong high, low;
  if (distance == 0) {
    high = small;
    low = 0;
  } else if (distance < 64) {
    high = small >> distance;
    low = small << (64 - distance);
  } else {
    high = 0;
    low = distance < 128 ? small >> (distance - 64) : 0;
    // What was shifted out still says which way to round.
    if (distance > 64 && (distance >= 128 || (small & ((1UL << (distance - 64)) - 1)))) low |= small != 0;
  }
  if (((x ^ y) & WORD_SIGN) == 0) {
    high += large;
  } else {
    high = large - high - (low != 0);
    low = 0 - low;
    if (high >> 63) {
      high = ~high + (low == 0);
      low = 0 - low;
    }
  }
  if ((high | low) == 0) return r;
  int length = high ? 64 + bit_length(high) : bit_length(low);
  // To the top: 128 bits with the first one set.
  int shift = 128 - length;
  if (shift >= 64) {
    high = low << (shift - 64);
    low = 0;
  } else if (shift > 0) {
    high = high << shift | low >> (64 - shift);
    low <<= shift;
  }
  r.mantissa = high >> 11;
  ulong rest = high << 53 | low >> 11 | ((low & 2047) != 0);
  if (rest > WORD_SIGN || (rest == WORD_SIGN && (r.mantissa & 1))) ++r.mantissa;
  r.exponent = unit_exponent(x) - 64 + length;
  if (r.mantissa >> 53) {
    r.mantissa >>= 1;
    ++r.exponent;
  }
  if (r.exponent > 1024) r.exponent = E_OF_BAD;
  return r;
}
#endif

// Of the words of a real number.
static inline rounded_number rounded(ulong hi, ulong lo) {
#if WORDS == 2
  int high = biased_exponent(hi), low = biased_exponent(lo);
  // hi = RN(hi + lo) for sure; just above a power of two half as much of lo is enough to change it.
  int is_canonical = high >= low + 55 || (high == low + 54 && (hi & WORD_FRACTION)) || (lo & ~WORD_SIGN) == 0;
  if (!is_canonical) {
    rounded_number r = {0, E_OF_BAD};
    return high == 2047 || low == 2047 ? r : rounded_sum(hi, lo);
  }
#endif
  return rounded_word(hi);
}

#if WORDS * PARTS == 1
typedef ulong raw_element;
#elif WORDS * PARTS == 2
typedef ulong2 raw_element;
#else
typedef ulong4 raw_element;
#endif

// Element `at` of the matrix x.
static inline raw_element load_element(__global const ulong* x, long at) {
#if WORDS * PARTS == 4
  // Aligned as its numbers are.
  __global const ulong2* pairs = (__global const ulong2*)x + 2 * at;
  return (ulong4)(pairs[0], pairs[1]);
#elif WORDS == 1 && PARTS == 2
  return (ulong2)(x[2 * at], x[2 * at + 1]);
#else
  return ((__global const raw_element*)x)[at];
#endif
}

// The code of a magnitude |RN(hi + lo)|: 16 E and the four bits after its first, so that codes rise with it; zeros and
// bad numbers have the E_OF_ above.
static inline int code_of(ulong hi, ulong lo) {
  const rounded_number r = rounded(hi, lo);
  return r.exponent == E_OF_ZERO || r.exponent == E_OF_BAD ? r.exponent
                                                           : r.exponent * 16 + ((int)(r.mantissa >> 48) & 15);
}

// The same of zeros and of nearly all numbers that are normal; clears *is_done for all else.
static inline int quick_code_of(ulong hi, ulong lo, int* is_done) {
  const uint high = (uint)(hi >> 32) & 0x7fffffff;
  const int is_zero = ((hi | lo) & ~WORD_SIGN) == 0, is_normal = high - 0x00100000 < 0x7fe00000;
  int is_sum = 1;
#if WORDS == 2
  // hi = RN(hi + lo) for sure beyond 2^54 |lo|, as `rounded` has it.
  is_sum = high > ((uint)(lo >> 32) & 0x7ff00000) + (54 << 20);
#endif
  *is_done &= is_zero | (is_normal & is_sum);
  return is_zero ? E_OF_ZERO : (int)(high >> 16) - 1022 * 16;
}

// The words of the real part of an element, and of the imaginary one.
#if WORDS * PARTS == 1
#define REAL_WORDS(x) (x), 0
#elif WORDS == 1
#define REAL_WORDS(x) (x).x, 0
#define IMAGINARY_WORDS(x) (x).y, 0
#else
#define REAL_WORDS(x) (x).x, (x).y
#define IMAGINARY_WORDS(x) (x).z, (x).w
#endif

// Of a complex element the larger part's.
static inline int code_of_element(raw_element x) {
#if PARTS == 1
  return code_of(REAL_WORDS(x));
#else
  return max(code_of(REAL_WORDS(x)), code_of(IMAGINARY_WORDS(x)));
#endif
}

// As quick_code_of.
static inline int quick_code_of_element(raw_element x, int* is_done) {
  int code = quick_code_of(REAL_WORDS(x), is_done);
#if PARTS == 2
  code = max(code, quick_code_of(IMAGINARY_WORDS(x), is_done));
#endif
  return code;
}

// E, or E_OF_ZERO.
static inline int exponent_of_code(int code) { return code == E_OF_ZERO ? E_OF_ZERO : code >> 4; }

// Of a complex element the larger part's.
static inline rounded_number rounded_element(raw_element x) {
  rounded_number r = rounded(REAL_WORDS(x));
#if PARTS == 2
  const rounded_number other = rounded(IMAGINARY_WORDS(x));
  if (other.exponent > r.exponent || (other.exponent == r.exponent && other.mantissa > r.mantissa)) r = other;
#endif
  return r;
}
