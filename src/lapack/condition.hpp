// Estimates of ‖A⁻¹‖ by solves with A, and of A's condition: one text for every place.
//
// Source: Higham, ACM Trans. Math. Softw. 14 (1988), as LAPACK's xLACN2.
#pragma once

#include <cstdint>
#include <vector>

#include "lapack/norm.hpp"

namespace hilo::lapack {

/// What is at most ‖B‖ in the 1-norm, and rarely less than a third of it; apply(Op) makes x = op(B) · x, of an n × 1
/// matrix x. Not finite where some x was not.
template <gemm_scalar T, class Apply>
real_type<T> estimate_norm(const MatrixView<T>& x, Apply apply) {
  using Real = real_type<T>;
  const std::int64_t n = x.rows;
  const auto norm = [&] { return norm_of_entries<T>(Norm::one, n, 1, x); };
  const auto fill = [&](auto entry) {
    for (std::int64_t i = 0; i < n; ++i) x(i, 0) = entry(i);
  };
  fill([&](std::int64_t) { return T(1) / T(static_cast<float>(n)); });
  apply(Op::none);
  Real estimate = norm();
  if (n == 1) return estimate;
  constexpr int most_steps = 5;
  std::vector<T> signs(static_cast<std::size_t>(n));
  std::int64_t largest = -1;
  for (int step = 1; step < most_steps && is_finite(estimate); ++step) {
    bool is_new = false;
    for (std::int64_t i = 0; i < n; ++i) {
      T& sign = signs[static_cast<std::size_t>(i)];
      const T old = sign;
      if constexpr (is_complex(precision_of<T>)) {
        const Real size = modulus(T(x(i, 0)));
        // Near 0 any sign does.
        sign = size > Real(std::numeric_limits<blas::Word<T>>::min()) ? T(x(i, 0) / size) : T(1);
      } else {
        sign = T(x(i, 0) > T(0) ? 1 : -1);
      }
      is_new = is_new || sign != old;
    }
    if (!is_new) break;
    fill([&](std::int64_t i) { return signs[static_cast<std::size_t>(i)]; });
    apply(Op::conjugate_transpose);
    std::int64_t j = 0;
    for (std::int64_t i = 1; i < n; ++i) {
      if (modulus(T(x(i, 0))) > modulus(T(x(j, 0)))) j = i;
    }
    if (largest >= 0 && modulus(T(x(largest, 0))) == modulus(T(x(j, 0)))) break;
    largest = j;
    fill([&](std::int64_t i) { return T(i == j ? 1 : 0); });
    apply(Op::none);
    const Real next = norm();
    if (next <= estimate) break;
    estimate = next;
  }
  // For what would deceive the steps above.
  const Real most = Real(1) / Real(static_cast<float>(n - 1));
  fill([&](std::int64_t i) {
    const Real size = Real(1) + Real(static_cast<float>(i)) * most;
    return T(i % 2 ? -size : size);
  });
  apply(Op::none);
  return larger(estimate, Real(Real(2) * norm() / Real(static_cast<float>(3 * n))));
}

/// 1 / (‖A‖ · ‖A⁻¹‖), A scaled by 2^-e so that nothing overflows but where that would underflow: apply(op) solves with
/// the scaled matrix.
template <gemm_scalar T, class Apply>
real_type<T> reciprocal_condition(Norm norm, const real_type<T>& scaled_norm, const MatrixView<T>& x, Apply apply) {
  using Real = real_type<T>;
  const bool is_one = norm == Norm::one;
  const Real inverse =
      estimate_norm<T>(x, [&](Op op) { apply(is_one == (op == Op::none) ? Op::none : Op::conjugate_transpose); });
  // A solve that overflows tells of a condition that no number holds.
  if (!is_finite(inverse) || inverse == Real(0)) return Real(0);
  return Real(1) / inverse / scaled_norm;
}

}  // namespace hilo::lapack
