// Polynomials of a fraction of either sign, in 128-bit integers.
#pragma once

#include <hilo/detail/wide.hpp>

namespace hilo::detail {

/// floor(sum · z), sum in two's complement and z a fraction.
constexpr uint128 multiply_signed(uint128 sum, uint128 z) {
  return multiply_fractions(sum, z) - (sum >> 127 != 0 ? z : 0);
}

/// c[0] + c[1] t + c[2] t² + …, t = ±size, where c holds multiples of 2^-126 in two's complement: an error below
/// 5·2^-126. Even and odd powers apart, two chains that the processor interleaves. Preconditions: size, a fraction of
/// 2^128, is at most 1/2; no sum reaches ±2, and the whole is positive.
template <int N>
constexpr Wide even_odd_polynomial(const uint128 (&c)[N], uint128 size, bool is_negative) {
  uint128 square = multiply_fractions(size, size);
  uint128 even = N % 2 == 0 ? 0 : c[N - 1], odd = 0;
  for (int k = N / 2 * 2 - 2; k >= 0; k -= 2) {
    even = c[k] + multiply_signed(even, square);
    odd = c[k + 1] + multiply_signed(odd, square);
  }
  uint128 rest = multiply_signed(odd, size);
  return Wide::normalized(is_negative ? even - rest : even + rest, 1, false);
}

/// The same of t itself.
template <int N>
constexpr Wide even_odd_polynomial(const uint128 (&c)[N], Wide t) {
  return even_odd_polynomial(c, t.fraction(), t.is_negative);
}

}  // namespace hilo::detail
