// A program as it is written for MPLAPACK with complex numbers, against loops of QD's numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "mplapack_declarations.hpp"

namespace {

std::vector<std::pair<std::string, int>> complaints;

// Column by column.
struct Matrix {
  mplapackint rows, columns;
  std::vector<dd_complex> entries;

  Matrix(mplapackint m, mplapackint n) : rows(m), columns(n), entries(static_cast<std::size_t>(m * n)) {}
  dd_complex& operator()(mplapackint i, mplapackint j) { return entries[static_cast<std::size_t>(i + j * rows)]; }
  const dd_complex& operator()(mplapackint i, mplapackint j) const {
    return entries[static_cast<std::size_t>(i + j * rows)];
  }
  dd_complex* data() { return entries.data(); }
};

Matrix random(mplapackint m, mplapackint n) {
  static std::uint64_t state = 1;
  auto uniform = [] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(static_cast<std::int64_t>(state) >> 11) * 0x1p-52;
  };
  auto number = [&] { return dd_real(uniform()) + uniform() * 0x1p-54; };
  Matrix a(m, n);
  for (dd_complex& e : a.entries) {
    const dd_real re = number(), im = number();
    e = {re, im};
  }
  return a;
}

Matrix op(char which, const Matrix& a) {
  if (which == 'N') return a;
  Matrix b(a.columns, a.rows);
  for (mplapackint j = 0; j < b.columns; ++j) {
    for (mplapackint i = 0; i < b.rows; ++i) b(i, j) = which == 'T' ? a(j, i) : conj(a(j, i));
  }
  return b;
}

Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix c(a.rows, b.columns);
  for (mplapackint j = 0; j < c.columns; ++j) {
    for (mplapackint k = 0; k < a.columns; ++k) {
      for (mplapackint i = 0; i < c.rows; ++i) c(i, j) = c(i, j) + a(i, k) * b(k, j);
    }
  }
  return c;
}
Matrix operator*(const dd_complex& alpha, Matrix a) {
  for (dd_complex& e : a.entries) e = alpha * e;
  return a;
}
Matrix operator+(Matrix a, const Matrix& b) {
  for (std::size_t i = 0; i < a.entries.size(); ++i) a.entries[i] = a.entries[i] + b.entries[i];
  return a;
}
Matrix operator-(const Matrix& a, const Matrix& b) { return a + dd_complex(-1.0) * b; }

Matrix identity(mplapackint n) {
  Matrix a(n, n);
  for (mplapackint i = 0; i < n; ++i) a(i, i) = 1.0;
  return a;
}

// Of that kind, of all of whose entries one triangle is a's: 'S' symmetric, 'H' Hermitian, 'T' the triangle alone.
Matrix by_triangle(char kind, char uplo, const Matrix& a) {
  Matrix b = a;
  for (mplapackint j = 0; j < a.columns; ++j) {
    for (mplapackint i = 0; i < a.rows; ++i) {
      if (i == j && kind == 'H') b(i, i) = a(i, i).real();
      if (uplo == 'U' ? i > j : i < j) b(i, j) = kind == 'S' ? a(j, i) : kind == 'H' ? conj(a(j, i)) : dd_complex();
    }
  }
  return b;
}

Matrix positive(mplapackint n) {
  const Matrix a = random(n, n);
  return a * op('C', a) + identity(n);
}

double largest(const Matrix& a) {
  dd_real most = 0.0;
  for (const dd_complex& e : a.entries) most = std::max(most, std::max(abs(e.real()), abs(e.imag())));
  return to_double(most);
}

void expect_near(const Matrix& a, const Matrix& b, double units, const char* what) {
  const double scale = std::max(largest(b), 1.0) * static_cast<double>(std::max(a.rows, a.columns)) * 0x1p-104;
  EXPECT_LT(largest(a - b), units * scale) << what;
}

constexpr mplapackint n = 37;
const dd_complex alpha(0.75, -1.25), beta(-0.5, 2.0), one = 1.0, zero = 0.0;

TEST(MplapackComplex, MultipliesMatrices) {
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

TEST(MplapackComplex, MultipliesSymmetricAndHermitianMatrices) {
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

TEST(MplapackComplex, MultipliesAndSolvesTriangles) {
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

TEST(MplapackComplex, SolvesByLuAndCholesky) {
  const Matrix a = random(n, n), b = random(n, 3);
  Matrix lu = a, x = b;
  std::vector<mplapackint> pivots(n);
  mplapackint info = 1;
  Cgesv(n, 3, lu.data(), n, pivots.data(), x.data(), n, info);
  EXPECT_EQ(info, 0);
  expect_near(a * x, b, 100 * largest(x), "Cgesv");
  lu = a;
  Cgetrf(n, n, lu.data(), n, pivots.data(), info);
  for (const char trans : {'N', 'T', 'C'}) {
    x = b;
    Cgetrs(std::string(1, trans).c_str(), n, 3, lu.data(), n, pivots.data(), x.data(), n, info);
    EXPECT_EQ(info, 0);
    expect_near(op(trans, a) * x, b, 100 * largest(x), "Cgetrs");
  }
  Matrix singular(n, n);
  Cgetrf(n, n, singular.data(), n, pivots.data(), info);
  EXPECT_EQ(info, 1);

  const Matrix p = positive(n);
  for (const char* uplo : {"U", "Lower"}) {
    Matrix factor = by_triangle('T', *uplo, p), y = b, z = b, same = factor;
    Cpotrf(uplo, n, factor.data(), n, info);
    EXPECT_EQ(info, 0);
    const Matrix triangle = by_triangle('T', *uplo, factor);
    expect_near(*uplo == 'U' ? op('C', triangle) * triangle : triangle * op('C', triangle), p, 8, "Cpotrf");
    Cpotrs(uplo, n, 3, factor.data(), n, y.data(), n, info);
    expect_near(p * y, b, 100 * largest(p) * largest(y), "Cpotrs");
    Cposv(uplo, n, 3, same.data(), n, z.data(), n, info);
    EXPECT_EQ(info, 0);
    EXPECT_EQ(z.entries, y.entries);
    same = Matrix(n, n);
    Cpotrf(uplo, n, same.data(), n, info);
    EXPECT_EQ(info, 1);
  }
}

TEST(MplapackComplex, FactorsByQr) {
  const mplapackint columns = 20;
  const Matrix a = random(n, columns);
  Matrix qr = a, tau(columns, 1), work(columns, 1);
  mplapackint info = 1;
  Cgeqrf(n, columns, qr.data(), n, tau.data(), work.data(), -1, info);
  EXPECT_EQ(info, 0);
  EXPECT_EQ(work(0, 0), dd_complex(static_cast<double>(columns)));
  EXPECT_EQ(qr.entries, a.entries);
  Cgeqrf(n, columns, qr.data(), n, tau.data(), work.data(), columns, info);
  EXPECT_EQ(info, 0);
  Matrix q = qr, r(columns, columns), c = a;
  for (mplapackint j = 0; j < columns; ++j) {
    for (mplapackint i = 0; i <= j; ++i) r(i, j) = qr(i, j);
  }
  Cungqr(n, columns, columns, q.data(), n, tau.data(), work.data(), columns, info);
  EXPECT_EQ(info, 0);
  expect_near(q * r, a, 8, "Cungqr");
  expect_near(op('C', q) * q, identity(columns), 8, "Cungqr's columns");
  Cunmqr("L", "C", n, columns, columns, qr.data(), n, tau.data(), c.data(), n, work.data(), columns, info);
  EXPECT_EQ(info, 0);
  for (mplapackint j = 0; j < columns; ++j) {
    for (mplapackint i = 0; i < columns; ++i) r(i, j) = r(i, j) - c(i, j);
  }
  EXPECT_LT(largest(r), 8 * n * 0x1p-104);
}

TEST(MplapackComplex, EigenvaluesOfHermitianMatrices) {
  const Matrix a = by_triangle('H', 'U', random(n, n));
  for (const char* uplo : {"U", "l"}) {
    Matrix v = by_triangle('T', *uplo == 'U' ? 'U' : 'L', a), work(2 * n - 1, 1), scaled(n, n);
    std::vector<dd_real> w(n), alone(n);
    mplapackint info = 1;
    Cheev("V", uplo, n, v.data(), n, w.data(), work.data(), -1, nullptr, info);
    EXPECT_EQ(work(0, 0), dd_complex(2.0 * n - 1.0));
    Matrix copy = v;
    Cheev("V", uplo, n, v.data(), n, w.data(), work.data(), 2 * n - 1, nullptr, info);
    EXPECT_EQ(info, 0);
    EXPECT_TRUE(std::is_sorted(w.begin(), w.end()));
    for (mplapackint j = 0; j < n; ++j) scaled(j, j) = w[static_cast<std::size_t>(j)];
    expect_near(a * v, v * scaled, 8 * largest(scaled), "Cheev");
    expect_near(op('C', v) * v, identity(n), 8, "Cheev's vectors");
    Cheev("N", uplo, n, copy.data(), n, alone.data(), work.data(), 2 * n - 1, nullptr, info);
    EXPECT_EQ(info, 0);
    for (std::size_t j = 0; j < alone.size(); ++j) EXPECT_LT(to_double(abs(alone[j] - w[j])), n * 0x1p-104) << j;
  }
}

// A = U Σ Vᴴ of U and Vᴴ with so many columns and rows, whose values are those without vectors.
void expect_decomposition(const Matrix& a, const Matrix& u, const std::vector<dd_real>& s, const Matrix& vt) {
  const auto count = static_cast<mplapackint>(s.size());
  Matrix scaled(u.columns, vt.rows);
  for (mplapackint j = 0; j < count; ++j) scaled(j, j) = s[static_cast<std::size_t>(j)];
  EXPECT_TRUE(std::is_sorted(s.rbegin(), s.rend()));
  expect_near(u * (scaled * vt), a, 8 * largest(scaled), "A");
  expect_near(op('C', u) * u, identity(u.columns), 8, "U");
  expect_near(vt * op('C', vt), identity(vt.rows), 8, "V");
}

TEST(MplapackComplex, SingularValues) {
  for (const auto& size : {std::pair{n, mplapackint{20}}, {mplapackint{20}, n}, {n, n}}) {
    const mplapackint m = size.first, columns = size.second;
    SCOPED_TRACE(testing::Message() << m << " x " << columns);
    const Matrix a = random(m, columns);
    const mplapackint count = std::min(m, columns);
    std::vector<dd_real> s(static_cast<std::size_t>(count)), alone(s.size());
    Matrix work(3 * count, 1), same = a;
    mplapackint info = 1;
    Cgesvd("N", "N", m, columns, same.data(), m, alone.data(), nullptr, 1, nullptr, 1, work.data(), -1, nullptr, info);
    EXPECT_EQ(work(0, 0), dd_complex(3.0 * static_cast<double>(count)));
    Cgesvd("N", "N", m, columns, same.data(), m, alone.data(), nullptr, 1, nullptr, 1, work.data(), 3 * count, nullptr,
           info);
    EXPECT_EQ(info, 0);
    const auto run = [&](const char* jobu, const char* jobvt, Matrix& b, Matrix& u, Matrix& vt) {
      Cgesvd(jobu, jobvt, m, columns, b.data(), m, s.data(), u.data(), m, vt.data(), std::max<mplapackint>(vt.rows, 1),
             work.data(), 3 * count, nullptr, info);
      EXPECT_EQ(info, 0) << jobu << jobvt;
      for (std::size_t j = 0; j < s.size(); ++j) EXPECT_LT(to_double(abs(alone[j] - s[j])), n * 0x1p-104) << j;
    };
    Matrix none(m, 0), whole = a, whole_u(m, m), whole_vt(columns, columns), some = a, u(m, count), vt(count, columns);
    run("All", "All", whole, whole_u, whole_vt);
    expect_decomposition(a, whole_u, s, whole_vt);
    run("s", "s", some, u, vt);
    expect_decomposition(a, u, s, vt);
    Matrix in_place = a, u_in_place(m, count);
    run("O", "N", in_place, none, none);
    std::copy_n(in_place.entries.begin(), u.entries.size(), u_in_place.entries.begin());
    EXPECT_EQ(u_in_place.entries, u.entries);
    Matrix by_rows = a, vt_in_place(count, columns);
    run("N", "O", by_rows, none, none);
    for (mplapackint j = 0; j < columns; ++j) {
      for (mplapackint i = 0; i < count; ++i) vt_in_place(i, j) = by_rows(i, j);
    }
    EXPECT_EQ(vt_in_place.entries, vt.entries);
  }
}

TEST(MplapackComplex, ComputesOnVectors) {
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

TEST(MplapackComplex, CallsMxerblaWithTheArgumentsNumber) {
  Matrix a(2, 2), b(2, 2);
  std::fill(a.entries.begin(), a.entries.end(), one);
  b = a;
  std::vector<mplapackint> pivots(2);
  std::vector<dd_real> w(2);
  mplapackint info = 0;
  complaints.clear();
  Cgemm("N", "H", 2, 2, 2, one, a.data(), 2, b.data(), 2, zero, a.data(), 2);
  Cherk("U", "T", 2, 2, 1.0, b.data(), 2, 0.0, a.data(), 2);
  Csyrk("U", "C", 2, 2, one, b.data(), 2, zero, a.data(), 2);
  Cher2k("U", "N", 2, 2, one, b.data(), 2, b.data(), 1, 0.0, a.data(), 2);
  Chemm("L", "U", 2, 2, one, b.data(), 2, b.data(), 2, zero, a.data(), 1);
  Ctrsm("x", "U", "N", "N", 2, 2, one, b.data(), 2, a.data(), 2);
  Cgerc(2, 2, one, b.data(), 0, b.data(), 1, a.data(), 2);
  Cgetrs("N", 2, -1, a.data(), 2, pivots.data(), b.data(), 2, info);
  EXPECT_EQ(info, -3);
  Cungqr(2, 3, 2, a.data(), 2, b.data(), b.data(), 4, info);
  EXPECT_EQ(info, -2);
  Cunmqr("L", "T", 2, 2, 2, a.data(), 2, b.data(), b.data(), 2, b.data(), 4, info);
  EXPECT_EQ(info, -2);
  Cheev("V", "U", 2, a.data(), 1, w.data(), b.data(), 4, nullptr, info);
  EXPECT_EQ(info, -5);
  Cheev("N", "U", 2, a.data(), 2, w.data(), b.data(), 2, nullptr, info);
  EXPECT_EQ(info, -8);
  Cgesvd("O", "O", 2, 2, a.data(), 2, w.data(), b.data(), 2, b.data(), 2, b.data(), 6, nullptr, info);
  EXPECT_EQ(info, -2);
  Cgesvd("N", "S", 2, 2, a.data(), 2, w.data(), nullptr, 1, b.data(), 1, b.data(), 6, nullptr, info);
  EXPECT_EQ(info, -11);
  const std::vector<std::pair<std::string, int>> want = {
      {"Cgemm", 2},  {"Cherk", 2},  {"Csyrk", 2},  {"Cher2k", 9}, {"Chemm", 12}, {"Ctrsm", 1},  {"Cgerc", 5},
      {"Cgetrs", 3}, {"Cungqr", 2}, {"Cunmqr", 2}, {"Cheev", 5},  {"Cheev", 8},  {"Cgesvd", 2}, {"Cgesvd", 11}};
  EXPECT_EQ(complaints, want);
  EXPECT_EQ(a.entries, b.entries);
}

}  // namespace

void Mxerbla_dd(const char* srname, int info) { complaints.emplace_back(srname, info); }
