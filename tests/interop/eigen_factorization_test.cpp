#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>

#include "eigen_matrices.hpp"

namespace {

using namespace hilo::testing;
using hilo::dd_real;

template <class AnyMatrix>
class EigenFactorization : public ::testing::Test {};
using Scalars = ::testing::Types<Matrix, ComplexMatrix>;
TYPED_TEST_SUITE(EigenFactorization, Scalars);

TYPED_TEST(EigenFactorization, Lu) {
  for (int n : eigen_sizes) {
    TypeParam a = TypeParam::Random(n, n), b = TypeParam::Random(n, 3);
    auto partial = a.partialPivLu();
    TypeParam x = partial.solve(b);
    EXPECT_LT(difference(product(a, x), b, a.norm() * x.norm()), 30) << n;
    auto full = a.fullPivLu();
    x = full.solve(b);
    EXPECT_LT(difference(product(a, x), b, a.norm() * x.norm()), 30) << n;
    EXPECT_EQ(full.rank(), n);
    TypeParam inverse = a.inverse();
    EXPECT_LT(difference(product(a, inverse), TypeParam::Identity(n, n), a.norm() * inverse.norm()), 30) << n;
    TypeParam factor = partial.matrixLU();
    TypeParam lower = factor.template triangularView<Eigen::UnitLower>();
    TypeParam upper = factor.template triangularView<Eigen::Upper>();
    EXPECT_LT(difference(product(lower, upper), partial.permutationP() * a, a.norm()), 30) << n;
    // A rank of n − 1, seen in spite of rounding.
    a.row(n - 1) = n == 1 ? a.row(0) * dd_real(0) : a.row(0) * dd_real(3);
    EXPECT_EQ(a.fullPivLu().rank(), n - 1);
  }
}

TYPED_TEST(EigenFactorization, Determinant) {
  for (int n : eigen_sizes) {
    // det(AB) = det(A) det(B) of matrices near the identity, whose determinants are as good as their entries.
    TypeParam a = TypeParam::Identity(n, n) + TypeParam::Random(n, n) / dd_real(2 * n);
    TypeParam b = TypeParam::Identity(n, n) + TypeParam::Random(n, n) / dd_real(2 * n);
    auto whole = product(a, b).determinant(), both = a.determinant() * b.determinant();
    EXPECT_LT(static_cast<double>(abs(whole - both) / abs(both)), 30 * n * 0x1p-105) << n;
  }
  Eigen::Matrix<dd_real, 3, 3> small;
  small << 1, 2, 3, 4, 5, 6, 7, 8, 10;
  EXPECT_EQ(small.determinant(), dd_real(-3));
}

TYPED_TEST(EigenFactorization, Cholesky) {
  for (int n : eigen_sizes) {
    TypeParam a = positive_definite<TypeParam>(n), b = TypeParam::Random(n, 2);
    Eigen::LLT<TypeParam> llt(a);
    ASSERT_EQ(llt.info(), Eigen::Success);
    TypeParam lower = llt.matrixL(), x = llt.solve(b);
    EXPECT_LT(difference(product(lower, lower.adjoint()), a, a.norm()), 30) << n;
    EXPECT_LT(difference(product(a, x), b, a.norm() * x.norm()), 30) << n;
    Eigen::LDLT<TypeParam> ldlt(a);
    ASSERT_EQ(ldlt.info(), Eigen::Success);
    EXPECT_TRUE(ldlt.isPositive());
    EXPECT_LT(difference<TypeParam>(ldlt.reconstructedMatrix(), a, a.norm()), 30) << n;
    x = ldlt.solve(b);
    EXPECT_LT(difference(product(a, x), b, a.norm() * x.norm()), 30) << n;
    EXPECT_EQ(TypeParam(-a).llt().info(), Eigen::NumericalIssue);
  }
}

template <class Factorization, class AnyMatrix>
void expect_qr(const Factorization& qr, const AnyMatrix& permuted) {
  Eigen::Index m = permuted.rows();
  AnyMatrix q = qr.householderQ() * AnyMatrix::Identity(m, m), r = qr.matrixQR();
  r = AnyMatrix(r.template triangularView<Eigen::Upper>());
  EXPECT_LT(departure_from_unitary(q), 30) << m;
  EXPECT_LT(difference(product(q, r), permuted, permuted.norm()), 30) << m;
}

TYPED_TEST(EigenFactorization, Qr) {
  for (int n : eigen_sizes) {
    TypeParam a = TypeParam::Random(n + 5, n), b = TypeParam::Random(n + 5, 2);
    auto plain = a.householderQr();
    expect_qr(plain, a);
    auto pivoted = a.colPivHouseholderQr();
    expect_qr(pivoted, (a * pivoted.colsPermutation()).eval());
    EXPECT_EQ(pivoted.rank(), n);
    auto full = a.fullPivHouseholderQr();
    EXPECT_EQ(full.rank(), n);
    auto orthogonal = a.completeOrthogonalDecomposition();
    // The residual of a least squares solution is orthogonal to the columns.
    TypeParam solutions[] = {plain.solve(b), pivoted.solve(b), full.solve(b), orthogonal.solve(b)};
    for (const TypeParam& x : solutions) {
      const TypeParam residual = product(a, x) - b;
      EXPECT_LT(ratio(product<TypeParam>(a.adjoint(), residual), a.norm() * (a.norm() * x.norm() + b.norm())), 30) << n;
    }
  }
}

// cond(H) = 1.6e13: with doubles not three digits are right.
TEST(EigenHilbert, IsSolvedFarBelowDoublePrecision) {
  Matrix a = hilbert(10);
  Vector ones = Vector::Ones(10), b = a * ones;
  auto error = [&](const Vector& x) { return static_cast<double>((x - ones).cwiseAbs().maxCoeff()); };
  EXPECT_LT(error(a.partialPivLu().solve(b)), 1e-18);
  EXPECT_LT(error(a.fullPivLu().solve(b)), 1e-18);
  EXPECT_LT(error(a.llt().solve(b)), 1e-18);
  EXPECT_LT(error(a.ldlt().solve(b)), 1e-18);
  EXPECT_LT(error(a.householderQr().solve(b)), 1e-18);
  EXPECT_LT(error(a.colPivHouseholderQr().solve(b)), 1e-18);
  // 1/det(H) is an integer: 46206893947914691316295628839036278726983680000000000.
  dd_real determinant = dd_real(1) / a.determinant();
  EXPECT_LT(
      static_cast<double>(abs(determinant / hilo::parse("46206893947914691316295628839036278726983680000000000") - 1)),
      1e-18);
}

}  // namespace
