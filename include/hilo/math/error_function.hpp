// The error function and its complement.
#pragma once

#include <hilo/detail/error_function_tables.hpp>
#include <hilo/detail/fixed_point_polynomial.hpp>
#include <hilo/detail/wide_exponential.hpp>

namespace hilo {

namespace detail {

/// erf(x), relative error below 2^-122. Precondition: |x| < 1.
constexpr Wide error_function(Wide x) {
  Wide square = x * x;
  return x * even_odd_polynomial(error_function_polynomial, square - Wide(0.5));
}

/// erfc(x), relative error below 2^-122 + x² 2^-125. Precondition: 1 <= x < 28.
constexpr Wide complementary_error_function(Wide x) {
  // x = 2^e (3/2 ± size).
  const uint128 middle = make_uint128(std::uint64_t{3} << 62, 0);
  bool is_below = x.mantissa < middle;
  uint128 size = (is_below ? middle - x.mantissa : x.mantissa - middle) << 1;
  Wide scaled;
  switch (x.exponent) {
    case 0:
      scaled = even_odd_polynomial(scaled_complement_polynomial_1, size, is_below);
      break;
    case 1:
      scaled = even_odd_polynomial(scaled_complement_polynomial_2, size, is_below);
      break;
    case 2:
      scaled = even_odd_polynomial(scaled_complement_polynomial_4, size, is_below);
      break;
    case 3:
      scaled = even_odd_polynomial(scaled_complement_polynomial_8, size, is_below);
      break;
    default:
      scaled = even_odd_polynomial(scaled_complement_polynomial_16, size, is_below);
      break;
  }
  return ldexp(scaled * wide_exp(-(x * x)), -1 - x.exponent);
}

}  // namespace detail

/// The error function, below 0.501u², relative also near 0, and 2^-1075 where the result is subnormal. ±1 from ±9.5 on.
constexpr dd_real erf(dd_real x) {
  using detail::Wide;
  if (isnan(x) || x.hi == 0.0) return x;
  // erfc(9.5) < 2^-134.
  if (__builtin_fabs(x.hi) >= 9.5) return copysign(dd_real(1), x);
  Wide size(abs(x));
  Wide result = size.exponent < 0 ? detail::error_function(size) : Wide(1) - detail::complementary_error_function(size);
  result.is_negative = signbit(x);
  return to_dd_real(result);
}

/// 1 − erf(x), below 0.502u² down to where it underflows, which is at 27.226; 2^-1075 more where a word is subnormal.
constexpr dd_real erfc(dd_real x) {
  using detail::Wide;
  if (isnan(x)) return x;
  if (x.hi >= 27.5) return dd_real(0);
  if (x.hi <= -9.5) return dd_real(2);
  Wide size(x);
  if (size.exponent < 0 || size.is_zero()) return to_dd_real(Wide(1) - detail::error_function(size));
  Wide complement = detail::complementary_error_function(abs(size));
  return to_dd_real(size.is_negative ? Wide(2) - complement : complement);
}

}  // namespace hilo
