// Integers from their residues, rounded to double-doubles or doubles, alpha and beta: the end of a modular product.
//
//   GROUPS       1 ... 13   groups of four moduli
//   LIMBS        32-bit limbs of a sum of GROUPS * 4 residues times M / m
//   SCALES       0 1        alpha is not 1 or beta not 0; takes double precision
//   TRIANGLE     0 1        only a triangle is wanted
//
// x = sum over l of y_l M / m_l modulo M: byte b of all M / m_l is multiplied by all y_l at once. Rounding is integer
// arithmetic on the limbs; docs/modular.md, 1.5, defines it.

#include "modular/rounding.cl"

#include "modular/four_products.cl"
#include "modular/planes.cl"
#include "product/triangle.cl"

#ifndef GROUPS
#define GROUPS 1
#endif
#if GROUPS < 1 || GROUPS > 13
#error "hilo: GROUPS is not in 1 ... 13"
#endif
#ifndef SCALES
#define SCALES 0
#endif
#if SCALES != 0 && SCALES != 1
#error "hilo: SCALES is none of 0 1"
#endif
#ifndef TRIANGLE
#define TRIANGLE 0
#endif
#if TRIANGLE != 0 && TRIANGLE != 1
#error "hilo: TRIANGLE is none of 0 1"
#endif

#define COLUMNS_AT_ONCE 4

// The table: bytes of M / m_l, [byte][group] of four moduli; M; M / 2; moduli; 2^(32 (LIMBS - 3)) / M as a float; of each
// modulus that splits 1 / r and 2^32 / m, rounded up.
#define TABLE_M (4 * LIMBS * GROUPS)
#define TABLE_HALF (TABLE_M + LIMBS)
#define TABLE_MODULI (TABLE_HALF + LIMBS)
#define TABLE_INVERSE (TABLE_MODULI + 4 * GROUPS)
#define TABLE_SPLIT (TABLE_INVERSE + 1)

// As round_any where the result is far from both ends of the range, on the highest 192 bits. Returns 0 where these do
// not tell lo.
static inline int round_quick(const uint* x, int is_negative, int shift, ulong* words) {
  uint top[LIMBS + 6];
  for (int i = 0; i < LIMBS + 6; ++i) top[i] = i < 6 ? 0 : x[i - 6];
  int length = 32 * LIMBS;
  for (int step = 8; step > 0; step >>= 1) {
    if (step >= LIMBS) continue;
    uint highest = 0;
    for (int i = 0; i < step; ++i) highest |= top[LIMBS + 5 - i];
    if (highest) continue;
    length -= 32 * step;
    for (int i = LIMBS + 5; i >= step; --i) top[i] = top[i - step];
    for (int i = 0; i < step; ++i) top[i] = 0;
  }
  int bits = (int)clz(top[LIMBS + 5]);
  length -= bits;
  words[0] = 0;
#if WORDS == 2
  words[1] = 0;
#endif
  if (bits == 32) return 1;
  if (length + shift > 1023 || length + shift < -800) return 0;
  uint window[6];
  for (int i = 0; i < 6; ++i) {
    ulong two = (ulong)top[LIMBS + 5 - i] << 32 | top[LIMBS + 4 - i];
    window[i] = (uint)(two << bits >> 32);
  }
  uint below = top[LIMBS - 1] << bits;
  for (int i = 0; i < LIMBS - 1; ++i) below |= top[i];
  ulong first = (ulong)window[0] << 32 | window[1];
  ulong second = (ulong)window[2] << 32 | window[3], third = (ulong)window[4] << 32 | window[5];
  ulong mantissa = first >> 11;
  ulong rest_high = first << 53 | second >> 11, rest_low = second << 53 | third >> 11;
  int is_more = (third & 2047) != 0 || below != 0;
  int goes_out = rest_high > WORD_SIGN || (rest_high == WORD_SIGN && (rest_low || is_more || (mantissa & 1)));
  ulong sign = is_negative ? WORD_SIGN : 0;
  int exponent = length + shift;
  words[0] = sign | (((ulong)(exponent + 1021) << 52) + mantissa + (ulong)goes_out);
#if WORDS == 2
  if (goes_out) {
    sign ^= WORD_SIGN;
    rest_low = is_more ? ~rest_low : 0 - rest_low;
    rest_high = ~rest_high + (ulong)(!is_more && rest_low == 0);
  }
  if ((rest_high | rest_low) == 0) return !is_more;
  int zeros = rest_high ? (int)clz(rest_high) : 64 + (int)clz(rest_low);
  if (zeros > 74 && is_more) return 0;
  if (zeros >= 64) {
    rest_high = rest_low << (zeros - 64);
    rest_low = 0;
  } else if (zeros) {
    rest_high = rest_high << zeros | rest_low >> (64 - zeros);
    rest_low <<= zeros;
  }
  mantissa = rest_high >> 11;
  ulong rest = rest_high << 53 | rest_low >> 11;
  is_more |= (rest_low & 2047) != 0;
  goes_out = rest > WORD_SIGN || (rest == WORD_SIGN && (is_more || (mantissa & 1)));
  words[1] = sign | (((ulong)(exponent - 54 - zeros + 1022) << 52) + mantissa + (ulong)goes_out);
  make_canonical(words);
#endif
  return 1;
}

// The integer of one entry from its residues, four to a word, and its rounded value times 2^shift.
static inline void rebuild_number(const uint* residues, __constant uint* table, int shift, ulong* words) {
  uint x[LIMBS];
  ulong carry = 0;
  for (int i = 0; i < LIMBS; ++i) {
    uint sum[4];
    for (int b = 0; b < 4; ++b) {
      sum[b] = 0;
      for (int g = 0; g < GROUPS; ++g) sum[b] = four_products(residues[g], table[(4 * i + b) * GROUPS + g], sum[b]);
    }
    carry += sum[0] + ((ulong)sum[1] << 8) + ((ulong)sum[2] << 16) + ((ulong)sum[3] << 24);
    x[i] = (uint)carry;
    carry >>= 32;
  }
  // The nearest quotient; where it is next to a half, the remainder decides.
  float inverse = as_float(table[TABLE_INVERSE]);
  float leading = x[LIMBS - 1];
  for (int i = LIMBS - 2; i >= max(LIMBS - 3, 0); --i) leading = leading * 4294967296.0f + x[i];
  uint quotient = (uint)(leading * inverse + 0.5f);
  ulong product = 0;
  uint borrow = 0;
  for (int i = 0; i < LIMBS; ++i) {
    product += (ulong)quotient * table[TABLE_M + i];
    ulong difference = (ulong)x[i] - (uint)product - borrow;
    x[i] = (uint)difference;
    borrow = (uint)(difference >> 63);
    product >>= 32;
  }
  int is_negative = (int)(x[LIMBS - 1] >> 31);
  uint flip = is_negative ? 0xffffffffu : 0u, one = flip & 1;
  for (int i = 0; i < LIMBS; ++i) {
    ulong s = (ulong)(x[i] ^ flip) + one;
    x[i] = (uint)s;
    one = (uint)(s >> 32);
  }
  leading = x[LIMBS - 1];
  for (int i = LIMBS - 2; i >= max(LIMBS - 3, 0); --i) leading = leading * 4294967296.0f + x[i];
  if (leading * inverse > 0.499f) {
    int is_above = 0;
    for (int i = 0; i < LIMBS; ++i) {
      is_above = x[i] > table[TABLE_HALF + i] || (x[i] == table[TABLE_HALF + i] && is_above);
    }
    if (is_above) {
      is_negative = !is_negative;
      borrow = 0;
      for (int i = 0; i < LIMBS; ++i) {
        ulong difference = (ulong)table[TABLE_M + i] - x[i] - borrow;
        x[i] = (uint)difference;
        borrow = (uint)(difference >> 63);
      }
    }
  }
  if (!round_quick(x, is_negative, shift, words)) round_any(x, is_negative, shift, words);
}

// Bytes 0, 1, 2, 3 of four words to four words.
static inline void transpose_bytes(const uint* in, uint* out) {
  for (int i = 0; i < 4; ++i) {
    out[i] = (in[0] >> 8 * i & 0xffu) | (in[1] >> 8 * i & 0xffu) << 8 | (in[2] >> 8 * i & 0xffu) << 16 |
             (in[3] >> 8 * i & 0xffu) << 24;
  }
}

// Four residues modulo m, each in [0, m): of the real or the imaginary part from those of the three products.
static inline uint residues_of_part(int part, uint p1, uint p2, uint p3, uint modulus) {
  uint packed = 0;
  for (int i = 0; i < 4; ++i, p1 >>= 8, p2 >>= 8, p3 >>= 8) {
    int r = part == 0 ? (int)(p1 & 0xffu) - (int)(p2 & 0xffu)
                      : (int)(p3 & 0xffu) - (int)(p1 & 0xffu) - (int)(p2 & 0xffu);
    if (r < 0) r += (int)modulus;
    if (r < 0) r += (int)modulus;
    packed |= (uint)r << (8 * i);
  }
  return packed;
}

// The same where the modulus splits, from those of two products: (x + y) or (x - y) / r.
static inline uint residues_of_split(int part, uint x, uint y, uint modulus, uint inverse_root, uint reciprocal) {
  uint packed = 0;
  for (int i = 0; i < 4; ++i, x >>= 8, y >>= 8) {
    const uint sum = part == 0 ? (x & 0xffu) + (y & 0xffu) : ((x & 0xffu) + modulus - (y & 0xffu)) * inverse_root;
    // Below 2^17, for which the reciprocal is near enough.
    packed |= (sum - mul_hi(sum, reciprocal) * modulus) << (8 * i);
  }
  return packed;
}

// One item for four columns of a row. The product's planes are [plane][row][column], `pitch` columns a row;
// panel.scale.bits is the place of the first bit after the integers.
__kernel void rebuild(__global const uint* product, __global const int* exponents, __constant uint* table,
                      __global ulong* c, rebuild_arguments panel
#if SCALES
                      ,
                      factors f
#endif
#if TRIANGLE
                      ,
                      wanted_arguments wanted
#endif
) {
  const matrix_view view = panel.view;
  const int moduli = panel.moduli, padded_rows = panel.padded_rows, pitch = panel.pitch;
  const int rows = panel.rows, columns = panel.columns;
  int column = (int)get_global_id(0) * COLUMNS_AT_ONCE, row = (int)get_global_id(1);
  if (column >= columns || row >= rows) return;
#if TRIANGLE
  const int nearest = wanted.triangle == UPPER ? column + COLUMNS_AT_ONCE - 1 : column;
  if (!is_wanted(wanted.triangle, row + wanted.diagonal, nearest)) return;
#endif
  long plane = (long)padded_rows * (pitch / 4);
  product += (long)row * (pitch / 4) + column / 4;
  ulong words[COLUMNS_AT_ONCE][PARTS][WORDS];
  for (int part = 0; part < PARTS; ++part) {
    uint residues[COLUMNS_AT_ONCE][GROUPS];
    for (int g = 0; g < GROUPS; ++g) {
      uint in[4], out[4];
      for (int t = 0; t < 4; ++t) {
        int l = 4 * g + t;
        in[t] = 0;
        if (l >= moduli) continue;
        long at = planes_before(l) * plane;
#if PARTS == 2
        const uint modulus = table[TABLE_MODULI + l];
        if (l < SPLIT_MODULI) {
          in[t] = residues_of_split(part, product[at], product[at + plane], modulus, table[TABLE_SPLIT + 2 * l],
                                    table[TABLE_SPLIT + 2 * l + 1]);
        } else {
          in[t] = residues_of_part(part, product[at], product[at + plane], product[at + 2 * plane], modulus);
        }
#else
        in[t] = product[at];
#endif
      }
      transpose_bytes(in, out);
      for (int t = 0; t < 4; ++t) residues[t][g] = out[t];
    }
    for (int t = 0; t < COLUMNS_AT_ONCE; ++t) {
      int e_row = exponents[panel.first_row_exponent + row];
      int e_column = exponents[panel.first_column_exponent + min(column + t, columns - 1)];
      rebuild_number(residues[t], table, e_row + e_column - panel.scale.bits, words[t][part]);
    }
  }
  for (int t = 0; t < COLUMNS_AT_ONCE && column + t < columns; ++t) {
#if TRIANGLE
    if (!is_wanted(wanted.triangle, row + wanted.diagonal, column + t)) continue;
#endif
    long element = view.offset + row * view.row_stride + (column + t) * view.column_stride;
#if SCALES
    old_element old;
    load_old(c, element, beta_of(f), &old);
    update_words(words[t], &old, alpha_of(f), beta_of(f));
#endif
    for (int i = 0; i < PARTS * WORDS; ++i) {
      ulong word = words[t][i / WORDS][i % WORDS];
      c[element * (PARTS * WORDS) + i] = !SCALES && panel.scale.negates ? word ^ WORD_SIGN : word;
    }
    const int e_column = exponents[panel.first_column_exponent + column + t];
    if (is_bad(exponents[panel.first_row_exponent + row]) || is_bad(e_column)) spoil(c, element);
  }
}
