// Numbers for trials of tiles, and what is asked of them.
#pragma once

#include <bit>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <hilo/complex.hpp>
#include <limits>
#include <string>

namespace hilo::tune {

template <class T>
constexpr bool is_double_double = std::same_as<T, dd_real> || std::same_as<T, dd_complex>;
template <class T>
constexpr bool is_complex =
    std::same_as<T, dd_complex> || std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;

/// SplitMix64.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(n)); }

  // In (-1, 1), of all the bits that T has.
  template <class T>
  T entry() {
    if constexpr (std::same_as<T, dd_complex>) {
      const dd_real re = entry<dd_real>();
      return {re, entry<dd_real>()};
    } else if constexpr (std::same_as<T, dd_real>) {
      const double hi = entry<double>();
      return dd_real::sum(hi, hi * 0x1p-53 * entry<double>());
    } else if constexpr (is_complex<T>) {
      const auto re = entry<typename T::value_type>();
      return {re, entry<typename T::value_type>()};
    } else {
      return static_cast<T>(static_cast<double>(static_cast<std::int64_t>(bits()) >> 10) * 0x1p-53);
    }
  }

  // An integer from -4 to 4, or two of them: sums of their products are exact.
  template <class T>
  T small_integer() {
    auto one = [&] { return static_cast<double>(below(9) - 4); };
    if constexpr (is_complex<T>) {
      using Word = typename T::value_type;
      const auto re = static_cast<Word>(one());
      return {re, static_cast<Word>(one())};
    } else {
      return static_cast<T>(one());
    }
  }

 private:
  std::uint64_t state_;
};

/// A number that no scaling leaves as it is.
template <class T>
T scalar(double re, double im) {
  if constexpr (is_double_double<T>) {
    const dd_real x(re, re * 0x1p-55), y(im, -im * 0x1p-56);
    if constexpr (is_complex<T>) {
      return {x, y};
    } else {
      return x;
    }
  } else if constexpr (is_complex<T>) {
    return T(static_cast<typename T::value_type>(re), static_cast<typename T::value_type>(im));
  } else {
    return static_cast<T>(re);
  }
}

template <class T>
T not_a_number() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if constexpr (std::same_as<T, dd_complex>) {
    return {dd_real(nan), dd_real(nan)};
  } else if constexpr (is_complex<T>) {
    return scalar<T>(nan, nan);
  } else {
    return T(nan);
  }
}

template <class T>
std::complex<double> as_complex(const T& x) {
  if constexpr (std::same_as<T, dd_complex>) {
    return {x.re.hi, x.im.hi};
  } else if constexpr (std::same_as<T, dd_real>) {
    return x.hi;
  } else if constexpr (is_complex<T>) {
    return {x.real(), x.imag()};
  } else {
    return x;
  }
}

/// The same bits, or both NaN.
inline bool same(double x, double y) {
  return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y) || (x != x && y != y);
}
inline bool same(float x, float y) { return same(static_cast<double>(x), static_cast<double>(y)); }
inline bool same(const dd_real& x, const dd_real& y) { return same(x.hi, y.hi) && same(x.lo, y.lo); }
inline bool same(const dd_complex& x, const dd_complex& y) { return same(x.re, y.re) && same(x.im, y.im); }
template <class W>
bool same(const std::complex<W>& x, const std::complex<W>& y) {
  return same(x.real(), y.real()) && same(x.imag(), y.imag());
}

template <class T>
std::string digits(const T& x) {
  const std::complex<double> z = as_complex(x);
  char text[80];
  if (is_complex<T>) {
    std::snprintf(text, sizeof text, "(%.9g, %.9g)", z.real(), z.imag());
  } else {
    std::snprintf(text, sizeof text, "%.9g", z.real());
  }
  return text;
}

/// Says what is wrong with an entry of a product.
template <class T>
std::string difference(std::int64_t i, std::int64_t j, const T& found, const T& expected, const std::string& product) {
  return "wrong: entry (" + std::to_string(i) + ", " + std::to_string(j) + ") of " + product + " is " + digits(found) +
         ", expected " + digits(expected);
}

}  // namespace hilo::tune
