// MPLAPACK's factorisations of complex matrices, as its programs call them, against loops of QD's numbers.
#include "mplapack_complex.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace mplapack_test;

std::vector<std::pair<std::string, int>> complaints;

constexpr mplapackint n = 37;
const dd_complex alpha(0.75, -1.25), beta(-0.5, 2.0), one = 1.0, zero = 0.0;

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
  Matrix of_lu = lu, work(n, 1);
  Cgetri(n, of_lu.data(), n, pivots.data(), work.data(), n, info);
  EXPECT_EQ(info, 0);
  expect_near(a * of_lu, identity(n), 100 * largest(of_lu), "Cgetri");
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
    Matrix inverse = factor, inverse_factor = factor;
    Cpotri(uplo, n, inverse.data(), n, info);
    EXPECT_EQ(info, 0);
    expect_near(p * by_triangle('H', *uplo, inverse), identity(n), 100 * largest(p) * largest(inverse), "Cpotri");
    Ctrtri(uplo, "N", n, inverse_factor.data(), n, info);
    EXPECT_EQ(info, 0);
    expect_near(triangle * by_triangle('T', *uplo, inverse_factor), identity(n),
                100 * largest(triangle) * largest(inverse_factor), "Ctrtri");
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
  Chemv("U", 2, one, b.data(), 2, b.data(), 1, zero, a.data(), 0);
  Ctrsv("U", "N", "N", 2, b.data(), 1, a.data(), 1);
  Cher("?", 2, 1.0, b.data(), 1, a.data(), 2);
  Cher2("U", 2, one, b.data(), 1, b.data(), 1, a.data(), 1);
  Cgetri(2, a.data(), 2, pivots.data(), b.data(), 1, info);
  EXPECT_EQ(info, -6);
  Ctrtri("U", "?", 2, a.data(), 2, info);
  EXPECT_EQ(info, -2);
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
      {"Cgemm", 2},  {"Cherk", 2},  {"Csyrk", 2}, {"Cher2k", 9}, {"Chemm", 12}, {"Ctrsm", 1},  {"Cgerc", 5},
      {"Chemv", 10}, {"Ctrsv", 6},  {"Cher", 1},  {"Cher2", 9},  {"Cgetri", 6}, {"Ctrtri", 2}, {"Cgetrs", 3},
      {"Cungqr", 2}, {"Cunmqr", 2}, {"Cheev", 5}, {"Cheev", 8},  {"Cgesvd", 2}, {"Cgesvd", 11}};
  EXPECT_EQ(complaints, want);
  EXPECT_EQ(a.entries, b.entries);
}

}  // namespace

void Mxerbla_dd(const char* srname, int info) { complaints.emplace_back(srname, info); }
