// Cyclic Jacobi rotations of a Hermitian matrix: slow, and for every matrix. Where LAPACK is missing eigenvectors in
// double are had by it; where a refinement does not converge, in double-double.
#pragma once

#include <cmath>
#include <hilo/complex_math.hpp>
#include <hilo/math.hpp>

#include "solve/scaling.hpp"
#include "spectral/dense.hpp"

namespace hilo::spectral {

/// A column by column takes its eigenvalues onto the diagonal, X the rotations: X · J₁ · J₂ … . A's largest entry is
/// near 1, entries up to `threshold` count as 0. The number of sweeps; more than `most` are not made.
template <gemm_scalar T>
int rotate_to_diagonal(Dense<T>& a, Dense<T>& x, double threshold, int most = 60) {
  using Real = real_type<T>;
  using std::abs;
  using std::sqrt;
  const std::int64_t n = a.rows();
  // (y_p, y_q) = (c y_p − s ē y_q, s e y_p + c y_q).
  const auto rotate = [](T& yp, T& yq, const Real& c, const T& s) {
    const T p = yp, q = yq;
    yp = p * c - q * blas::conjugated(s, true);
    yq = p * s + q * c;
  };
  for (int sweep = 1; sweep <= most; ++sweep) {
    bool is_diagonal = true;
    for (std::int64_t p = 0; p < n; ++p) {
      for (std::int64_t q = p + 1; q < n; ++q) {
        const T apq = a(p, q);
        if (solver::size_of(apq) <= threshold) continue;
        is_diagonal = false;
        const Real size = abs(apq), app = real_part(a(p, p)), aqq = real_part(a(q, q));
        const Real theta = (aqq - app) / (size * 2.0), away = abs(theta) + sqrt(theta * theta + 1.0);
        const Real t = theta < Real(0) ? Real(-1.0) / away : Real(1.0) / away;
        const Real c = Real(1.0) / sqrt(t * t + 1.0);
        const T s = apq * (t * c / size);
        for (std::int64_t i = 0; i < n; ++i) {
          rotate(x(i, p), x(i, q), c, s);
          if (i == p || i == q) continue;
          rotate(a(i, p), a(i, q), c, s);
          a(p, i) = blas::conjugated(a(i, p), true);
          a(q, i) = blas::conjugated(a(i, q), true);
        }
        a(p, p) = T(app - t * size);
        a(q, q) = T(aqq + t * size);
        a(p, q) = a(q, p) = T(0);
      }
    }
    if (is_diagonal) return sweep;
  }
  return most;
}

}  // namespace hilo::spectral
