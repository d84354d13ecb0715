// Products of the magnitudes of matrices with vectors that are not negative, in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <hilo/matrix.hpp>
#include <vector>

#include "host/team.hpp"
#include "matrix/sizes.hpp"

namespace hilo::solver {

/// |x|, of a complex number |re| + |im|, which is up to √2 as much.
inline double magnitude(double x) { return std::fabs(x); }
inline double magnitude(const std::complex<double>& x) { return std::fabs(x.real()) + std::fabs(x.imag()); }

/// The part of a matrix by columns that is read.
enum class Part : std::uint8_t { whole, lower, unit_lower, upper };

/// |A| · y: rows are shared among threads, and each is summed in the order of columns.
template <class F>
std::vector<double> multiply_magnitudes(int threads, Part part, const F* a, std::int64_t n,
                                        const std::vector<double>& y) {
  std::vector<double> sums(static_cast<std::size_t>(n));
  constexpr std::int64_t rows_of_task = 1024;
  const bool is_lower = part == Part::lower || part == Part::unit_lower, is_unit = part == Part::unit_lower;
  host::for_each(n < 256 ? 1 : threads, blocks(n, rows_of_task), [&](std::int64_t task, int) {
    const std::int64_t begin = task * rows_of_task, end = std::min(begin + rows_of_task, n);
    double* const s = sums.data();
    for (std::int64_t j = part == Part::upper ? begin : 0; j < (is_lower ? end : n); ++j) {
      const F* const column = a + j * n;
      const double factor = y[static_cast<std::size_t>(j)];
      const std::int64_t from = is_lower ? std::max(begin, j + is_unit) : begin;
      const std::int64_t to = part == Part::upper ? std::min(end, j + 1) : end;
      for (std::int64_t i = from; i < to; ++i) s[i] += magnitude(column[i]) * factor;
    }
    for (std::int64_t i = begin; is_unit && i < end; ++i) s[i] += y[static_cast<std::size_t>(i)];
  });
  return sums;
}

/// |A|ᵀ · y of a lower triangle.
template <class F>
std::vector<double> multiply_turned_magnitudes(int threads, const F* a, std::int64_t n, const std::vector<double>& y) {
  std::vector<double> sums(static_cast<std::size_t>(n));
  constexpr std::int64_t columns_of_task = 64, lanes = 8;
  host::for_each(n < 256 ? 1 : threads, blocks(n, columns_of_task), [&](std::int64_t task, int) {
    for (std::int64_t j = task * columns_of_task; j < std::min((task + 1) * columns_of_task, n); ++j) {
      const F* const column = a + j * n;
      const double* const of = y.data();
      double some[lanes] = {}, sum = 0.0;
      std::int64_t i = j;
      for (; i + lanes <= n; i += lanes) {
        for (std::int64_t k = 0; k < lanes; ++k) some[k] += magnitude(column[i + k]) * of[i + k];
      }
      for (; i < n; ++i) sum += magnitude(column[i]) * of[i];
      for (const double e : some) sum += e;
      sums[static_cast<std::size_t>(j)] = sum;
    }
  });
  return sums;
}

}  // namespace hilo::solver
