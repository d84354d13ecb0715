// Integers of 128 bits, long double and __float128 as two words, and two words as integers of 128 bits: the same bits
// in every rounding mode, and with -std=c++20, where std::integral leaves __int128 out, as with -std=gnu++20.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <hilo/detail/dd_ops.hpp>

namespace hilo::detail {

__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;

template <class T>
concept integer_128 = std::same_as<T, int128> || std::same_as<T, uint128>;
template <class T>
concept integer = (std::integral<T> && !std::same_as<T, bool>) || integer_128<T>;

/// A sign and a magnitude.
struct SignedMagnitude {
  uint128 magnitude;
  bool is_negative;

  constexpr explicit SignedMagnitude(int128 x)
      : magnitude(x < 0 ? -static_cast<uint128>(x) : static_cast<uint128>(x)), is_negative(x < 0) {}
  constexpr explicit SignedMagnitude(uint128 x) : magnitude(x), is_negative(false) {}

  /// The nearest double, ties to even, which is taken off; +0 for 0.
  constexpr double take_nearest() {
    if (magnitude == 0) return 0.0;
    auto upper = static_cast<std::uint64_t>(magnitude >> 64), lower = static_cast<std::uint64_t>(magnitude);
    int shift = (upper != 0 ? 128 - std::countl_zero(upper) : 64 - std::countl_zero(lower)) - 53;
    auto exact = [](std::uint64_t bits, bool negative) {
      return std::bit_cast<double>(bits | static_cast<std::uint64_t>(negative) << 63);
    };
    if (shift <= 0) {
      magnitude = 0;
      return exact(std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(lower))), is_negative);
    }
    auto head = static_cast<std::uint64_t>(magnitude >> shift);
    uint128 unit = uint128{1} << shift, rest = magnitude % unit;
    bool up = rest > unit / 2 || (rest == unit / 2 && head % 2 != 0);
    // The hidden bit adds one to the exponent field, and so does a head rounded up to 2^53.
    double word = exact((static_cast<std::uint64_t>(shift + 1074) << 52) + head + up, is_negative);
    magnitude = up ? unit - rest : rest;
    is_negative = is_negative != up;
    return word;
  }
};

/// hi = RN(x), lo = RN(x − hi), canonical: within u²/2 of x, and exact for |x| <= 2^107.
template <integer_128 T>
constexpr scalar_ops::dd nearest_words(T integer) {
  SignedMagnitude x(integer);
  double hi = x.take_nearest(), lo = x.take_nearest();
  return scalar_ops::nearest_words({hi, lo});
}

/// RN(x), ties to even, infinite from 2^1024 − 2^970, which is taken off x: exact where T is wider than a double and
/// has its exponents. What the language's conversion gives may be the neighbour. Precondition: x is not NaN.
template <class T>
constexpr double take_nearest(T& x) {
  constexpr double largest = 0x1.fffffffffffffp1023;
  double word = static_cast<double>(x);
  if (!(__builtin_fabs(word) <= largest)) word = word > 0.0 ? largest : -largest;
  T rest = x - static_cast<T>(word);
  if (rest == 0) {
    x = 0;
    return word;
  }
  if (word == 0.0) word = rest > 0 ? 0.0 : -0.0;
  auto bits = std::bit_cast<std::uint64_t>(word);
  double next = std::bit_cast<double>((rest > 0) == (bits >> 63 == 0) ? bits + 1 : bits - 1);
  T gap = __builtin_fabs(next) <= largest ? static_cast<T>(next) - static_cast<T>(word)
                                          : static_cast<T>(next > 0.0 ? 0x1p971 : -0x1p971);
  T twice = rest + rest;
  bool moves =
      gap > 0 ? twice > gap || (twice == gap && bits % 2 != 0) : twice < gap || (twice == gap && bits % 2 != 0);
  x = moves ? rest - gap : rest;
  return moves ? next : word;
}

/// The same of a floating-point number that is wider than a double; Inf, NaN and the sign of zero as they are.
template <class T>
requires(!integer_128<T>) constexpr scalar_ops::dd nearest_words(T x) {
  if (x != x || x == 0) return {static_cast<double>(x), 0.0};
  double hi = take_nearest(x);
  if (hi == 0.0 || __builtin_fabs(hi) > 0x1.fffffffffffffp1023) return {hi, 0.0};
  return scalar_ops::nearest_words({hi, take_nearest(x)});
}

/// trunc(hi + lo) modulo 2^128; 0 for Inf and NaN. Precondition: canonical words.
constexpr uint128 truncated(double hi, double lo) {
  struct Word {
    uint128 whole = 0;
    bool has_fraction = false;

    constexpr explicit Word(double a) {
      auto bits = std::bit_cast<std::uint64_t>(a);
      int field = static_cast<int>(bits >> 52 & 0x7ff), shift = field - 1075;
      std::uint64_t significand = (bits & 0xfffffffffffffu) | std::uint64_t{1} << 52;
      if (shift >= 0) {
        whole = shift < 128 ? static_cast<uint128>(significand) << shift : 0;
      } else {
        whole = shift > -53 ? significand >> -shift : 0;
        has_fraction = shift > -53 ? (significand & ((std::uint64_t{1} << -shift) - 1)) != 0 : a != 0.0;
      }
      if (bits >> 63 != 0) whole = -whole;
    }
  };
  Word upper(hi), lower(lo);
  if (upper.has_fraction) return upper.whole;
  // An integral hi with a fraction against it lies one nearer to zero.
  uint128 whole = upper.whole + lower.whole;
  if (lower.has_fraction && hi > 0.0 && lo < 0.0) --whole;
  if (lower.has_fraction && hi < 0.0 && lo > 0.0) ++whole;
  return whole;
}

}  // namespace hilo::detail
