// Factors of QR, and how far from orthogonal, or from what they factor, they are.
#pragma once

#include <algorithm>
#include <hilo/lapack.hpp>
#include <vector>

#include "matrices.hpp"

namespace hilo::test {

inline Wide identity(std::int64_t m, std::int64_t n) {
  Wide x(m, n);
  for (std::int64_t i = 0; i < std::min(m, n); ++i) x(i, i) = dd_complex(1);
  return x;
}

/// ‖X‖ / (m · scale · ε), 0 of nothing.
template <class T>
double ratio(const Wide& x, std::int64_t m, double scale = 1.0) {
  const double norm = norm_of(x);
  return norm == 0.0 ? 0.0 : norm / (static_cast<double>(m) * scale * epsilon_of<T>);
}

/// Factors of A by geqrf, or of A · P by geqp3, and what they stand for.
template <class T>
struct Factored {
  StoredMatrix<T> factors;
  std::vector<T> tau;
  std::vector<std::int64_t> pivots;

  explicit Factored(const StoredMatrix<T>& a, const BlockedOptions& options = {}, bool is_pivoted = false)
      : factors(a),
        tau(static_cast<std::size_t>(std::min(a.view.rows, a.view.columns)), T(7)),
        pivots(static_cast<std::size_t>(a.view.columns), -7) {
    if (is_pivoted) {
      geqp3(factors.view, pivots, tau, options);
    } else {
      geqrf(factors.view, tau, options);
    }
    EXPECT_EQ(factors.first_changed(a, [](auto, auto) { return false; }), -1);
  }
  std::int64_t count() const { return std::ssize(tau); }

  // The first columns of Q.
  StoredMatrix<T> q(std::int64_t columns, const BlockedOptions& options = {}) const {
    StoredMatrix<T> x(factors.layout, factors.view.rows, columns);
    x.fill([&](auto i, auto j) { return j < count() ? factors(i, j) : not_a_number<T>(); });
    const StoredMatrix<T> before = x;
    ungqr(x.view, tau, options);
    EXPECT_EQ(x.first_changed(before, [](auto, auto) { return false; }), -1);
    return x;
  }
  Wide r() const {
    Wide x(factors.view.columns == 0 ? 0 : count(), factors.view.columns);
    for (std::int64_t j = 0; j < x.columns; ++j) {
      for (std::int64_t i = 0; i <= std::min(j, x.rows - 1); ++i) x(i, j) = wide(factors(i, j));
    }
    return x;
  }
  // op(H1 · H2 …) · C, one after the other.
  Wide times_q(Wide c, Op op = Op::none) const {
    if (is_conjugated(op) != is_transposed(op)) {
      const Op conjugated = is_transposed(op) ? Op::conjugate_transpose : Op::none;
      return times_q(c.turned(Op::conjugate), conjugated).turned(Op::conjugate);
    }
    for (std::int64_t l = 0; l < count(); ++l) {
      const std::int64_t k = is_transposed(op) ? l : count() - 1 - l;
      Wide v(c.rows, 1);
      for (std::int64_t i = k; i < c.rows; ++i) v(i, 0) = i == k ? dd_complex(1) : wide(factors(i, k));
      Wide sums = v.turned(Op::conjugate_transpose) * c;
      const dd_complex t = wide(tau[static_cast<std::size_t>(k)]);
      for (dd_complex& x : sums.elements) x = (is_conjugated(op) ? conj(t) : t) * x;
      c = difference(c, v * sums);
    }
    return c;
  }
};

}  // namespace hilo::test
