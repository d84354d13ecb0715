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

/// What the proof is made of: Σ|w_ij|² of each column of W, what rounding took from A and from each value, and R.
struct EigenvalueProof {
  std::vector<double> squares;
  double lost_of_a;
  std::vector<double> lost_of_values;
  Defect defect;
};

/// None where X is too far from orthonormal for a proof.
inline std::optional<EigenvalueBounds> bounds_of(const EigenvalueProof& proof) {
  if (!(proof.defect.bound <= 0.5)) return {};
  const double share = above / std::sqrt(1.0 - proof.defect.bound);
  EigenvalueBounds bounds{0.0, {}, 0.0, proof.defect.computed};
  double sum = 0.0, most_lost = 0.0;
  for (std::size_t j = 0; j < proof.squares.size(); ++j) {
    const double square = proof.squares[j], own = proof.lost_of_values[j];
    sum += square;
    bounds.of_each.push_back((std::sqrt(square) * share + proof.lost_of_a + own) * above + underflow);
    most_lost = std::max(most_lost, own);
  }
  bounds.residual = std::sqrt(sum);
  bounds.of_order = (bounds.residual * share + proof.lost_of_a + most_lost) * above + underflow;
  if (!(bounds.of_order < std::numeric_limits<double>::infinity())) return {};
  return bounds;
}

/// What rounding takes from a value.
inline double lost_of_value(const dd_real& value) { return std::fabs((value - rounded_to_places(value)).hi) * above; }

/// A's largest entry is below 2, columns of X are near orthonormal, values ascending.
template <double_double T>
std::optional<EigenvalueBounds> eigenvalue_bounds(const Dense<T>& a, const Dense<T>& x,
                                                  const std::vector<dd_real>& values, const BlockedOptions& options) {
  const std::int64_t n = a.rows();
  Dense<T> left(n, 2 * n), right(2 * n, n), w(n, n);
  Rounding<T> of_a;
  EigenvalueProof proof;
  for (std::int64_t j = 0; j < n; ++j) {
    const dd_real& value = values[static_cast<std::size_t>(j)];
    proof.lost_of_values.push_back(lost_of_value(value));
    right(n + j, j) = T(-rounded_to_places(value));
    for (std::int64_t i = 0; i < n; ++i) {
      left(i, j) = of_a(a(i, j));
      left(i, n + j) = right(i, j) = rounded_to_places(x(i, j));
    }
  }
  proof.lost_of_a = of_a.lost();
  proof.defect = defect_of<T>(right.view().sub(0, 0, n, n), options);
  if (!(proof.defect.bound <= 0.5)) return {};
  gemm(T(1), left.view(), right.view(), T(0), w.view(), options_of_proof(options, Accuracy::exact));
  for (std::int64_t j = 0; j < n; ++j) proof.squares.push_back(square_of_column<T>(w.view(), j));
  return bounds_of(proof);
}

}  // namespace hilo::spectral
