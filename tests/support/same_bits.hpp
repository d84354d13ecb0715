// Whether results have the same bits: same_bits of two numbers of any precision, first_difference of two vectors.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <hilo/complex.hpp>
#include <vector>

namespace hilo::test {

/// NaNs are alike; zeros of different sign are not.
template <class T>
bool same_bits(const T& x, const T& y) {
  if constexpr (std::floating_point<T>) {
    return x == y ? std::signbit(x) == std::signbit(y) : x != x && y != y;
  } else if constexpr (std::same_as<T, dd_real>) {
    return same_bits(x.hi, y.hi) && same_bits(x.lo, y.lo);
  } else if constexpr (std::same_as<T, dd_complex>) {
    return same_bits(x.re, y.re) && same_bits(x.im, y.im);
  } else {
    return same_bits(x.real(), y.real()) && same_bits(x.imag(), y.imag());
  }
}

/// The index of the first elements that differ; -1 if there are none.
template <class T>
std::int64_t first_difference(const std::vector<T>& x, const std::vector<T>& y) {
  if (x.size() != y.size()) return 0;
  auto at = std::mismatch(x.begin(), x.end(), y.begin(), same_bits<T>).first;
  return at == x.end() ? -1 : at - x.begin();
}

}  // namespace hilo::test
