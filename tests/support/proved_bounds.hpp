// Proved bounds against errors in 420 bits, of whatever solves.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <hilo/solve.hpp>
#include <vector>

#include "blas/words.hpp"
#include "matrices.hpp"
#include "test_matrices.hpp"
#include "wide_system.hpp"

namespace hilo::test {

/// What bounds are worth.
struct BoundOutcome {
  SolveReport report;
  double error_to_bound = 0.0;  ///< the largest, entry by entry
  double bound_to_error = 0.0;  ///< of the largest entry of each
  double relative_bound = 0.0;  ///< of the largest |bound / x|, in the precision's units
};

/// Of the x that a report is of; b and x by columns.
template <class T>
BoundOutcome outcome_of(const SolveReport& report, const MatrixView<const T>& a, const std::vector<T>& b,
                        const std::vector<T>& x) {
  const std::int64_t n = a.rows, count = static_cast<std::int64_t>(b.size()) / n;
  BoundOutcome outcome{report};
  if (!report.is_certified) return outcome;
  for (std::int64_t k = 0; k < count; ++k) {
    const auto exact = wide_solution(
        n, [&](std::int64_t i, std::int64_t j) { return wide(blas::element(a, i, j)); },
        [&](std::int64_t i) { return wide(b[static_cast<std::size_t>(i + k * n)]); });
    double most = 0.0, most_bound = 0.0;
    for (std::int64_t i = 0; i < n; ++i) {
      WideNumber difference = exact[static_cast<std::size_t>(i)];
      difference -= WideNumber(wide(x[static_cast<std::size_t>(i + k * n)]));
      const double bound = outcome.report.bounds[static_cast<std::size_t>(i + k * n)];
      const double size = exact[static_cast<std::size_t>(i)].magnitude();
      outcome.error_to_bound = std::max(outcome.error_to_bound, difference.magnitude() / bound);
      if (size > 0.0) outcome.relative_bound = std::max(outcome.relative_bound, bound / size);
      most = std::max(most, difference.magnitude());
      most_bound = std::max(most_bound, bound);
    }
    outcome.bound_to_error = std::max(outcome.bound_to_error, most_bound / most);
  }
  outcome.relative_bound /= std::ldexp(1.0, error_unit(precision_of<T>));
  return outcome;
}

template <class T>
std::vector<T> right_hand_side(std::int64_t count, std::uint64_t seed) {
  std::vector<T> b(static_cast<std::size_t>(count));
  Random random(seed);
  for (T& e : b) e = random_element<T>(random);
  return b;
}

/// That bounds hold of so many systems with conditions up to 10^most, rows and columns scaled by up to 2^±40;
/// certified(a, b, options) is a BoundOutcome.
template <class T, class Certified>
void expect_bounds(std::int64_t systems, double most, std::uint64_t seed, double least_share, Certified certified) {
  Random random(seed);
  std::int64_t proved = 0;
  std::vector<double> relative;
  for (std::int64_t s = 0; s < systems; ++s) {
    const std::int64_t n = random.between(3, 39);
    const double condition = std::pow(10.0, most * (0.5 + random.uniform() / 2));
    std::vector<T> data =
        matrix_with_condition<T>(n, condition, seed * 1000000 + static_cast<std::uint64_t>(s), random.below(4) == 0);
    std::vector<int> of_rows(static_cast<std::size_t>(n)), of_columns(of_rows);
    const bool is_scaled = random.below(2) == 0;
    for (std::size_t i = 0; is_scaled && i < of_rows.size(); ++i) {
      of_rows[i] = static_cast<int>(random.between(-40, 40));
      of_columns[i] = static_cast<int>(random.between(-40, 40));
    }
    for (std::size_t e = 0; e < data.size(); ++e) {
      data[e] = with_exponent(data[e],
                              of_rows[e % static_cast<std::size_t>(n)] + of_columns[e / static_cast<std::size_t>(n)]);
    }
    const BoundOutcome outcome =
        certified(view(Layout::column, Op::none, data.data(), n, n, n), right_hand_side<T>(n, random.bits()),
                  {.certify = true, .products = {.threads = 1}});
    EXPECT_LE(outcome.error_to_bound, 1.0) << n << ' ' << condition << ' ' << s;
    proved += outcome.report.is_certified;
    if (outcome.report.is_certified && condition <= 1e13) relative.push_back(outcome.relative_bound);
  }
  EXPECT_GE(static_cast<double>(proved), least_share * static_cast<double>(systems)) << proved;
  ASSERT_FALSE(relative.empty());
  std::nth_element(relative.begin(), relative.begin() + static_cast<std::ptrdiff_t>(relative.size() / 2),
                   relative.end());
  EXPECT_LE(relative[relative.size() / 2], 0.6);
}

}  // namespace hilo::test
