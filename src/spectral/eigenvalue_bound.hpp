// Proofs of how far eigenvalues are from a Hermitian matrix's own.
//
// For invertible X, W = A X − X Λ and R = I − Xᴴ X: max |λ_j(A) − λ_j| <= ‖W‖₂ / √(1 − ‖R‖₂), both in ascending order,
// and an eigenvalue lies within ‖w_j‖ / ‖x_j‖ of λ_j. It holds for every X, so that A, X and Λ are rounded to numbers
// of so many bits that the product behind W is exact; what that takes from A and Λ is added (Weyl). Sources: Kahan,
// 1975; Bhatia, Davis, Kittaneh, Aequationes Math. 41 (1991); proof: docs/eigenvalues.md.
#pragma once

#include <cmath>
#include <hilo/math.hpp>
#include <optional>
#include <vector>

#include "spectral/orthogonality.hpp"

namespace hilo::spectral {

struct EigenvalueBounds {
  double of_order;              // of value j as the j-th eigenvalue
  std::vector<double> of_each;  // as some eigenvalue
  double residual, orthogonality;
};

/// `places` after the binary point, no more.
inline dd_real rounded_to_places(const dd_real& x, int places) {
  return solver::scaled(rint(solver::scaled(x, places)), -places);
}
inline dd_complex rounded_to_places(const dd_complex& x, int places) {
  return {rounded_to_places(x.re, places), rounded_to_places(x.im, places)};
}

/// A's largest entry is below 2, columns of X are near orthonormal, values ascending. None where X is too far from that
/// for a proof.
template <double_double T>
std::optional<EigenvalueBounds> eigenvalue_bounds(const Dense<T>& a, const Dense<T>& x,
                                                  const std::vector<dd_real>& values, const BlockedOptions& options) {
  // 2^-11 u² of what is near 1; both operands and sums of 2n products have 341 bits for the exact product.
  constexpr int places = 117;
  // Sums of up to 2^30 squares in double, and whatever underflows.
  constexpr double above = 1.0 + 0x1p-20, underflow = 0x1p-400;
  const std::int64_t n = a.rows();
  BlockedOptions of_product;
  of_product.threads = options.threads;
  of_product.int8_library = options.int8_library;
  of_product.target = options.target;

  double lost_of_a = 0.0;
  Dense<T> left(n, 2 * n), right(2 * n, n), gram = identity<T>(n), w(n, n);
  std::vector<double> lost(values.size());
  double largest_square = 0.0;
  for (std::int64_t j = 0; j < n; ++j) {
    const dd_real& value = values[static_cast<std::size_t>(j)];
    const dd_real rounded = rounded_to_places(value, places);
    lost[static_cast<std::size_t>(j)] = std::fabs((value - rounded).hi) * above;
    right(n + j, j) = T(-rounded);
    double square = 0.0;
    for (std::int64_t i = 0; i < n; ++i) {
      left(i, j) = rounded_to_places(a(i, j), places);
      lost_of_a += std::norm(leading(T(a(i, j) - left(i, j))));
      left(i, n + j) = right(i, j) = rounded_to_places(x(i, j), places);
      square += std::norm(leading(right(i, j)));
    }
    largest_square = std::max(largest_square, square * above);
  }
  lost_of_a = std::sqrt(lost_of_a) * above + underflow;

  const MatrixView<const T> columns = right.view().sub(0, 0, n, n);
  const GemmReport report =
      gemm(T(-1), columns.turned(Op::conjugate_transpose), columns, T(1), gram.view(), of_product);
  const double rounding = report.plan.error_bound_u2 * 0x1p-106 * (largest_square + 1.0) * static_cast<double>(n);
  const double orthogonality = frobenius(gram), defect = (orthogonality + rounding) * above + underflow;
  if (!(defect <= 0.5)) return {};

  of_product.accuracy = Accuracy::exact;
  gemm(T(1), left.view(), right.view(), T(0), w.view(), of_product);
  const double share = above / std::sqrt(1.0 - defect);
  EigenvalueBounds bounds{0.0, std::vector<double>(values.size()), 0.0, orthogonality};
  double sum = 0.0, most_lost = 0.0;
  for (std::int64_t j = 0; j < n; ++j) {
    double square = 0.0;
    for (std::int64_t i = 0; i < n; ++i) square += std::norm(leading(w(i, j)));
    sum += square;
    const double own = lost[static_cast<std::size_t>(j)];
    bounds.of_each[static_cast<std::size_t>(j)] = (std::sqrt(square) * share + lost_of_a + own) * above + underflow;
    most_lost = std::max(most_lost, own);
  }
  bounds.residual = std::sqrt(sum);
  bounds.of_order = (bounds.residual * share + lost_of_a + most_lost) * above + underflow;
  if (!(bounds.of_order < std::numeric_limits<double>::infinity())) return {};
  return bounds;
}

}  // namespace hilo::spectral
