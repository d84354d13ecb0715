// The exponential and the logarithm of a Wide, which the functions of dd_real are made of.
#pragma once

#include <hilo/detail/exponential_tables.hpp>

namespace hilo::detail {

/// c[0] + c[1] t + c[2] t² + … to c[count − 1], t = ±size and c > 0, all fractions of 2^128: even and odd powers apart,
/// two chains that the processor interleaves. From `short_from` on in 64 bits, an error of 2^-62 · size^short_from;
/// elsewhere each step truncates at 2^-128. Preconditions: count and short_from are even, and no sum reaches 1.
template <int N>
constexpr uint128 positive_polynomial(const uint128 (&c)[N], uint128 size, bool is_negative, int count,
                                      int short_from) {
  auto high_product = [](std::uint64_t a, std::uint64_t b) { return high_word(static_cast<uint128>(a) * b); };
  uint128 square = multiply_fractions(size, size);
  std::uint64_t square_head = high_word(square), even_head = 0, odd_head = 0;
  int i = count - 2;
  for (; i >= short_from; i -= 2) {
    even_head = high_word(c[i]) + high_product(square_head, even_head);
    odd_head = high_word(c[i + 1]) + high_product(square_head, odd_head);
  }
  uint128 even = make_uint128(even_head, 0), odd = make_uint128(odd_head, 0);
  for (; i >= 0; i -= 2) {
    even = c[i] + multiply_fractions(square, even);
    odd = c[i + 1] + multiply_fractions(square, odd);
  }
  uint128 rest = multiply_fractions(size, odd);
  return is_negative ? even - rest : even + rest;
}

/// e^x, relative error below 2^-124. Precondition: |x| < 2^20.
/// |x| = k ln 2 / 1024 + r, |r| <= ln 2 / 2048, the power of 2 from two tables of 32, e^r by Taylor's series to r^11.
constexpr Wide wide_exp(Wide x) {
  // The multiple is taken off modulo 1, which leaves r in the units of 2^-128 and needs no integer part.
  uint128 r = x.exponent < 0 ? x.fraction() : x.mantissa << (x.exponent + 1);
  int k = 0;
  if (x.exponent > -12) {
    std::uint64_t steps = high_word(static_cast<uint128>(high_word(x.mantissa)) * exp_steps);
    k = static_cast<int>((steps >> (51 - x.exponent)) + 1) / 2;
    auto multiple = static_cast<unsigned>(k);
    r -= multiple * exp_step + high_word(static_cast<uint128>(multiple) * exp_step_rest);
  }
  bool is_below = r >> 127 != 0;
  uint128 size = is_below ? -r : r;
  if (x.is_negative) k = -k, is_below = !is_below;
  // Errors of the part in 64 bits count r^6 / 2^62.
  uint128 tail = multiply_fractions(size, positive_polynomial(inverse_factorials, size, is_below, 10, 4));
  uint128 tail_product = multiply_fractions(size, tail);
  uint128 fine = exp2_fine[k & 31];
  uint128 rise = multiply_fractions(fine, is_below ? size - tail_product : size + tail_product);
  fine += is_below ? -rise : rise;
  return Wide::normalized(fine, 0, false) * Wide(exp2_coarse[k >> 5 & 31], k >> 10, false);
}

/// x · (1 ± part), part a fraction of 2^128 below 1/2, relative error below 2^-126.
constexpr Wide scaled_about_one(Wide x, uint128 part, bool is_below) {
  if (part == 0) return x;
  return x * (is_below ? Wide(-part, -1, false) : Wide(uint128{1} << 127 | part >> 1, 0, false));
}

/// e^x − 1, relative error below 2^-123 (below 2^-125 for |x| < 1/4). Precondition: |x| < 2^20.
constexpr Wide wide_expm1(Wide x) {
  if (x.is_zero()) return x;
  if (x.exponent >= -2) return wide_exp(x) - Wide(1);
  // x · (1 + x · (1/2! + x/3! + …)) to x^25 / 25!, and to fewer terms as x gets smaller.
  int terms = 132 / -x.exponent;
  terms = terms > 22 ? 24 : (terms + 2) / 2 * 2;
  uint128 size = x.fraction();
  uint128 sum = positive_polynomial(inverse_factorials, size, x.is_negative, terms, terms);
  return scaled_about_one(x, multiply_fractions(size, sum), x.is_negative);
}

/// ln(1 + x), relative error below 2^-124. Precondition: |x| < 2^-7.6.
constexpr Wide log1p_series(Wide x) {
  uint128 size = x.fraction();
  uint128 sum = positive_polynomial(inverse_integers, size, !x.is_negative, 18, 8);
  return scaled_about_one(x, multiply_fractions(size, sum), !x.is_negative);
}

/// ln x, relative error below 2^-123. Precondition: x > 0.
/// x = 2^e · (1 + r) / c, c of 10 bits, so that r is exact where c = 1 and to 2^-134 elsewhere; |r| < 2^-7.6.
constexpr Wide wide_log(Wide x) {
  int i = static_cast<int>(static_cast<unsigned>(x.mantissa >> 119) + 1) / 2 - 128;
  int e = x.exponent + (i >= log_first_upper);
  uint128 c = log_inverses[i];
  // (1 + r) · 2^134 but for the leading bits, which r's sign repeats.
  uint128 r = (c * high_word(x.mantissa) << 61) + (c * low_word(x.mantissa) >> 3);
  bool is_negative = r >> 127 != 0;
  Wide log = log_nodes[i] + log1p_series(Wide::normalized(is_negative ? -r : r, -7, is_negative));
  return e == 0 ? log : Wide(e) * wide_ln2 + log;
}

/// ln(1 + x), relative error below 2^-123. Precondition: x > -1.
constexpr Wide wide_log1p(Wide x) {
  if (x.is_zero()) return x;
  if (x.exponent < -8) return log1p_series(x);
  Wide sum = Wide(1) + x;
  bool is_exact = x.is_negative && x.exponent == -1;
  if (is_exact || x.exponent > 127) return wide_log(sum);
  // What the sum has dropped, to first order.
  Wide dropped = x - (sum - Wide(1));
  Wide scaled(sum.mantissa, 0, false);
  return wide_log(sum) + ldexp(dropped * Wide(1.0 / scaled.leading_double()), -sum.exponent);
}

// Numbers whose lo lies far below hi do not fit a Wide; where they are near 1 or −1, the difference does.

/// ln x, relative error below 2^-122. Precondition: x is finite and positive.
constexpr Wide wide_log_of_words(dd_real x) {
  if (x.hi < 0.75 || x.hi > 1.5) return wide_log(Wide(x));
  return wide_log1p(Wide(x.hi) - Wide(1) + Wide(x.lo));
}

/// ln(1 + x), relative error below 2^-122. Precondition: x is finite and above −1.
constexpr Wide wide_log1p_of_words(dd_real x) {
  if (x.hi > -0.5) return wide_log1p(Wide(x));
  return wide_log(Wide(1) + Wide(x.hi) + Wide(x.lo));
}

}  // namespace hilo::detail
