// A program as it is written for MPLAPACK: by its declarations, with QD's numbers, and an Mxerbla_dd of its own.
#include <gtest/gtest.h>
#include <qd/dd_real.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// From mpblas_dd.h and mplapack_dd.h.
using mplapackint = std::int64_t;
using Int = mplapackint const;
using Real = dd_real const;
void Mxerbla_dd(const char* srname, int info);
void Raxpy(Int n, Real da, dd_real* dx, Int incx, dd_real* dy, Int incy);
void Rcopy(Int n, dd_real* dx, Int incx, dd_real* dy, Int incy);
void Rswap(Int n, dd_real* dx, Int incx, dd_real* dy, Int incy);
void Rscal(Int n, Real da, dd_real* dx, Int incx);
dd_real Rdot(Int n, dd_real* dx, Int incx, dd_real* dy, Int incy);
dd_real Rnrm2(Int n, dd_real* x, Int incx);
dd_real Rasum(Int n, dd_real* dx, Int incx);
mplapackint iRamax(Int n, dd_real* dx, Int incx);
void Rgemv(const char* trans, Int m, Int n, Real alpha, dd_real* a, Int lda, dd_real* x, Int incx, Real beta,
           dd_real* y, Int incy);
void Rger(Int m, Int n, Real alpha, dd_real* x, Int incx, dd_real* y, Int incy, dd_real* a, Int lda);
void Rgemm(const char* transa, const char* transb, Int m, Int n, Int k, Real alpha, dd_real* a, Int lda, dd_real* b,
           Int ldb, Real beta, dd_real* c, Int ldc);
void Rsymm(const char* side, const char* uplo, Int m, Int n, Real alpha, dd_real* a, Int lda, dd_real* b, Int ldb,
           Real beta, dd_real* c, Int ldc);
void Rsyrk(const char* uplo, const char* trans, Int n, Int k, Real alpha, dd_real* a, Int lda, Real beta, dd_real* c,
           Int ldc);
void Rtrmm(const char* side, const char* uplo, const char* transa, const char* diag, Int m, Int n, Real alpha,
           dd_real* a, Int lda, dd_real* b, Int ldb);
void Rtrsm(const char* side, const char* uplo, const char* transa, const char* diag, Int m, Int n, Real alpha,
           dd_real* a, Int lda, dd_real* b, Int ldb);
void Rgetrf(Int m, Int n, dd_real* a, Int lda, mplapackint* ipiv, mplapackint& info);
void Rgetrs(const char* trans, Int n, Int nrhs, dd_real* a, Int lda, mplapackint* ipiv, dd_real* b, Int ldb,
            mplapackint& info);
void Rgesv(Int n, Int nrhs, dd_real* a, Int lda, mplapackint* ipiv, dd_real* b, Int ldb, mplapackint& info);
void Rpotrf(const char* uplo, Int n, dd_real* a, Int lda, mplapackint& info);
void Rpotrs(const char* uplo, Int n, Int nrhs, dd_real* a, Int lda, dd_real* b, Int ldb, mplapackint& info);
void Rposv(const char* uplo, Int n, Int nrhs, dd_real* a, Int lda, dd_real* b, Int ldb, mplapackint& info);
void Rgeqrf(Int m, Int n, dd_real* a, Int lda, dd_real* tau, dd_real* work, Int lwork, mplapackint& info);

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

TEST(Mplapack, MultipliesTriangularAndSymmetricMatrices) {
  const Vector a = definite(n), b = random(n * 3);
  Vector x = b, y = b, c(n * 3, zero), d(n * 3, zero);
  Rtrmm("L", "U", "T", "N", n, 3, dd_real(2.0), const_cast<dd_real*>(a.data()), n, x.data(), n);
  Rtrsm("L", "U", "T", "N", n, 3, dd_real(0.5), const_cast<dd_real*>(a.data()), n, x.data(), n);
  Raxpy(n * 3, -one, y.data(), 1, x.data(), 1);
  EXPECT_LT(largest(x), 1e-25);
  Rsymm("L", "U", n, 3, one, const_cast<dd_real*>(a.data()), n, y.data(), n, zero, c.data(), n);
  EXPECT_LT(residual(n, a, y, c), 30);
  Rgemv("N", n, n, one, const_cast<dd_real*>(a.data()), n, y.data(), 1, zero, d.data(), 1);
  EXPECT_LT(residual(n, a, Vector(y.begin(), y.begin() + n), Vector(d.begin(), d.begin() + n)), 30);
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
  Rgemm("N", "T", 2, 2, 2, one, a.data(), 2, b.data(), 1, zero, a.data(), 1);
  Rtrsm("L", "U", "N", "?", 2, 2, one, a.data(), 2, b.data(), 2);
  Rgemv("N", 2, 2, one, a.data(), 2, b.data(), 0, one, b.data(), 1);
  const std::vector<std::pair<std::string, int>> want = {{"Rgesv", 4},  {"Rpotrf", 1}, {"Rgetrs", 3}, {"Rgeqrf", 7},
                                                         {"Rgemm", 10}, {"Rtrsm", 4},  {"Rgemv", 8}};
  EXPECT_EQ(complaints, want);
  EXPECT_EQ(a, Vector(4, one));
}

}  // namespace

void Mxerbla_dd(const char* srname, int info) { complaints.emplace_back(srname, info); }
