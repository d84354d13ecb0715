// Rows and columns scaled by powers of two, so that the largest entry of each is near 1.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <vector>

#include "blas/words.hpp"
#include "host/team.hpp"
#include "solve/precision.hpp"

namespace hilo::solver {

/// x · 2^e, rounded where it underflows.
inline double scaled(double x, int e) {
  if (e < -1022 || e > 1023) return std::ldexp(x, e);
  return x * std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52);
}
inline dd_real scaled(const dd_real& x, int e) { return dd_real(scaled(x.hi, e), scaled(x.lo, e)); }
inline std::complex<double> scaled(const std::complex<double>& x, int e) {
  return {scaled(x.real(), e), scaled(x.imag(), e)};
}
inline dd_complex scaled(const dd_complex& x, int e) { return {scaled(x.re, e), scaled(x.im, e)}; }

/// A result of a scaled problem times 2^e: dd numbers stay canonical where they underflow.
template <class X>
X scaled_back(const X& x, int e) {
  if constexpr (std::same_as<X, dd_complex>) {
    return {ldexp(x.re, e), ldexp(x.im, e)};
  } else {
    return ldexp(x, e);
  }
}

/// The larger part's magnitude, of leading words; not finite if any word is not.
template <gemm_scalar T>
double size_of(const T& x) {
  if constexpr (std::same_as<T, dd_real>) {
    return std::fabs(x.hi) + (x.lo - x.lo);
  } else if constexpr (is_complex_of<T>) {
    const double re = size_of(x.real()), im = size_of(x.imag());
    return re > im || re != re ? re : im;
  } else {
    return std::fabs(static_cast<double>(x));
  }
}

/// A bound of |x|, complex numbers' moduli among them.
template <gemm_scalar T>
double magnitude_above(const T& x) {
  const Leading<T> y = leading(x);
  return std::abs(y) * (1.0 + 8.0 * 0x1p-53);
}

/// Entry (i, j) is to be taken times 2^(rows[i] + columns[j]).
struct Scaling {
  std::vector<int> rows, columns;
};

/// 2^e of each.
inline std::vector<double> powers_of_two(const std::vector<int>& exponents) {
  std::vector<double> powers(exponents.size());
  std::transform(exponents.begin(), exponents.end(), powers.begin(), [](int e) { return scaled(1.0, e); });
  return powers;
}
/// Whether scales of entries and of their rows and columns are normal numbers.
inline bool has_normal_scales(const Scaling& s) {
  if (s.rows.empty() || s.columns.empty()) return true;
  const auto [row, largest_row] = std::minmax_element(s.rows.begin(), s.rows.end());
  const auto [column, largest_column] = std::minmax_element(s.columns.begin(), s.columns.end());
  return std::min({*row, *column, *row + *column}) >= -1022 &&
         std::max({*largest_row, *largest_column, *largest_row + *largest_column}) <= 1023;
}

/// The exponent that brings a number to [1, 2); 0 of 0.
inline int exponent_to_one(double size) { return size > 0.0 ? -std::ilogb(size) : 0; }

/// The largest entry of each row; nothing where an entry is not finite.
template <class Entry>
std::optional<std::vector<double>> largest_of_rows(int threads, std::int64_t rows, std::int64_t columns, Entry entry) {
  std::vector<double> largest(static_cast<std::size_t>(rows));
  bool are_finite = true;
  std::mutex mutex;
  host::for_parts(rows * columns < 16384 ? 1 : threads, columns, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> own(largest.size());
    double nothing = 0.0;
    for (std::int64_t j = begin; j < end; ++j) {
      for (std::size_t i = 0; i < own.size(); ++i) {
        const double size = size_of(entry(static_cast<std::int64_t>(i), j));
        own[i] = std::max(own[i], size);
        nothing += size - size;
      }
    }
    const std::lock_guard lock(mutex);
    are_finite = are_finite && nothing == 0.0;
    for (std::size_t i = 0; i < own.size(); ++i) largest[i] = std::max(largest[i], own[i]);
  });
  if (!are_finite) return {};
  return largest;
}

/// That of rows, then columns, which ExactMatrix finds as it takes them; 0 where all entries are.
inline Scaling scaling_of(const std::vector<double>& largest, std::int64_t columns) {
  Scaling s{std::vector<int>(largest.size()), std::vector<int>(static_cast<std::size_t>(columns))};
  std::transform(largest.begin(), largest.end(), s.rows.begin(), exponent_to_one);
  return s;
}

/// That of columns alone.
template <class Entry>
Scaling column_scaling_of(std::int64_t rows, std::int64_t columns, Entry entry) {
  Scaling s{std::vector<int>(static_cast<std::size_t>(rows)), std::vector<int>(static_cast<std::size_t>(columns))};
  for (std::int64_t j = 0; j < columns; ++j) {
    double most = 0.0;
    for (std::int64_t i = 0; i < rows; ++i) most = std::max(most, size_of(entry(i, j)));
    if (most > 0.0) s.columns[static_cast<std::size_t>(j)] = -std::ilogb(most);
  }
  return s;
}

/// The same exponents for rows and columns of a symmetric matrix, by its lower triangle, so that the largest entry of
/// each row comes near 1 (Ruiz, 2001, as far as powers of two go).
template <class Entry>
Scaling symmetric_scaling_of(std::int64_t n, Entry entry) {
  constexpr int nothing = std::numeric_limits<int>::min();
  std::vector<int> exponents(static_cast<std::size_t>(n)), most(exponents.size());
  // What is too large or too small is halved, counted in bits, each time.
  constexpr int rounds = 12;
  for (int round = 0; round < rounds; ++round) {
    std::fill(most.begin(), most.end(), nothing);
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = j; i < n; ++i) {
        const double size = size_of(entry(i, j));
        if (size == 0.0) continue;
        const auto row = static_cast<std::size_t>(i), column = static_cast<std::size_t>(j);
        const int e = std::ilogb(size) + exponents[row] + exponents[column];
        most[row] = std::max(most[row], e);
        most[column] = std::max(most[column], e);
      }
    }
    bool is_near = true;
    for (std::size_t i = 0; i < most.size(); ++i) {
      // Rounded downward, so that nothing grows beyond 4.
      const int half = most[i] == nothing ? 0 : most[i] >> 1;
      exponents[i] -= half;
      is_near = is_near && half == 0;
    }
    if (is_near) break;
  }
  return {exponents, exponents};
}

/// The same of a positive definite matrix: the diagonal's entries come to [1, 4), and what is beside them is smaller.
template <class Entry>
Scaling positive_scaling_of(std::int64_t n, Entry entry) {
  std::vector<int> exponents(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    const double size = size_of(entry(i, i));
    if (size > 0.0) exponents[static_cast<std::size_t>(i)] = -(std::ilogb(size) >> 1);
  }
  return {exponents, exponents};
}

}  // namespace hilo::solver
