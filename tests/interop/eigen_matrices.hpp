// What the tests of Eigen share: matrices, and residuals in the unit of LAPACK's tests.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <complex>
#include <hilo/interop/eigen.hpp>
#include <hilo/text.hpp>
#include <type_traits>

namespace hilo::testing {

using Complex = std::complex<dd_real>;
using Matrix = Eigen::Matrix<dd_real, Eigen::Dynamic, Eigen::Dynamic>;
using Vector = Eigen::Matrix<dd_real, Eigen::Dynamic, 1>;
using ComplexMatrix = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic>;
using ComplexVector = Eigen::Matrix<Complex, Eigen::Dynamic, 1>;

/// Sizes around those of panels and blocks.
inline constexpr int eigen_sizes[] = {1, 2, 7, 10, 19, 30, 40};

/// ‖x‖ in units of n · 2^-105 · scale; LAPACK's tests fail above 30.
template <class Derived>
double ratio(const Eigen::MatrixBase<Derived>& x, const dd_real& scale) {
  return static_cast<double>(x.norm() / scale) / (0x1p-105 * static_cast<double>(std::max(x.rows(), x.cols())));
}

/// A · B by loops: residuals owe nothing to Eigen's products, of which every kind takes a second to compile.
template <class AnyMatrix>
AnyMatrix product(const AnyMatrix& a, const std::type_identity_t<AnyMatrix>& b) {
  AnyMatrix c(a.rows(), b.cols());
  for (Eigen::Index j = 0; j < c.cols(); ++j) {
    for (Eigen::Index i = 0; i < c.rows(); ++i) {
      typename AnyMatrix::Scalar sum(0);
      for (Eigen::Index k = 0; k < a.cols(); ++k) sum += a(i, k) * b(k, j);
      c(i, j) = sum;
    }
  }
  return c;
}

/// The ratio of X − Y.
template <class AnyMatrix>
double difference(const AnyMatrix& x, const std::type_identity_t<AnyMatrix>& y, const dd_real& scale) {
  return ratio(AnyMatrix(x - y), scale);
}

/// ‖QᴴQ − I‖ in units of n · 2^-105.
template <class Derived>
double departure_from_unitary(const Eigen::MatrixBase<Derived>& expression) {
  using AnyMatrix = Eigen::Matrix<typename Derived::Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  const AnyMatrix q = expression, adjoint = q.adjoint();
  return difference(product(adjoint, q), AnyMatrix::Identity(q.cols(), q.cols()), dd_real(1));
}

template <class AnyMatrix>
AnyMatrix hermitian(Eigen::Index n) {
  AnyMatrix a = AnyMatrix::Random(n, n);
  return a + a.adjoint();
}

template <class AnyMatrix>
AnyMatrix positive_definite(Eigen::Index n) {
  AnyMatrix a = AnyMatrix::Random(n, n);
  return a * a.adjoint() + AnyMatrix::Identity(n, n);
}

inline Matrix hilbert(Eigen::Index n) {
  return Matrix::NullaryExpr(n, n, [](Eigen::Index i, Eigen::Index j) { return dd_real(1) / (i + j + 1); });
}

}  // namespace hilo::testing
