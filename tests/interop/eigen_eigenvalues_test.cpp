#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <vector>

#include "eigen_matrices.hpp"

namespace {

using namespace hilo::testing;
using hilo::dd_real;

template <class AnyMatrix>
class EigenHermitian : public ::testing::Test {};
using Scalars = ::testing::Types<Matrix, ComplexMatrix>;
TYPED_TEST_SUITE(EigenHermitian, Scalars);

TYPED_TEST(EigenHermitian, ValuesAndVectors) {
  for (int n : eigen_sizes) {
    TypeParam a = hermitian<TypeParam>(n);
    Eigen::SelfAdjointEigenSolver<TypeParam> solver(a);
    ASSERT_EQ(solver.info(), Eigen::Success);
    const TypeParam& v = solver.eigenvectors();
    EXPECT_LT(departure_from_unitary(v), 30) << n;
    EXPECT_LT(difference(product(a, v), v * solver.eigenvalues().asDiagonal(), a.norm()), 30) << n;
    for (int i = 0; i + 1 < n; ++i) EXPECT_LE(solver.eigenvalues()(i), solver.eigenvalues()(i + 1));
    // The values alone, and of a matrix far from 1.
    auto values = Eigen::SelfAdjointEigenSolver<TypeParam>(a, Eigen::EigenvaluesOnly).eigenvalues();
    EXPECT_LT(ratio(values - solver.eigenvalues(), a.norm()), 30) << n;
    dd_real far = 0x1p-700;
    values = Eigen::SelfAdjointEigenSolver<TypeParam>(a * far).eigenvalues();
    EXPECT_LT(ratio(values / far - solver.eigenvalues(), a.norm()), 30) << n;

    TypeParam b = positive_definite<TypeParam>(n);
    Eigen::GeneralizedSelfAdjointEigenSolver<TypeParam> pair(a, b);
    const TypeParam& w = pair.eigenvectors();
    dd_real scale = (a.norm() + b.norm() * pair.eigenvalues().norm()) * w.norm();
    EXPECT_LT(difference(product(a, w), product(b, w) * pair.eigenvalues().asDiagonal(), scale), 30) << n;
  }
}

// −u″ on n points: 2 − 2 cos(kπ/(n + 1)), the squares of twice the sine of half the angle.
TEST(EigenSymmetric, FindsKnownValuesFarBelowDoublePrecision) {
  // n = 5: 2 − √3, 1, 2, 3, 2 + √3.
  Matrix a = Matrix::Identity(5, 5) * dd_real(2);
  a.diagonal(1).setConstant(-1);
  a.diagonal(-1).setConstant(-1);
  Vector values = Eigen::SelfAdjointEigenSolver<Matrix>(a).eigenvalues(), want(5);
  want << 2 - sqrt(dd_real(3)), 1, 2, 3, 2 + sqrt(dd_real(3));
  EXPECT_LT(static_cast<double>((values - want).cwiseAbs().maxCoeff()), 1e-30);
}

TEST(EigenGeneral, ValuesAndVectors) {
  for (int n : eigen_sizes) {
    Matrix a = Matrix::Random(n, n);
    Eigen::EigenSolver<Matrix> solver(a);
    ASSERT_EQ(solver.info(), Eigen::Success);
    ComplexMatrix v = solver.eigenvectors();
    ComplexVector values = solver.eigenvalues();
    EXPECT_LT(difference(product<ComplexMatrix>(a.cast<Complex>(), v), v * values.asDiagonal(), a.norm() * v.norm()),
              30)
        << n;
    EXPECT_LT(static_cast<double>(abs(values.sum() - a.trace()) / a.norm()), 30 * n * 0x1p-105) << n;
    Matrix pseudo = solver.pseudoEigenvectors();
    EXPECT_LT(
        difference(product(a, pseudo), product(pseudo, solver.pseudoEigenvalueMatrix()), a.norm() * pseudo.norm()), 30)
        << n;
    if (n >= 10) {
      EXPECT_TRUE((values.imag().array() != dd_real(0)).any()) << n;
    }

    Eigen::RealSchur<Matrix> schur(a);
    EXPECT_LT(departure_from_unitary(schur.matrixU()), 30) << n;
    EXPECT_LT(difference(product(product(schur.matrixU(), schur.matrixT()), schur.matrixU().transpose()), a, a.norm()),
              30)
        << n;
  }
}

TEST(EigenGeneral, ValuesAndVectorsOfComplexMatrices) {
  for (int n : eigen_sizes) {
    ComplexMatrix a = ComplexMatrix::Random(n, n);
    Eigen::ComplexEigenSolver<ComplexMatrix> solver(a);
    ASSERT_EQ(solver.info(), Eigen::Success);
    const ComplexMatrix& v = solver.eigenvectors();
    EXPECT_LT(difference(product(a, v), v * solver.eigenvalues().asDiagonal(), a.norm() * v.norm()), 30) << n;
    EXPECT_LT(static_cast<double>(abs(solver.eigenvalues().sum() - a.trace()) / a.norm()), 30 * n * 0x1p-105) << n;
  }
}

TEST(EigenGeneral, SolvesPairsOfMatrices) {
  Matrix a = Matrix::Random(19, 19), b = Matrix::Random(19, 19);
  Eigen::GeneralizedEigenSolver<Matrix> solver(a, b);
  ComplexMatrix v = solver.eigenvectors();
  ComplexVector alphas = solver.alphas(), betas = solver.betas().cast<Complex>();
  dd_real scale = (a.norm() * betas.cwiseAbs().maxCoeff() + b.norm() * alphas.cwiseAbs().maxCoeff()) * v.norm();
  const ComplexMatrix left = product<ComplexMatrix>(a.cast<Complex>(), v) * betas.asDiagonal();
  const ComplexMatrix right = product<ComplexMatrix>(b.cast<Complex>(), v) * alphas.asDiagonal();
  EXPECT_LT(difference(left, right, scale), 30);
}

// The companion matrix of (x − 1)(x − 2) … (x − 10), whose coefficients are integers: with doubles five digits are
// wrong or more.
TEST(EigenGeneral, FindsRootsOfAPolynomial) {
  std::vector<dd_real> coefficients = {1};
  for (int root = 1; root <= 10; ++root) {
    coefficients.push_back(0);
    for (std::size_t i = coefficients.size() - 1; i > 0; --i) coefficients[i] -= root * coefficients[i - 1];
  }
  Matrix companion = Matrix::Zero(10, 10);
  companion.diagonal(-1).setOnes();
  for (int i = 0; i < 10; ++i) companion(0, i) = -coefficients[static_cast<std::size_t>(i + 1)];
  ComplexVector values = companion.eigenvalues();
  std::sort(values.begin(), values.end(), [](Complex x, Complex y) { return x.real() < y.real(); });
  for (int i = 0; i < 10; ++i) EXPECT_LT(static_cast<double>(abs(values(i) - Complex(i + 1))), 1e-20) << i;
  // A rotation by a right angle, whose values are ±i.
  Matrix turn(2, 2);
  turn << 0, -1, 1, 0;
  values = turn.eigenvalues();
  EXPECT_EQ(values(0).real(), dd_real(0));
  EXPECT_EQ(abs(values(0).imag()), dd_real(1));
  EXPECT_EQ(values(0), conj(values(1)));
}

}  // namespace
