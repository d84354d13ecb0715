#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "eigen_matrices.hpp"

namespace {

using namespace hilo::testing;
using Eigen::Index;
using hilo::dd_real;
using RowMatrix = Eigen::Matrix<dd_real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Around the panels of 8, 4, 2 and 1 rows, those of 32 of a matrix and a vector, and Eigen's blocks.
constexpr Index edges[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 31, 33, 40, 70};

// Σ a(i, k) b(k, j) and Σ |a(i, k)| |b(k, j)|, entry by entry: the oracle.
struct Reference {
  Matrix product, magnitudes;
  Reference(const Matrix& a, const Matrix& b) : product(a.rows(), b.cols()), magnitudes(a.rows(), b.cols()) {
    for (Index i = 0; i < a.rows(); ++i) {
      for (Index j = 0; j < b.cols(); ++j) {
        dd_real sum = 0, magnitude = 0;
        for (Index k = 0; k < a.cols(); ++k) {
          sum += a(i, k) * b(k, j);
          magnitude += abs(a(i, k) * b(k, j));
        }
        product(i, j) = sum;
        magnitudes(i, j) = magnitude;
      }
    }
  }
};

// Two sums of k terms differ by at most 2 · 8k u² of the magnitudes.
void expect_near(const Matrix& got, const Matrix& want, const Matrix& magnitudes, Index k) {
  ASSERT_EQ(got.rows(), want.rows());
  ASSERT_EQ(got.cols(), want.cols());
  for (Index i = 0; i < got.rows(); ++i) {
    for (Index j = 0; j < got.cols(); ++j) {
      double allowed = static_cast<double>(16 * (k + 2)) * 0x1p-106 * static_cast<double>(magnitudes(i, j));
      ASSERT_LE(static_cast<double>(abs(got(i, j) - want(i, j))), allowed)
          << got.rows() << " x " << got.cols() << " x " << k << " at " << i << ", " << j;
    }
  }
}

TEST(EigenProduct, IsRightForAllEdgesAndLayouts) {
  for (Index m : edges) {
    for (Index n : edges) {
      for (Index k : {Index(1), Index(6), m == 70 ? Index(300) : Index(25)}) {
        Matrix a = Matrix::Random(m, k), b = Matrix::Random(k, n), c = Matrix::Random(m, n);
        Reference want(a, b);
        RowMatrix row_a = a, row_b = b;
        auto expect = [&](const Matrix& got) { expect_near(got, want.product, want.magnitudes, k); };
        expect(a * b);
        expect(row_a * row_b);
        expect(a * row_b);
        RowMatrix by_rows = row_a * b;
        expect(by_rows);
        Matrix transposed = b.transpose() * a.transpose();
        expect(transposed.transpose());
        // With a factor, added to and subtracted from what is there, and in a part of a larger matrix.
        dd_real alpha = dd_real(1) / 3;
        Matrix sum = c;
        sum.noalias() += alpha * a * b;
        expect_near(sum, c + alpha * want.product, c.cwiseAbs() + want.magnitudes, k);
        Matrix large = Matrix::Zero(m + 3, n + 2);
        large.block(2, 1, m, n).noalias() -= a * b;
        expect(-large.block(2, 1, m, n));
        EXPECT_EQ(large.row(0).cwiseAbs().sum() + large.row(m + 2).cwiseAbs().sum(), dd_real(0));
        EXPECT_EQ(large.col(0).cwiseAbs().sum() + large.col(n + 1).cwiseAbs().sum(), dd_real(0));
      }
    }
  }
}

TEST(EigenProduct, IsRightForVectors) {
  for (Index m : edges) {
    for (Index n : edges) {
      Matrix a = Matrix::Random(m, n);
      Vector x = Vector::Random(n), y = Vector::Random(m);
      Matrix row = Matrix::Random(1, n);
      RowMatrix row_a = a;
      Reference want(a, x), transposed(a.transpose(), y);
      expect_near(a * x, want.product, want.magnitudes, n);
      expect_near(row_a * x, want.product, want.magnitudes, n);
      expect_near(a.transpose() * y, transposed.product, transposed.magnitudes, m);
      expect_near((y.transpose() * row_a).transpose(), transposed.product, transposed.magnitudes, m);
      // Strides: a row of a matrix as x, and a row of a matrix as the result.
      Matrix rows = Matrix::Random(3, n), results = Matrix::Zero(3, m);
      rows.row(1) = x.transpose();
      results.row(2).noalias() += (a * rows.row(1).transpose()).transpose();
      expect_near(results.row(2).transpose(), want.product, want.magnitudes, n);
      results.row(0).transpose().noalias() -= row_a * rows.row(1).transpose();
      expect_near(-results.row(0).transpose(), want.product, want.magnitudes, n);
    }
  }
}

TEST(EigenProduct, IsRightForSymmetricMatrices) {
  for (Index n : edges) {
    Matrix a = hermitian<Matrix>(n), b = Matrix::Random(n, 13), wide = Matrix::Random(13, n);
    RowMatrix row_a = a;
    // The other triangle is not read.
    Matrix lower = a, upper = a;
    RowMatrix row_lower = a;
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < j; ++i) lower(i, j) = upper(j, i) = row_lower(i, j) = dd_real(1e10);
    }
    Reference want(a, b), left(wide, a);
    expect_near(lower.selfadjointView<Eigen::Lower>() * b, want.product, want.magnitudes, n);
    expect_near(upper.selfadjointView<Eigen::Upper>() * b, want.product, want.magnitudes, n);
    expect_near(row_lower.selfadjointView<Eigen::Lower>() * b, want.product, want.magnitudes, n);
    expect_near(wide * lower.selfadjointView<Eigen::Lower>(), left.product, left.magnitudes, n);
    expect_near(Vector(lower.selfadjointView<Eigen::Lower>() * b.col(0)), want.product.col(0), want.magnitudes.col(0),
                n);

    Matrix square = Matrix::Zero(n, n);
    square.selfadjointView<Eigen::Lower>().rankUpdate(b);
    square = Matrix(square.selfadjointView<Eigen::Lower>());
    Reference rank(b, b.transpose());
    expect_near(square, rank.product, rank.magnitudes, 13);
    square.setZero();
    square.selfadjointView<Eigen::Upper>().rankUpdate(b);
    square = Matrix(square.selfadjointView<Eigen::Upper>());
    expect_near(square, rank.product, rank.magnitudes, 13);
  }
}

TEST(EigenProduct, IsRightForTriangularMatrices) {
  for (Index n : edges) {
    Matrix a = Matrix::Random(n, n), b = Matrix::Random(n, 13), wide = Matrix::Random(13, n);
    Matrix lower = a.triangularView<Eigen::Lower>(), upper = a.triangularView<Eigen::Upper>();
    Reference low(lower, b), up(upper, b), left(wide, lower);
    expect_near(a.triangularView<Eigen::Lower>() * b, low.product, low.magnitudes, n);
    expect_near(a.triangularView<Eigen::Upper>() * b, up.product, up.magnitudes, n);
    expect_near(wide * a.triangularView<Eigen::Lower>(), left.product, left.magnitudes, n);
    expect_near(Vector(a.triangularView<Eigen::Lower>() * b.col(1)), low.product.col(1), low.magnitudes.col(1), n);

    // Solving gives back what was multiplied, near the identity where nothing grows.
    Matrix near_one = Matrix::Identity(n, n) + a / dd_real(4 * n);
    RowMatrix row_near_one = near_one;
    auto expect_inverse = [&](const Matrix& got, const Matrix& want) {
      EXPECT_LT(ratio(got - want, want.norm()), 30) << n;
    };
    Matrix x = near_one.triangularView<Eigen::Lower>() * b;
    near_one.triangularView<Eigen::Lower>().solveInPlace(x);
    expect_inverse(x, b);
    x = near_one.triangularView<Eigen::UnitUpper>() * b;
    row_near_one.triangularView<Eigen::UnitUpper>().solveInPlace(x);
    expect_inverse(x, b);
    Matrix y = wide * near_one.triangularView<Eigen::Upper>();
    near_one.triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(y);
    expect_inverse(y, wide);
    y = wide * near_one.triangularView<Eigen::Lower>();
    row_near_one.triangularView<Eigen::Lower>().solveInPlace<Eigen::OnTheRight>(y);
    expect_inverse(y, wide);
    Vector v = near_one.triangularView<Eigen::Lower>() * b.col(0);
    near_one.triangularView<Eigen::Lower>().solveInPlace(v);
    expect_inverse(v, b.col(0));
  }
}

TEST(EigenProduct, IsRightForFixedSizes) {
  using Small = Eigen::Matrix<dd_real, 3, 4>;
  Small a = Small::Random();
  Eigen::Matrix<dd_real, 4, 2> b = Eigen::Matrix<dd_real, 4, 2>::Random();
  Reference want(a, b);
  expect_near(a * b, want.product, want.magnitudes, 4);
  Eigen::Matrix<dd_real, 3, 1> x(1, 2, 3), y(4, 5, 6);
  EXPECT_EQ(x.dot(y), dd_real(32));
  EXPECT_EQ(x.cross(y), (Eigen::Matrix<dd_real, 3, 1>(-3, 6, -3)));
}

TEST(EigenProduct, SpreadsNaN) {
  Matrix a = Matrix::Random(20, 20), b = Matrix::Random(20, 20);
  a(3, 7) = std::numeric_limits<dd_real>::quiet_NaN();
  b(5, 6) = std::numeric_limits<dd_real>::infinity();
  Matrix c = a * b;
  for (Index i = 0; i < 20; ++i) {
    for (Index j = 0; j < 20; ++j) {
      EXPECT_EQ(isnan(c(i, j)), i == 3) << i << ", " << j;
      EXPECT_EQ(isinf(c(i, j)), i != 3 && j == 6) << i << ", " << j;
    }
  }
}

}  // namespace
