// MPLAPACK's BLAS of complex numbers, as its programs call it, against loops of QD's numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "mplapack_complex.hpp"

namespace {

using namespace mplapack_test;

constexpr mplapackint n = 37;
const dd_complex alpha(0.75, -1.25), beta(-0.5, 2.0), one = 1.0, zero = 0.0;

TEST(MplapackComplexBlas, MultipliesMatrices) {
  const mplapackint m = 9, k = 21;
  for (const char a_is : {'N', 'T', 'C'}) {
    for (const char b_is : {'N', 'T', 'C'}) {
      Matrix a = a_is == 'N' ? random(m, k) : random(k, m), b = b_is == 'N' ? random(k, n) : random(n, k);
      Matrix c = random(m, n);
      const Matrix want = alpha * (op(a_is, a) * op(b_is, b)) + beta * c;
      Cgemm(std::string(1, a_is).c_str(), std::string(1, b_is).c_str(), m, n, k, alpha, a.data(), a.rows, b.data(),
            b.rows, beta, c.data(), m);
      expect_near(c, want, 8, "Cgemm");
    }
    Matrix a = random(m, k), x = random(a_is == 'N' ? k : m, 1), y = random(a_is == 'N' ? m : k, 1);
    const Matrix want = alpha * (op(a_is, a) * x) + beta * y;
    Cgemv(std::string(1, a_is).c_str(), m, k, alpha, a.data(), m, x.data(), 1, beta, y.data(), 1);
    expect_near(y, want, 8, "Cgemv");
  }
}

TEST(MplapackComplexBlas, MultipliesSymmetricAndHermitianMatrices) {
  const mplapackint m = 11;
  for (const char uplo : {'U', 'L'}) {
    const std::string triangle(1, uplo);
    for (const char side : {'L', 'R'}) {
      Matrix a = side == 'L' ? random(m, m) : random(n, n), b = random(m, n), c = random(m, n), d = c;
      const auto want = [&](char kind) {
        const Matrix whole = by_triangle(kind, uplo, a);
        return alpha * (side == 'L' ? whole * b : b * whole) + beta * d;
      };
      const Matrix of_symmetric = want('S'), of_hermitian = want('H');
      const std::string from(1, side);
      Csymm(from.c_str(), triangle.c_str(), m, n, alpha, a.data(), a.rows, b.data(), m, beta, c.data(), m);
      expect_near(c, of_symmetric, 8, "Csymm");
      Chemm(from.c_str(), triangle.c_str(), m, n, alpha, a.data(), a.rows, b.data(), m, beta, d.data(), m);
      expect_near(d, of_hermitian, 8, "Chemm");
    }
    for (const bool is_turned : {false, true}) {
      const Matrix a = is_turned ? random(m, n) : random(n, m), b = is_turned ? random(m, n) : random(n, m);
      Matrix x = a, y = b;
      const auto check = [&](char kind, const Matrix& sum, const auto& scaled, auto update, const char* what) {
        Matrix c = by_triangle(kind, uplo, random(n, n));
        const Matrix want = by_triangle('T', uplo, sum + dd_complex(scaled) * c);
        update(c);
        expect_near(by_triangle('T', uplo, c), want, 8, what);
      };
      const Matrix xs = is_turned ? op('T', a) : a, ys = is_turned ? op('T', b) : b;
      const Matrix xh = is_turned ? op('C', a) : a, yh = is_turned ? op('C', b) : b;
      const char *t = is_turned ? "T" : "N", *c_or_n = is_turned ? "C" : "N", *u = triangle.c_str();
      const dd_real real_alpha = 0.75, real_beta = -0.5;
      check(
          'S', alpha * (xs * op('T', xs)), beta,
          [&](Matrix& c) { Csyrk(u, t, n, m, alpha, x.data(), x.rows, beta, c.data(), n); }, "Csyrk");
      check(
          'S', alpha * (xs * op('T', ys) + ys * op('T', xs)), beta,
          [&](Matrix& c) { Csyr2k(u, t, n, m, alpha, x.data(), x.rows, y.data(), y.rows, beta, c.data(), n); },
          "Csyr2k");
      check(
          'H', dd_complex(real_alpha) * (xh * op('C', xh)), real_beta,
          [&](Matrix& c) { Cherk(u, c_or_n, n, m, real_alpha, x.data(), x.rows, real_beta, c.data(), n); }, "Cherk");
      check(
          'H', alpha * (xh * op('C', yh)) + conj(alpha) * (yh * op('C', xh)), real_beta,
          [&](Matrix& c) {
            Cher2k(u, c_or_n, n, m, alpha, x.data(), x.rows, y.data(), y.rows, real_beta, c.data(), n);
          },
          "Cher2k");
    }
  }
}

TEST(MplapackComplexBlas, MultipliesAndSolvesTriangles) {
  Matrix a = random(n, n), b = random(n, 5);
  for (mplapackint i = 0; i < n; ++i) a(i, i) = a(i, i) + dd_complex(static_cast<double>(n));
  for (const char uplo : {'U', 'L'}) {
    for (const char trans : {'N', 'T', 'C'}) {
      const char u[] = {uplo, 0}, t[] = {trans, 0};
      Matrix x = b;
      Ctrmm("L", u, t, "N", n, 5, alpha, a.data(), n, x.data(), n);
      expect_near(x, alpha * (op(trans, by_triangle('T', uplo, a)) * b), 8, "Ctrmm");
      x = b;
      Ctrsm("L", u, t, "N", n, 5, alpha, a.data(), n, x.data(), n);
      expect_near(op(trans, by_triangle('T', uplo, a)) * x, alpha * b, 8, "Ctrsm");
    }
  }
}

TEST(MplapackComplexBlas, MultipliesVectors) {
  for (const char uplo : {'U', 'L'}) {
    const char u[] = {uplo, 0};
    Matrix a = random(n, n), x = random(n, 1), y = random(n, 1);
    const Matrix of_hermitian = alpha * (by_triangle('H', uplo, a) * x) + beta * y;
    Chemv(u, n, alpha, a.data(), n, x.data(), 1, beta, y.data(), 1);
    expect_near(y, of_hermitian, 8, "Chemv");
    for (mplapackint i = 0; i < n; ++i) a(i, i) = a(i, i) + dd_complex(static_cast<double>(n));
    for (const char trans : {'N', 'T', 'C'}) {
      const char t[] = {trans, 0};
      const Matrix triangle = op(trans, by_triangle('T', uplo, a));
      Matrix z = x;
      Ctrmv(u, t, "N", n, a.data(), n, z.data(), 1);
      expect_near(z, triangle * x, 8, "Ctrmv");
      z = x;
      Ctrsv(u, t, "N", n, a.data(), n, z.data(), 1);
      expect_near(triangle * z, x, 8, "Ctrsv");
    }
    const Matrix c = by_triangle('H', uplo, random(n, n));
    Matrix by_one = c, by_two = c;
    Cher(u, n, 0.75, x.data(), 1, by_one.data(), n);
    expect_near(by_triangle('T', uplo, by_one), by_triangle('T', uplo, c + dd_complex(0.75) * (x * op('C', x))), 8,
                "Cher");
    Cher2(u, n, alpha, x.data(), 1, y.data(), 1, by_two.data(), n);
    const Matrix sum = alpha * (x * op('C', y)) + conj(alpha) * (y * op('C', x));
    expect_near(by_triangle('T', uplo, by_two), by_triangle('T', uplo, c + sum), 8, "Cher2");
  }
}

TEST(MplapackComplexBlas, ComputesOnVectors) {
  std::vector<dd_complex> x = {{3.0, 4.0}, {0.0, -2.0}, {1.0, 1.0}}, y = {{1.0, 0.0}, {0.0, 1.0}, {2.0, 0.0}};
  EXPECT_EQ(Cdotc(3, x.data(), 1, y.data(), 1), dd_complex(3.0 - 2.0 + 2.0, -4.0 - 2.0));
  EXPECT_EQ(Cdotu(3, x.data(), 1, y.data(), 1), dd_complex(3.0 + 2.0 + 2.0, 4.0 + 2.0));
  EXPECT_EQ(Cdotu(2, x.data(), -2, y.data(), 1), dd_complex(1.0 - 4.0, 1.0 + 3.0));
  EXPECT_EQ(Cdotc(2, x.data(), 0, y.data(), 1), dd_complex(3.0 + 4.0, -4.0 + 3.0));  // one element twice
  EXPECT_EQ(Cdotc(0, x.data(), 1, y.data(), 1), zero);
  EXPECT_EQ(RCnrm2(1, x.data(), 1), dd_real(5.0));
  EXPECT_EQ(RCasum(3, x.data(), 1), dd_real(11.0));
  EXPECT_EQ(iCamax(3, x.data(), 1), 1);
  EXPECT_EQ(iCamax(0, x.data(), 1), 0);
  Caxpy(3, dd_complex(0.0, 1.0), x.data(), 1, y.data(), 1);
  EXPECT_EQ(y, (std::vector<dd_complex>{{-3.0, 3.0}, {2.0, 1.0}, {1.0, 1.0}}));
  Cscal(2, dd_complex(0.0, 1.0), y.data(), 2);
  EXPECT_EQ(y, (std::vector<dd_complex>{{-3.0, -3.0}, {2.0, 1.0}, {-1.0, 1.0}}));
  CRscal(3, 2.0, y.data(), 1);
  EXPECT_EQ(y[0], dd_complex(-6.0, -6.0));
  Cswap(1, x.data(), 1, y.data(), 1);
  EXPECT_EQ(x[0], dd_complex(-6.0, -6.0));
  Ccopy(3, x.data(), 0, y.data(), 1);
  EXPECT_EQ(y, std::vector<dd_complex>(3, dd_complex(-6.0, -6.0)));
  CRrot(1, x.data(), 1, y.data() + 1, 1, 0.0, 1.0);
  EXPECT_EQ(x[0], dd_complex(-6.0, -6.0));
  EXPECT_EQ(y[1], dd_complex(6.0, 6.0));
  Matrix a(2, 2), b(2, 2);
  std::vector<dd_complex> u = {{0.0, 1.0}, 1.0};
  Cgerc(2, 2, one, u.data(), 1, u.data(), 1, a.data(), 2);
  EXPECT_EQ(a.entries, (std::vector<dd_complex>{1.0, {0.0, -1.0}, {0.0, 1.0}, 1.0}));
  Cgeru(2, 2, one, u.data(), 1, u.data(), 1, b.data(), 2);
  EXPECT_EQ(b.entries, (std::vector<dd_complex>{-1.0, {0.0, 1.0}, {0.0, 1.0}, 1.0}));
}

}  // namespace
