// Cyclic Jacobi rotations of a Hermitian matrix: slow, and for every matrix. Where LAPACK is missing eigenvectors in
// double are had by it; where a refinement does not converge, in double-double.
#pragma once

#include <cmath>
#include <hilo/complex_math.hpp>
#include <hilo/math.hpp>

#include "solve/scaling.hpp"
#include "spectral/dense.hpp"

namespace hilo::spectral {

/// What makes [a_pp a_pq; ā_pq a_qq] diagonal, by the smaller of two angles; a_pq is not 0.
template <gemm_scalar T>
struct Rotation {
  using Real = real_type<T>;

  Rotation(const Real& app, const Real& aqq, const T& apq) {
    using std::abs;
    using std::sqrt;
    size = abs(apq);
    const Real theta = (aqq - app) / (size * 2.0), far = abs(theta);
    // Its square may overflow.
    const Real away = far < Real(0x1p200) ? far + sqrt(theta * theta + 1.0) : far * 2.0;
    t = theta < Real(0) ? Real(-1.0) / away : Real(1.0) / away;
    c = Real(1.0) / sqrt(t * t + 1.0);
    s = apq * (t * c / size);
  }
  /// (y_p, y_q) = (c y_p − s̄ y_q, s y_p + c y_q).
  void apply(T& yp, T& yq) const {
    const T p = yp, q = yq;
    yp = p * c - q * blas::conjugated(s, true);
    yq = p * s + q * c;
  }

  Real size, t, c;  // |a_pq|, tangent, cosine
  T s;
};

/// A column by column takes its eigenvalues onto the diagonal, X the rotations: X · J₁ · J₂ … . A's largest entry is
/// near 1, entries up to `threshold` count as 0. The number of sweeps; more than `most` are not made.
template <gemm_scalar T>
int rotate_to_diagonal(Dense<T>& a, Dense<T>& x, double threshold, int most = 60) {
  using Real = real_type<T>;
  const std::int64_t n = a.rows();
  for (int sweep = 1; sweep <= most; ++sweep) {
    bool is_diagonal = true;
    for (std::int64_t p = 0; p < n; ++p) {
      for (std::int64_t q = p + 1; q < n; ++q) {
        const T apq = a(p, q);
        if (solver::size_of(apq) <= threshold) continue;
        is_diagonal = false;
        const Real app = real_part(a(p, p)), aqq = real_part(a(q, q));
        const Rotation<T> rotation(app, aqq, apq);
        for (std::int64_t i = 0; i < n; ++i) {
          rotation.apply(x(i, p), x(i, q));
          if (i == p || i == q) continue;
          rotation.apply(a(i, p), a(i, q));
          a(p, i) = blas::conjugated(a(i, p), true);
          a(q, i) = blas::conjugated(a(i, q), true);
        }
        a(p, p) = T(app - rotation.t * rotation.size);
        a(q, q) = T(aqq + rotation.t * rotation.size);
        a(p, q) = a(q, p) = T(0);
      }
    }
    if (is_diagonal) return sweep;
  }
  return most;
}

}  // namespace hilo::spectral
