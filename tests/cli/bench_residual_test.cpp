// LAPACK's ratios as `hilo bench` finds them: small of what routines leave, large where one entry is off.
#include <gtest/gtest.h>

#include <complex>
#include <hilo/complex.hpp>

#include "cli/bench/residual.hpp"
#include "data/generate.hpp"

namespace hilo {
namespace {

template <class T>
struct Stored {
  std::int64_t rows, columns;
  std::vector<T> entries;

  Stored(std::int64_t m, std::int64_t n, std::uint64_t seed)
      : rows(m), columns(n), entries(static_cast<std::size_t>(m * n)) {
    data::generate(data::Recipe{{}, seed}, Layout::column, m, n, entries.data(), m);
  }
  MatrixView<T> view() { return hilo::view(Layout::column, Op::none, entries.data(), rows, columns, rows); }
  T& operator()(std::int64_t i, std::int64_t j) { return entries[static_cast<std::size_t>(i + j * rows)]; }
};

// One entry, off by far more than a rounding, or NaN.
template <class T, class Ratio>
void expect_small_until_off(Stored<T>& x, std::int64_t i, std::int64_t j, Ratio ratio) {
  EXPECT_LT(ratio(), 5.0);
  const T before = x(i, j);
  x(i, j) = before + T(1e-3);
  EXPECT_GT(ratio(), 30.0);
  x(i, j) = T(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(ratio(), std::numeric_limits<double>::infinity());
  x(i, j) = before;
}

template <class T>
class Residual : public testing::Test {};
using Precisions = testing::Types<double, std::complex<double>, dd_real, dd_complex>;
TYPED_TEST_SUITE(Residual, Precisions);

TYPED_TEST(Residual, OfFactors) {
  using T = TypeParam;
  for (const auto& [m, n] : {std::pair{20, 20}, {20, 13}, {13, 20}}) {
    Stored<T> a(m, n, 1), lu = a, qr = a;
    std::vector<std::int64_t> pivots(static_cast<std::size_t>(std::min(m, n)));
    getrf(lu.view(), pivots);
    expect_small_until_off(lu, 3, 7, [&] { return cli::lu_ratio<T>(a.view(), lu.view(), pivots); });
    expect_small_until_off(lu, m - 1, 2, [&] { return cli::lu_ratio<T>(a.view(), lu.view(), pivots); });
    std::vector<T> tau(pivots.size());
    geqrf(qr.view(), std::span(tau));
    expect_small_until_off(qr, 3, 7, [&] { return cli::qr_ratio<T>(a.view(), qr.view(), tau); });
    expect_small_until_off(qr, m - 1, 2, [&] { return cli::qr_ratio<T>(a.view(), qr.view(), tau); });
  }
  Stored<T> a(20, 20, 2);
  for (int j = 0; j < 20; ++j) {
    for (int i = 0; i < j; ++i) a(i, j) = a(j, i) = T(1.0 / (1 + i + j));
    a(j, j) = T(20);
  }
  Stored<T> factor = a;
  ASSERT_EQ(potrf(Uplo::lower, factor.view()), 0);
  expect_small_until_off(factor, 9, 4, [&] { return cli::cholesky_ratio<T>(a.view(), factor.view()); });
}

TYPED_TEST(Residual, OfProductsAndSolutions) {
  using T = TypeParam;
  Stored<T> a(20, 9, 1), b(9, 15, 2), c(20, 15, 3), square(20, 20, 4);
  gemm(T(1), a.view(), b.view(), T(0), c.view());
  expect_small_until_off(c, 19, 0, [&] { return cli::product_ratio<T>(a.view(), b.view(), c.view()); });
  syrk(Uplo::lower, T(1), a.view(), T(0), square.view());
  square(2, 9) = T(77);  // beside the triangle
  expect_small_until_off(square, 9, 2, [&] { return cli::syrk_ratio<T>(a.view(), square.view()); });
  for (int i = 0; i < 20; ++i) square(i, i) = T(100);
  Stored<T> right = c, factors = square;
  std::vector<std::int64_t> pivots(20);
  ASSERT_EQ(gesv(factors.view(), pivots, c.view()), 0);
  expect_small_until_off(c, 11, 14, [&] { return cli::solution_ratio<T>(square.view(), c.view(), right.view()); });
}

}  // namespace
}  // namespace hilo
