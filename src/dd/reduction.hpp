// Sums and dot products one term at a time: the slow, obvious definition of their bits, and the oracle of the kernels.
//
// The canonical order, docs/array.md: term i belongs to column i mod 64. A column is summed as the direct engine sums
// an entry, in chunks of 64 rows and super-chunks of 64 chunks, renormalised after every term; terms past the end are
// +0. Then the upper half of the columns is added to the lower half until one is left. A sum that is not finite is the
// plain double sum of the hi parts.
#pragma once

#include <cstdint>
#include <hilo/dd_real.hpp>
#include <limits>

#include "dd/canonical_order.hpp"

namespace hilo::array {

inline constexpr std::int64_t columns = 64;
inline constexpr std::int64_t chunk_rows = canonical::chunk_steps;
inline constexpr std::int64_t superchunk_rows = canonical::superchunk_steps;

/// Adds the upper half of `count` columns, a power of two, to the lower one, then of what is left, until one is.
inline dd_real add_halves(dd_real* column, std::int64_t count) {
  using ops = detail::scalar_ops;
  for (std::int64_t half = count / 2; half > 0; half /= 2) {
    for (std::int64_t j = 0; j < half; ++j) {
      ops::dd sum = ops::add_finite({column[j].hi, column[j].lo}, {column[j + half].hi, column[j + half].lo});
      column[j].hi = sum.hi;
      column[j].lo = sum.lo;
    }
  }
  return column[0];
}

/// The terms x[i].
struct ScalarSumTerms {
  using ops = canonical::ScalarStep;
  const dd_real* x;

  ops::dd add_to(ops::dd sum, std::int64_t i, bool is_past_end) const {
    dd_real a = is_past_end ? dd_real(0) : x[i];
    ops::dd t = ops::two_sum(sum.hi, a.hi);
    return {t.hi, (sum.lo + a.lo) + t.lo};
  }
  double plain(std::int64_t i) const { return x[i].hi; }
};

/// The terms x[i] · y[i].
struct ScalarDotTerms {
  using ops = canonical::ScalarStep;
  const dd_real *x, *y;

  ops::dd add_to(ops::dd sum, std::int64_t i, bool is_past_end) const {
    dd_real a = is_past_end ? dd_real(0) : x[i], b = is_past_end ? dd_real(0) : y[i];
    return ops::gather(sum, ops::two_prod(a.hi, b.hi), {a.hi, a.lo}, {b.hi, b.lo});
  }
  double plain(std::int64_t i) const { return detail::rounded_product(x[i].hi, y[i].hi); }
};

/// The plain double sum in increasing order; NaN is the quiet NaN.
template <class Terms>
dd_real plain_sum(std::int64_t n, Terms terms) {
  double sum = 0.0;
  for (std::int64_t i = 0; i < n; ++i) sum += terms.plain(i);
  return sum == sum ? sum : std::numeric_limits<double>::quiet_NaN();
}

template <class Terms>
dd_real reference_sum(std::int64_t n, Terms terms) {
  using ops = canonical::ScalarStep;
  dd_real column[columns];
  std::int64_t rows = (n + columns - 1) / columns;
  for (std::int64_t j = 0; j < columns; ++j) {
    ops::dd total = {0.0, 0.0}, partial = {0.0, 0.0}, chunk = {0.0, 0.0};
    for (std::int64_t row = 0; row < rows; ++row) {
      std::int64_t i = row * columns + j;
      ops::dd sum = terms.add_to(chunk, i, i >= n);
      chunk = ops::fast_two_sum(sum.hi, sum.lo);
      bool ends = row + 1 == rows;
      if (ends || (row + 1) % chunk_rows == 0) {
        partial = ops::add_finite(partial, ops::two_sum(chunk.hi, chunk.lo));
        chunk = {0.0, 0.0};
      }
      if (ends || (row + 1) % superchunk_rows == 0) {
        total = ops::add_finite(total, partial);
        partial = {0.0, 0.0};
      }
    }
    column[j].hi = total.hi;
    column[j].lo = total.lo;
  }
  dd_real sum = add_halves(column, columns);
  return sum.hi - sum.hi == 0.0 ? sum : plain_sum(n, terms);
}

}  // namespace hilo::array
