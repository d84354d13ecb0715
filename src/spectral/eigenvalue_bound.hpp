// Proofs of how far eigenvalues are from a Hermitian matrix's own.
//
// For invertible X, W = A X − X Λ and R = I − Xᴴ X: max |λ_j(A) − λ_j| <= ‖W‖₂ / √(1 − ‖R‖₂), both in ascending order,
// and an eigenvalue lies within ‖w_j‖ / ‖x_j‖ of λ_j. It holds for every X, so that A, X and Λ are rounded to numbers
// of so many bits that the product behind W is exact; what that takes from A and Λ is added (Weyl). Sources: Kahan,
// 1975; Bhatia, Davis, Kittaneh, Aequationes Math. 41 (1991); proof: docs/eigenvalues.md.
#pragma once

#include <optional>
#include <vector>

#include "spectral/proof.hpp"

namespace hilo::spectral {

struct EigenvalueBounds {
  double of_order;              // of value j as the j-th eigenvalue
  std::vector<double> of_each;  // as some eigenvalue
  double residual, orthogonality;
};

/// A's largest entry is below 2, columns of X are near orthonormal, values ascending. None where X is too far from that
/// for a proof.
template <double_double T>
std::optional<EigenvalueBounds> eigenvalue_bounds(const Dense<T>& a, const Dense<T>& x,
                                                  const std::vector<dd_real>& values, const BlockedOptions& options) {
  const std::int64_t n = a.rows();
  Dense<T> left(n, 2 * n), right(2 * n, n), w(n, n);
  Rounding<T> of_a;
  std::vector<double> lost(values.size());
  for (std::int64_t j = 0; j < n; ++j) {
    const dd_real& value = values[static_cast<std::size_t>(j)];
    const dd_real rounded = rounded_to_places(value);
    lost[static_cast<std::size_t>(j)] = std::fabs((value - rounded).hi) * above;
    right(n + j, j) = T(-rounded);
    for (std::int64_t i = 0; i < n; ++i) {
      left(i, j) = of_a(a(i, j));
      left(i, n + j) = right(i, j) = rounded_to_places(x(i, j));
    }
  }
  const double lost_of_a = of_a.lost();
  const auto [orthogonality, defect] = defect_of<T>(right.view().sub(0, 0, n, n), options);
  if (!(defect <= 0.5)) return {};

  gemm(T(1), left.view(), right.view(), T(0), w.view(), options_of_proof(options, Accuracy::exact));
  const double share = above / std::sqrt(1.0 - defect);
  EigenvalueBounds bounds{0.0, std::vector<double>(values.size()), 0.0, orthogonality};
  double sum = 0.0, most_lost = 0.0;
  for (std::int64_t j = 0; j < n; ++j) {
    const double square = square_of_column<T>(w.view(), j);
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
