// Eigen's LU, Cholesky and QR with hilo's engines: they are getrf, potrf and geqrf.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <hilo/interop/eigen_products.hpp>
#include <hilo/lapack.hpp>

#include "eigen_matrices.hpp"

namespace {

using namespace hilo::testing;
using Eigen::Index;
using hilo::dd_real;

template <class Scalar, int Order>
struct Kind {
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Order>;
  static hilo::MatrixView<hilo::detail::EigenElement<Scalar>> view(Matrix& a) {
    return hilo::detail::eigen_result(a).view();
  }
};

template <class K>
class EigenFactorisations : public ::testing::Test {};
using Kinds = ::testing::Types<Kind<dd_real, Eigen::RowMajor>, Kind<Complex, Eigen::ColMajor>>;
TYPED_TEST_SUITE(EigenFactorisations, Kinds);

TYPED_TEST(EigenFactorisations, OfSquareMatricesAreGetrf) {
  using M = typename TypeParam::Matrix;
  for (Index n : {32, 90}) {
    M a = M::Random(n, n);
    const Eigen::PartialPivLU<M> lu(a);
    std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
    ASSERT_EQ(hilo::getrf(TypeParam::view(a), pivots), 0);
    EXPECT_TRUE(lu.matrixLU() == a) << n;
    Eigen::Transpositions<Eigen::Dynamic> exchanges(n);
    Index exchanged = 0;
    for (Index i = 0; i < n; ++i) {
      exchanges[i] = static_cast<int>(pivots[static_cast<std::size_t>(i)] - 1);
      exchanged += exchanges[i] != i;
    }
    EXPECT_TRUE(lu.permutationP().indices() == typename Eigen::PartialPivLU<M>::PermutationType(exchanges).indices());
    EXPECT_TRUE(lu.determinant() == typename M::Scalar(exchanged % 2 == 0 ? 1 : -1) * a.diagonal().prod());
  }
}

TYPED_TEST(EigenFactorisations, OfPositiveDefiniteMatricesArePotrf) {
  using M = typename TypeParam::Matrix;
  const M root = M::Random(70, 70), a = root * root.adjoint() + M::Identity(70, 70);
  M lower = a, upper = a;
  ASSERT_EQ(hilo::potrf(hilo::Uplo::lower, TypeParam::view(lower)), 0);
  ASSERT_EQ(hilo::potrf(hilo::Uplo::lower, TypeParam::view(upper).turned(hilo::Op::transpose)), 0);
  EXPECT_TRUE((Eigen::LLT<M, Eigen::Lower>(a).matrixLLT()) == lower);
  EXPECT_TRUE((Eigen::LLT<M, Eigen::Upper>(a).matrixLLT()) == upper);
  M indefinite = a;
  indefinite(50, 50) = typename M::Scalar(-1);
  EXPECT_EQ((Eigen::LLT<M>(indefinite).info()), Eigen::NumericalIssue);
}

TYPED_TEST(EigenFactorisations, OfAnyShapeAreGeqrf) {
  using M = typename TypeParam::Matrix;
  using Element = hilo::detail::EigenElement<typename M::Scalar>;
  for (const auto& [rows, columns] : {std::pair<Index, Index>{80, 80}, {90, 40}, {40, 90}}) {
    M a = M::Random(rows, columns);
    const Eigen::HouseholderQR<M> qr(a);
    std::vector<Element> tau(static_cast<std::size_t>(std::min(rows, columns)));
    hilo::geqrf(TypeParam::view(a), tau);
    EXPECT_TRUE(qr.matrixQR() == a) << rows;
    for (std::size_t i = 0; i < tau.size(); ++i) {
      EXPECT_TRUE(Element(qr.hCoeffs()(static_cast<Index>(i))) == conj(tau[i])) << i;
    }
  }
}

TEST(EigenFactorisationsInPlace, LeaveWhatLiesBeside) {
  Matrix large = Matrix::Random(120, 100);
  const Matrix before = large;
  Eigen::Ref<Matrix> part = large.block(10, 20, 60, 60);
  const Eigen::PartialPivLU<Eigen::Ref<Matrix>> lu(part);
  Matrix own = before.block(10, 20, 60, 60);
  std::vector<std::int64_t> pivots(60);
  ASSERT_EQ(hilo::getrf(Kind<dd_real, Eigen::ColMajor>::view(own), pivots), 0);
  EXPECT_TRUE(large.block(10, 20, 60, 60) == own);
  large.block(10, 20, 60, 60) = before.block(10, 20, 60, 60);
  EXPECT_TRUE(large == before);
}

TEST(EigenFactorisationsOfSingular, KeepColumnsOfZeros) {
  Matrix a = Matrix::Random(64, 64);
  a.col(40).setZero();
  const Eigen::PartialPivLU<Matrix> lu(a);
  EXPECT_EQ(lu.determinant(), 0);
  EXPECT_LT(ratio(lu.reconstructedMatrix() - a, a.norm()), 30);
  EXPECT_EQ(Eigen::LLT<Matrix>(-positive_definite<Matrix>(40)).info(), Eigen::NumericalIssue);
}

TEST(EigenFactorisationEngines, AreEigensWithoutEngines) {
  const Matrix a = Matrix::Random(100, 100);
  hilo::use_engines_in_eigen(false);
  const Matrix by_loops = Eigen::PartialPivLU<Matrix>(a).matrixLU();
  hilo::use_engines_in_eigen();
  const Matrix by_engines = Eigen::PartialPivLU<Matrix>(a).matrixLU();
  EXPECT_FALSE(by_loops == by_engines);
  EXPECT_LT(ratio(by_loops - by_engines, by_engines.norm()), 1e4);
}

}  // namespace
