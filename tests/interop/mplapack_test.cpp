// A program as it is written for MPLAPACK: by its declarations, with QD's numbers, and an Mxerbla_dd of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "mplapack_declarations.hpp"

namespace {

std::vector<std::pair<std::string, int>> complaints;

using Vector = std::vector<dd_real>;

Vector random(mplapackint n) {
  static std::uint64_t state = 1;
  auto uniform = [] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(static_cast<std::int64_t>(state) >> 11) * 0x1p-52;
  };
  Vector x(static_cast<std::size_t>(n));
  for (dd_real& e : x) e = dd_real(uniform()) + uniform() * 0x1p-54;
  return x;
}

Vector definite(mplapackint n) {
  Vector a = random(n * n), c(a.size());
  for (mplapackint i = 0; i < n; ++i) c[static_cast<std::size_t>(i * (n + 1))] = 1.0;
  Rgemm("N", "T", n, n, n, 1.0, a.data(), n, a.data(), n, 1.0, c.data(), n);
  return c;
}

double largest(const Vector& x) {
  dd_real most = 0.0;
  for (const dd_real& e : x) most = std::max(most, abs(e));
  return to_double(most);
}

// The largest entry of A · X − B by QD's own sums, in units of n · 2^-104 of those of A times those of X.
double residual(mplapackint n, const Vector& a, const Vector& x, const Vector& b) {
  dd_real most = 0.0;
  const auto size = static_cast<std::size_t>(n);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < b.size() / size; ++j) {
      dd_real sum = -b[i + j * size];
      for (std::size_t k = 0; k < size; ++k) sum += a[i + k * size] * x[k + j * size];
      most = std::max(most, abs(sum));
    }
  }
  return to_double(most) / (largest(a) * largest(x) * static_cast<double>(n) * 0x1p-104);
}

constexpr mplapackint n = 70;
const dd_real one = 1.0, zero = 0.0;

TEST(Mplapack, SolvesByLu) {
  const Vector a = random(n * n), b = random(n * 2);
  Vector lu = a, x = b;
  std::vector<mplapackint> pivots(n);
  mplapackint info = 1;
  Rgesv(n, 2, lu.data(), n, pivots.data(), x.data(), n, info);
  EXPECT_EQ(info, 0);
  EXPECT_LT(residual(n, a, x, b), 30);
  Vector y = b;
  lu = a;
  Rgetrf(n, n, lu.data(), n, pivots.data(), info);
  Rgetrs("No transpose", n, 2, lu.data(), n, pivots.data(), y.data(), n, info);
  EXPECT_TRUE(std::equal(x.begin(), x.end(), y.begin()));
  Vector singular(n * n, zero);
  Rgetrf(n, n, singular.data(), n, pivots.data(), info);
  EXPECT_EQ(info, 1);
}

TEST(Mplapack, SolvesByCholesky) {
  const Vector a = definite(n), b = random(n * 2);
  for (const char* uplo : {"Upper", "l"}) {
    Vector factor = a, x = b;
    mplapackint info = 1;
    Rpotrf(uplo, n, factor.data(), n, info);
    EXPECT_EQ(info, 0);
    Rpotrs(uplo, n, 2, factor.data(), n, x.data(), n, info);
    EXPECT_EQ(info, 0);
    EXPECT_LT(residual(n, a, x, b), 30);
    Vector same = a, y = b;
    Rposv(uplo, n, 2, same.data(), n, y.data(), n, info);
    EXPECT_TRUE(std::equal(x.begin(), x.end(), y.begin()));
  }
}

TEST(Mplapack, FactorsByQr) {
  const Vector a = random(n * n);
  Vector qr = a, tau(n), work(1), gram(n * n), own(n * n);
  mplapackint info = 1;
  Rgeqrf(n, n, qr.data(), n, tau.data(), work.data(), -1, info);
  EXPECT_EQ(info, 0);
  EXPECT_EQ(to_double(work[0]), n);
  work.resize(n);
  Rgeqrf(n, n, qr.data(), n, tau.data(), work.data(), n, info);
  EXPECT_EQ(info, 0);
  // RᵀR = AᵀA.
  for (mplapackint j = 0; j < n; ++j) std::fill_n(qr.begin() + j * n + j + 1, n - j - 1, zero);
  Rsyrk("U", "T", n, n, one, qr.data(), n, zero, own.data(), n);
  Rsyrk("U", "T", n, n, one, const_cast<dd_real*>(a.data()), n, zero, gram.data(), n);
  const double scale = largest(gram);
  Raxpy(n * n, -one, own.data(), 1, gram.data(), 1);
  EXPECT_LT(largest(gram) / (scale * n * 0x1p-104), 30);
}

TEST(Mplapack, ColumnsOfQ) {
  const mplapackint columns = 30;
  const Vector a = random(n * columns);
  Vector qr = a, tau(columns), work(n), r(columns * columns, zero), c = a, gram(columns * columns);
  mplapackint info = 1;
  Rgeqrf(n, columns, qr.data(), n, tau.data(), work.data(), n, info);
  Rormqr("L", "T", n, columns, columns, qr.data(), n, tau.data(), c.data(), n, work.data(), columns, info);
  EXPECT_EQ(info, 0);
  Vector q = qr;
  Rorgqr(n, columns, columns, q.data(), n, tau.data(), work.data(), -1, info);
  EXPECT_EQ(to_double(work[0]), columns);
  Rorgqr(n, columns, columns, q.data(), n, tau.data(), work.data(), columns, info);
  EXPECT_EQ(info, 0);
  // QᵀQ = I, and QᵀA is R by either.
  Rgemm("T", "N", columns, columns, n, one, q.data(), n, q.data(), n, zero, gram.data(), columns);
  for (mplapackint i = 0; i < columns; ++i) gram[static_cast<std::size_t>(i * (columns + 1))] -= 1.0;
  EXPECT_LT(largest(gram), 8 * n * 0x1p-104);
  Rgemm("T", "N", columns, columns, n, one, q.data(), n, const_cast<dd_real*>(a.data()), n, zero, r.data(), columns);
  for (mplapackint j = 0; j < columns; ++j) {
    for (mplapackint i = 0; i < columns; ++i) {
      const dd_real& entry = r[static_cast<std::size_t>(i + j * columns)];
      EXPECT_LT(to_double(abs(entry - c[static_cast<std::size_t>(i + j * n)])), 30 * n * 0x1p-104);
      if (i > j) continue;
      EXPECT_LT(to_double(abs(entry - qr[static_cast<std::size_t>(i + j * n)])), 30 * n * 0x1p-104);
    }
  }
}

TEST(Mplapack, EigenvaluesOfSymmetricMatrices) {
  const Vector a = definite(n);
  for (const char* uplo : {"Upper", "l"}) {
    Vector v = a, w(n), alone(n), work(3 * n - 1), b(n * n, zero);
    mplapackint info = 1;
    Rsyev("Vectors", uplo, n, v.data(), n, w.data(), work.data(), -1, info);
    EXPECT_EQ(info, 0);
    EXPECT_EQ(to_double(work[0]), 3 * n - 1);
    EXPECT_EQ(v, a);
    Rsyev("Vectors", uplo, n, v.data(), n, w.data(), work.data(), 3 * n - 1, info);
    EXPECT_EQ(info, 0);
    EXPECT_TRUE(std::is_sorted(w.begin(), w.end()));
    for (mplapackint j = 0; j < n; ++j)
      Raxpy(n, w[static_cast<std::size_t>(j)], v.data() + j * n, 1, b.data() + j * n, 1);
    EXPECT_LT(residual(n, a, v, b), 30);
    Vector same = a;
    Rsyev("n", uplo, n, same.data(), n, alone.data(), work.data(), 3 * n - 1, info);
    EXPECT_EQ(info, 0);
    Raxpy(n, -one, w.data(), 1, alone.data(), 1);
    EXPECT_LT(largest(alone), 30 * largest(w) * 0x1p-104);
  }
  // Of no rows and of one, and of what has no eigenvalues, which stays as it is.
  dd_real single = -3.0, value = 0.0, work[2] = {0.0, 0.0};
  mplapackint info = 1;
  Rsyev("V", "U", 1, &single, 1, &value, work, 2, info);
  EXPECT_EQ(info, 0);
  EXPECT_EQ(value, dd_real(-3.0));
  EXPECT_EQ(abs(single), one);
  Rsyev("V", "U", 0, &single, 1, &value, work, 1, info);
  EXPECT_EQ(info, 0);
  single = dd_real::_nan;
  Rsyev("V", "U", 1, &single, 1, &value, work, 2, info);
  EXPECT_EQ(info, 1);
  EXPECT_EQ(value, dd_real(-3.0));
}

TEST(Mplapack, SingularValues) {
  const mplapackint m = 40, count = 40;
  Vector a = random(m * n), same = a, s(count), alone(count), u(m * count), vt(n * n), work(5 * count);
  const Vector given = a;
  mplapackint info = 1;
  Rgesvd("N", "N", m, n, same.data(), m, alone.data(), nullptr, 1, nullptr, 1, work.data(), 5 * count, info);
  EXPECT_EQ(info, 0);
  Rgesvd("S", "A", m, n, a.data(), m, s.data(), u.data(), m, vt.data(), n, work.data(), 5 * count, info);
  EXPECT_EQ(info, 0);
  EXPECT_TRUE(std::is_sorted(s.rbegin(), s.rend()));
  // A = U Σ of Vᵀ's first rows, whose rows are orthonormal; values by either.
  for (mplapackint j = 0; j < count; ++j) Rscal(m, s[static_cast<std::size_t>(j)], u.data() + j * m, 1);
  Vector difference = given, gram(n * n, zero);
  Rgemm("N", "N", m, n, count, one, u.data(), m, vt.data(), n, -one, difference.data(), m);
  EXPECT_LT(largest(difference), 8 * to_double(s[0]) * n * 0x1p-104);
  for (mplapackint j = 0; j < n; ++j) gram[static_cast<std::size_t>(j * (n + 1))] = -1.0;
  Rgemm("N", "T", n, n, n, one, vt.data(), n, vt.data(), n, one, gram.data(), n);
  EXPECT_LT(largest(gram), 8 * n * 0x1p-104);
  Raxpy(count, -one, s.data(), 1, alone.data(), 1);
  EXPECT_LT(largest(alone), 30 * to_double(s[0]) * 0x1p-104);
  a[3] = dd_real::_inf;
  Rgesvd("N", "N", m, n, a.data(), m, s.data(), nullptr, 1, nullptr, 1, work.data(), 5 * count, info);
  EXPECT_EQ(info, count);
}

TEST(Mplapack, MultipliesTriangularAndSymmetricMatrices) {
  const Vector a = definite(n), b = random(n * 3);
  Vector x = b, y = b, c(n * 3, zero), d(n * 3, zero);
  Rtrmm("L", "U", "T", "N", n, 3, dd_real(2.0), const_cast<dd_real*>(a.data()), n, x.data(), n);
  Rtrsm("L", "U", "T", "N", n, 3, dd_real(0.5), const_cast<dd_real*>(a.data()), n, x.data(), n);
  Raxpy(n * 3, -one, y.data(), 1, x.data(), 1);
  EXPECT_LT(largest(x), 1e-25);
  Rsymm("L", "U", n, 3, one, const_cast<dd_real*>(a.data()), n, y.data(), n, zero, c.data(), n);
  EXPECT_LT(residual(n, a, y, c), 30);
  Vector whole(n * n, zero), twice(n * n, zero);
  Vector e = random(n * 3);
  Rsyr2k("L", "N", n, 3, one, y.data(), n, e.data(), n, zero, whole.data(), n);
  Rgemm("N", "T", n, n, 3, one, y.data(), n, e.data(), n, zero, twice.data(), n);
  Rgemm("N", "T", n, n, 3, one, e.data(), n, y.data(), n, one, twice.data(), n);
  for (mplapackint j = 0; j < n; ++j) std::fill_n(twice.begin() + j * n, j, zero);
  Raxpy(n * n, -one, whole.data(), 1, twice.data(), 1);
  EXPECT_LT(largest(twice), 30 * 0x1p-104);
  Rgemv("N", n, n, one, const_cast<dd_real*>(a.data()), n, y.data(), 1, zero, d.data(), 1);
  EXPECT_LT(residual(n, a, Vector(y.begin(), y.begin() + n), Vector(d.begin(), d.begin() + n)), 30);
}

TEST(Mplapack, MultipliesSymmetricAndTriangularMatricesWithVectors) {
  Vector a = definite(n), y = random(n), z(n, zero);
  const auto at = [](mplapackint i, mplapackint j) { return static_cast<std::size_t>(i + j * n); };
  Rsymv("L", n, one, a.data(), n, y.data(), 1, zero, z.data(), 1);
  EXPECT_LT(residual(n, a, y, z), 30);
  for (const char* trans : {"N", "T"}) {
    Vector x = y;
    Rtrmv("U", trans, "N", n, a.data(), n, x.data(), 1);
    Rtrsv("U", trans, "N", n, a.data(), n, x.data(), 1);
    Raxpy(n, -one, y.data(), 1, x.data(), 1);
    EXPECT_LT(largest(x), 1e-25);
  }
  Vector product = y;
  Rtrmv("L", "N", "Unit", n, a.data(), n, product.data(), 1);
  EXPECT_LT(to_double(abs(product[1] - (y[1] + a[1] * y[0]))), 0x1p-95);
  Vector by_one(n * n, zero), by_two(n * n, zero);
  Rsyr("L", n, 2.0, y.data(), 1, by_one.data(), n);
  Rsyr2("L", n, one, y.data(), 1, z.data(), 1, by_two.data(), n);
  for (mplapackint j = 0; j < n; ++j) {
    for (mplapackint i = 0; i < n; ++i) {
      const auto u = static_cast<std::size_t>(i), v = static_cast<std::size_t>(j);
      EXPECT_LT(to_double(abs(by_one[at(i, j)] - (i < j ? zero : 2.0 * y[u] * y[v]))), 0x1p-100);
      EXPECT_LT(to_double(abs(by_two[at(i, j)] - (i < j ? zero : y[u] * z[v] + z[u] * y[v]))), 0x1p-95);
    }
  }
}

TEST(Mplapack, Inverts) {
  const Vector a = definite(n);
  Vector unit(n * n, zero), work(n);
  for (mplapackint i = 0; i < n; ++i) unit[static_cast<std::size_t>(i * (n + 1))] = 1.0;
  std::vector<mplapackint> pivots(n);
  mplapackint info = 1;
  Vector x = a, y = a, triangle = a, inverse;
  Rgetrf(n, n, x.data(), n, pivots.data(), info);
  Rgetri(n, x.data(), n, pivots.data(), work.data(), n, info);
  EXPECT_EQ(info, 0);
  EXPECT_LT(residual(n, a, x, unit), 30);
  Rpotrf("U", n, y.data(), n, info);
  Rpotri("U", n, y.data(), n, info);
  EXPECT_EQ(info, 0);
  for (mplapackint j = 0; j < n; ++j) Rcopy(j, y.data() + j * n, 1, y.data() + j, n);
  EXPECT_LT(residual(n, a, y, unit), 30);
  for (mplapackint j = 0; j < n; ++j) std::fill_n(triangle.begin() + j * n, j, zero);
  inverse = triangle;
  Rtrtri("L", "N", n, inverse.data(), n, info);
  EXPECT_EQ(info, 0);
  EXPECT_LT(residual(n, triangle, inverse, unit), 30);
}

// What lies below the rows of arrays stays as it is.
TEST(Mplapack, LeadingDimensionsBeyondTheRows) {
  const mplapackint m = 5, columns = 4, apart = 9;
  const dd_real mark = 77.0;
  Vector a(apart * columns, mark), u = a, vt = a, s(4), work(30);
  const auto is_marked = [&](const Vector& x, mplapackint rows) {
    bool is_so = true;
    for (mplapackint j = 0; j < columns; ++j) {
      for (mplapackint i = rows; i < apart; ++i) is_so = is_so && x[static_cast<std::size_t>(i + j * apart)] == mark;
    }
    return is_so;
  };
  for (mplapackint j = 0; j < columns; ++j) {
    const Vector column = random(m);
    std::copy(column.begin(), column.end(), a.begin() + j * apart);
  }
  const Vector given = a;
  mplapackint info = 1;
  Rgesvd("S", "S", m, columns, a.data(), apart, s.data(), u.data(), apart, vt.data(), apart, work.data(), 30, info);
  EXPECT_EQ(info, 0);
  for (mplapackint j = 0; j < columns; ++j) Rscal(m, s[static_cast<std::size_t>(j)], u.data() + j * apart, 1);
  Vector c = given;
  Rgemm("N", "N", m, columns, columns, one, u.data(), apart, vt.data(), apart, -one, c.data(), apart);
  for (mplapackint j = 0; j < columns; ++j)
    EXPECT_LT(largest(Vector(c.begin() + j * apart, c.begin() + j * apart + m)), 1e-30);
  EXPECT_TRUE(is_marked(u, m) && is_marked(vt, columns) && is_marked(c, m));
  Vector v = given;
  Rsyev("V", "L", columns, v.data(), apart, s.data(), work.data(), 30, info);
  EXPECT_EQ(info, 0);
  EXPECT_TRUE(is_marked(v, m));
  dd_real square = 0.0;
  for (mplapackint i = 0; i < columns; ++i) square += sqr(v[static_cast<std::size_t>(i)]);
  EXPECT_LT(to_double(abs(square - 1.0)), 1e-30);
  EXPECT_EQ(v[static_cast<std::size_t>(columns)], given[static_cast<std::size_t>(columns)]);
}

TEST(Mplapack, ComputesOnVectors) {
  Vector x = {3.0, -4.0, 1.0}, y = {1.0, 2.0, 3.0}, a(9, zero);
  EXPECT_EQ(Rdot(3, x.data(), 1, y.data(), -1), dd_real(2.0));
  EXPECT_EQ(Rnrm2(2, x.data(), 1), dd_real(5.0));
  EXPECT_EQ(Rasum(3, x.data(), 1), dd_real(8.0));
  EXPECT_EQ(iRamax(3, x.data(), 1), 2);
  EXPECT_EQ(iRamax(0, x.data(), 1), 0);
  Rscal(2, dd_real(2.0), x.data(), 2);
  EXPECT_EQ(x[0], dd_real(6.0));
  EXPECT_EQ(x[2], dd_real(2.0));
  Raxpy(3, one, x.data(), 0, y.data(), 1);  // the same element three times
  EXPECT_EQ(y[2], dd_real(9.0));
  Rswap(3, x.data(), 1, y.data(), 1);
  EXPECT_EQ(x[2], dd_real(9.0));
  Rcopy(3, x.data(), -1, y.data(), 1);
  EXPECT_EQ(y[0], dd_real(9.0));
  Vector p = {1.0, 2.0}, q = {3.0, 4.0};
  Rrot(2, p.data(), 1, q.data(), 1, zero, one);
  EXPECT_EQ(p, (Vector{3.0, 4.0}));
  EXPECT_EQ(q, (Vector{-1.0, -2.0}));
  Rger(3, 3, one, x.data(), 1, x.data(), 1, a.data(), 3);
  EXPECT_EQ(a[8], dd_real(81.0));
}

TEST(Mplapack, CallsMxerblaWithTheArgumentsNumber) {
  Vector a(4, one), b(4, one);
  std::vector<mplapackint> pivots(2);
  mplapackint info = 0;
  complaints.clear();
  Rgesv(2, 1, a.data(), 1, pivots.data(), b.data(), 2, info);
  EXPECT_EQ(info, -4);
  Rpotrf("x", 2, a.data(), 2, info);
  EXPECT_EQ(info, -1);
  Rgetrs("N", 2, -1, a.data(), 2, pivots.data(), b.data(), 2, info);
  EXPECT_EQ(info, -3);
  Rgeqrf(2, 2, a.data(), 2, b.data(), b.data(), 1, info);
  EXPECT_EQ(info, -7);
  Rsyev("?", "U", 2, a.data(), 2, b.data(), b.data(), 5, info);
  EXPECT_EQ(info, -1);
  Rgesvd("A", "N", 2, 2, a.data(), 2, b.data(), b.data(), 1, nullptr, 1, b.data(), 10, info);
  EXPECT_EQ(info, -9);
  Rorgqr(2, 2, 3, a.data(), 2, b.data(), b.data(), 2, info);
  EXPECT_EQ(info, -3);
  Rgemm("N", "T", 2, 2, 2, one, a.data(), 2, b.data(), 1, zero, a.data(), 1);
  Rtrsm("L", "U", "N", "?", 2, 2, one, a.data(), 2, b.data(), 2);
  Rgemv("N", 2, 2, one, a.data(), 2, b.data(), 0, one, b.data(), 1);
  const std::vector<std::pair<std::string, int>> want = {{"Rgesv", 4}, {"Rpotrf", 1}, {"Rgetrs", 3}, {"Rgeqrf", 7},
                                                         {"Rsyev", 1}, {"Rgesvd", 9}, {"Rorgqr", 3}, {"Rgemm", 10},
                                                         {"Rtrsm", 4}, {"Rgemv", 8}};
  EXPECT_EQ(complaints, want);
  EXPECT_EQ(a, Vector(4, one));
}

}  // namespace

void Mxerbla_dd(const char* srname, int info) { complaints.emplace_back(srname, info); }
