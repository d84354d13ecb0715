#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>

#include "eigen_matrices.hpp"

namespace {

using namespace hilo::testing;
using hilo::dd_real;

constexpr unsigned thin = Eigen::ComputeThinU | Eigen::ComputeThinV;

// The cosine and sine of a rotation lie 0.9u² inside the unit circle on average, which the many rotations of Jacobi's
// method add up: U of 40 × 40 departs by 35 units.
template <template <class> class Svd, class AnyMatrix>
void expect_svd(const AnyMatrix& a) {
  Svd<AnyMatrix> svd(a, thin);
  auto values = svd.singularValues();
  EXPECT_LT(departure_from_unitary(svd.matrixU()), 60) << a.rows() << " x " << a.cols();
  EXPECT_LT(departure_from_unitary(svd.matrixV()), 60) << a.rows() << " x " << a.cols();
  const AnyMatrix scaled = svd.matrixU() * values.asDiagonal();
  EXPECT_LT(difference(product(scaled, svd.matrixV().adjoint()), a, a.norm()), 30) << a.rows() << " x " << a.cols();
  for (Eigen::Index i = 0; i + 1 < values.size(); ++i) EXPECT_GE(values(i), values(i + 1));
  EXPECT_GE(values(values.size() - 1), dd_real(0));
}

template <class AnyMatrix>
using Jacobi = Eigen::JacobiSVD<AnyMatrix>;
template <class AnyMatrix>
using DivideAndConquer = Eigen::BDCSVD<AnyMatrix>;

template <template <class> class Svd, class AnyMatrix>
void expect_all() {
  for (int n : eigen_sizes) {
    AnyMatrix tall = AnyMatrix::Random(n + 6, n);
    expect_svd<Svd, AnyMatrix>(AnyMatrix::Random(n, n));
    expect_svd<Svd>(tall);
    expect_svd<Svd, AnyMatrix>(tall.adjoint());
  }
  // Equal, tiny and graded singular values.
  AnyMatrix low = product<AnyMatrix>(AnyMatrix::Random(20, 3), AnyMatrix::Random(3, 20)),
            graded = AnyMatrix::Random(24, 24);
  for (int j = 0; j < 24; ++j) graded.col(j) *= dd_real(std::ldexp(1.0, -6 * j));
  expect_svd<Svd>(low);
  expect_svd<Svd>(graded);
  EXPECT_EQ(Svd<AnyMatrix>(low, thin).rank(), 3);
}

TEST(EigenSvd, ByJacobiRotations) { expect_all<Jacobi, Matrix>(); }
TEST(EigenSvd, ByJacobiRotationsOfComplexNumbers) { expect_all<Jacobi, ComplexMatrix>(); }
TEST(EigenSvd, ByDivideAndConquer) { expect_all<DivideAndConquer, Matrix>(); }

// cond(H) = 1.6e13: with doubles not three digits are right.
TEST(EigenSvd, SolvesFarBelowDoublePrecision) {
  Matrix a = hilbert(10);
  Vector ones = Vector::Ones(10), b = a * ones;
  auto error = [&](const Vector& x) { return static_cast<double>((x - ones).cwiseAbs().maxCoeff()); };
  EXPECT_LT(error(Jacobi<Matrix>(a, thin).solve(b)), 1e-18);
  EXPECT_LT(error(DivideAndConquer<Matrix>(a, thin).solve(b)), 1e-18);
}

}  // namespace
