// Proofs of how far singular values are from a matrix's own.
//
// For m × n matrices A and U, m >= n, an n × n V and Σ >= 0 let W1 = A V − U Σ, W2 = Aᴴ U − V Σ, and let d < 1 bound
// ‖I − Uᴴ U‖ and ‖I − Vᴴ V‖. Then |σ_j(A) − σ_j| <= max(‖W1‖, √(‖W2‖² + ‖W1‖² / (1 − d))) / √(1 − d), where the second
// term of the root counts for m > n only, both in descending order: it is the bound of eigenvalues
// (eigenvalue_bound.hpp) for [0 A; Aᴴ 0] and [U U U'; V −V 0] / √2, U' an orthonormal basis of what is orthogonal to
// U's columns, of which W1 tells ‖Aᴴ U'‖ <= ‖W1 V⁻¹‖. As there all is rounded first so that products are exact. Proof:
// docs/singular-values.md.
#pragma once

#include <optional>
#include <vector>

#include "spectral/proof.hpp"

namespace hilo::spectral {

struct SingularValueBounds {
  double of_order;              // of value j as the j-th singular value
  std::vector<double> of_each;  // as some singular value
  double residual, left_orthogonality, right_orthogonality;
};

/// op(A) · X − Y · Σ, exact and then rounded once.
template <double_double T>
Dense<T> exact_residual(const Dense<T>& a, Op op, const Dense<T>& x, const Dense<T>& y,
                        const std::vector<dd_real>& values, const BlockedOptions& options) {
  const MatrixView<const T> of_a = a.view().turned(op);
  const std::int64_t m = of_a.rows, k = of_a.columns, n = x.columns();
  Dense<T> left(m, k + n), right(k + n, n), w(m, n);
  for (std::int64_t j = 0; j < k; ++j) {
    for (std::int64_t i = 0; i < m; ++i) left(i, j) = blas::element(of_a, i, j);
  }
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) left(i, k + j) = y(i, j);
    for (std::int64_t i = 0; i < k; ++i) right(i, j) = x(i, j);
    right(k + j, j) = T(-values[static_cast<std::size_t>(j)]);
  }
  gemm(T(1), left.view(), right.view(), T(0), w.view(), options_of_proof(options, Accuracy::exact));
  return w;
}

/// A's largest entry is below 2, columns of U and V are near orthonormal, values descend and are not negative. None
/// where U or V is too far from that for a proof.
template <double_double T>
std::optional<SingularValueBounds> singular_value_bounds(const Dense<T>& a, const Dense<T>& u, const Dense<T>& v,
                                                         const std::vector<dd_real>& values,
                                                         const BlockedOptions& options) {
  const auto round = [](const T& x) { return rounded_to_places(x); };
  Rounding<T> of_a;
  const Dense<T> rounded_a(a, [&](const T&x) { return of_a(x); }), rounded_u(u, round), rounded_v(v, round);
  std::vector<dd_real> rounded_values;
  std::vector<double> lost;
  for (const dd_real& value : values) {
    rounded_values.push_back(rounded_to_places(value));
    lost.push_back(std::fabs((value - rounded_values.back()).hi) * above);
  }
  const double lost_of_a = of_a.lost();
  const Defect left = defect_of<T>(rounded_u.view(), options), right = defect_of<T>(rounded_v.view(), options);
  const double defect = std::max(left.bound, right.bound);
  if (!(left.bound <= 0.5 && right.bound <= 0.5)) return {};

  const Dense<T> w1 = exact_residual(rounded_a, Op::none, rounded_v, rounded_u, rounded_values, options);
  const Dense<T> w2 = exact_residual(rounded_a, Op::conjugate_transpose, rounded_u, rounded_v, rounded_values, options);
  const double share = above / std::sqrt(1.0 - defect), one = frobenius(w1) * above, other = frobenius(w2) * above;
  const bool is_tall = a.rows() > a.columns();
  const double whole = is_tall ? std::hypot(other, one * share) * above : std::max(one, other);
  SingularValueBounds bounds{0.0, {}, frobenius(w1), left.computed, right.computed};
  bounds.of_order = (whole * share + lost_of_a + *std::max_element(lost.begin(), lost.end())) * above + underflow;
  if (!(bounds.of_order < std::numeric_limits<double>::infinity())) return {};
  for (std::size_t j = 0; j < values.size(); ++j) {
    const auto column = static_cast<std::int64_t>(j);
    const double square = square_of_column<T>(w1.view(), column) + square_of_column<T>(w2.view(), column);
    const double own = (std::sqrt(square / 2.0) * share + lost_of_a + lost[j]) * above + underflow;
    // Of a value that is not larger the eigenvalue of [0 A; Aᴴ 0] may be one of its m − n zeros.
    const bool may_be_none = is_tall && !(own < values[j].hi * (1.0 - 0x1p-40));
    bounds.of_each.push_back(may_be_none ? bounds.of_order : std::min(own, bounds.of_order));
  }
  return bounds;
}

}  // namespace hilo::spectral
