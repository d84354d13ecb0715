// Quotients of natural numbers and sums of doubles, rounded to words in integers: the same bits in every rounding mode.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <hilo/dd_real.hpp>
#include <hilo/detail/big_integer.hpp>
#include <limits>

namespace hilo::detail {

constexpr double infinite_double = std::numeric_limits<double>::infinity();

// significand · 2^exponent = |x|, x finite; the significand has 53 bits, or fewer where x is subnormal.
struct binary_double {
  std::uint64_t significand;
  int exponent;
  bool is_negative;

  constexpr explicit binary_double(double x) {
    auto bits = std::bit_cast<std::uint64_t>(x);
    is_negative = bits >> 63 != 0;
    int field = static_cast<int>(bits >> 52 & 2047);
    significand = (bits & 0xfffffffffffff) | std::uint64_t{field != 0} << 52;
    exponent = field == 0 ? -1074 : field - 1075;
  }
};

// |x| as numerator / denominator · 2^exponent.
struct ratio {
  big_integer numerator, denominator;
  int exponent = 0;
  bool is_negative = false;
};

// RN(x), ties to even, infinite from 2^1024 − 2^970; x becomes x − RN(x) where that is finite.
constexpr double take_nearest(ratio& x) {
  if (x.numerator.is_zero()) return 0.0;
  // 1 <= numerator / denominator < 2.
  int binade = x.numerator.bit_length() - x.denominator.bit_length();
  (binade > 0 ? x.denominator : x.numerator).shift_left(binade > 0 ? binade : -binade);
  if (x.numerator < x.denominator) x.numerator.shift_left(1), --binade;
  x.exponent += binade;
  if (x.exponent > 1023) return x.is_negative ? -infinite_double : infinite_double;
  int fraction_bits = x.exponent < 52 - 1074 ? x.exponent + 1074 : 52;
  if (fraction_bits < -1) return 0.0;

  x.exponent -= fraction_bits;
  if (fraction_bits < 0) x.denominator.shift_left(1), fraction_bits = 0;
  int first_bits = fraction_bits < 31 ? fraction_bits : 31;
  x.numerator.shift_left(first_bits);
  std::uint64_t significand = x.numerator.divide_digit(x.denominator);
  x.numerator.shift_left(fraction_bits - first_bits);
  significand = significand << (fraction_bits - first_bits) | x.numerator.divide_digit(x.denominator);

  bool negative = x.is_negative;
  big_integer above = x.denominator;
  above.subtract(x.numerator);
  auto side = x.numerator <=> above;
  if (side > 0 || (side == 0 && significand % 2 != 0)) {
    ++significand;
    x.numerator = above;
    x.is_negative = !negative;
  }
  // The hidden bit adds one to the exponent field, and so does a significand rounded up to 2^53.
  std::uint64_t bits = (static_cast<std::uint64_t>(x.exponent + 1074) << 52) + significand;
  return std::bit_cast<double>(bits | std::uint64_t{negative} << 63);
}

// hi = RN(x), lo = RN(x − hi), canonical; infinite hi where x is out of range.
constexpr dd_real nearest_dd(ratio& x) {
  double hi = take_nearest(x);
  if (hi == infinite_double || hi == -infinite_double) return from_words({hi, 0.0});
  // lo may round to half an ulp of an odd hi: the same value with the even neighbour as hi is canonical.
  return from_words(scalar_ops::nearest_words({hi, take_nearest(x)}));
}

// a + b as nearest_dd rounds it, for any finite words.
constexpr dd_real nearest_sum(double a, double b) {
  binary_double larger(a), smaller(b);
  if (__builtin_fabs(a) < __builtin_fabs(b)) larger = binary_double(b), smaller = binary_double(a);
  ratio x{big_integer(larger.significand), big_integer(1), 0, larger.is_negative};
  x.exponent = larger.exponent < smaller.exponent ? larger.exponent : smaller.exponent;
  big_integer addend(smaller.significand);
  x.numerator.shift_left(larger.exponent - x.exponent);
  addend.shift_left(smaller.exponent - x.exponent);
  larger.is_negative == smaller.is_negative ? x.numerator.add(addend) : x.numerator.subtract(addend);
  return nearest_dd(x);
}

// x as a dd_real or, rounded once, as a double.
template <class T>
constexpr T nearest(ratio& x) {
  if constexpr (std::same_as<T, double>) {
    return take_nearest(x);
  } else {
    return nearest_dd(x);
  }
}

}  // namespace hilo::detail
