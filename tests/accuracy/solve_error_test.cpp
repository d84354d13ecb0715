// The errors of solutions: none where there are none, planted ones found with their size, singular matrices told.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <hilo/accuracy.hpp>
#include <hilo/solve.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "error_message.hpp"
#include "random.hpp"
#include "small_number.hpp"

namespace hilo::accuracy {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

template <class T>
double size_of(const T& x) {
  if constexpr (precisions::is_complex(precision_of<T>)) {
    return std::hypot(static_cast<double>(real(x)), static_cast<double>(imag(x)));
  } else {
    return std::fabs(static_cast<double>(x));
  }
}

template <class T>
MatrixView<const T> columns_of(const std::vector<T>& x, std::int64_t rows, std::int64_t columns) {
  return view(Layout::column, Op::none, x.data(), rows, columns, rows);
}

// A system of small integers, exact in every type, whose elimination rounds; one entry of X is 0.
template <class T>
struct IntegerSystem {
  static constexpr std::int64_t n = 4, nrhs = 2;
  std::vector<T> a, b = std::vector<T>(n * nrhs), x;

  IntegerSystem() {
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) a.push_back(number<T>(i == j ? 7 : (i + 2 * j) % 4, (i * j) % 3));
    }
    for (int i = 0; i < n * nrhs; ++i) x.push_back(number<T>(i - 2, i > 2 ? 1 : 0));
    for (std::size_t j = 0; j < nrhs; ++j) {
      for (std::size_t i = 0; i < n; ++i) {
        T& sum = b[i + j * n];
        for (std::size_t k = 0; k < n; ++k) sum = sum + a[i + k * n] * x[k + j * n];
      }
    }
  }
  MatrixView<const T> va() const { return columns_of(a, n, n); }
  MatrixView<const T> vb() const { return columns_of(b, n, nrhs); }
  MatrixView<const T> vx() const { return columns_of(x, n, nrhs); }
};

template <class T>
class SolveError : public ::testing::Test {};
using AllTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>, dd_real, dd_complex>;
TYPED_TEST_SUITE(SolveError, AllTypes);

TYPED_TEST(SolveError, IsZeroForExactSolutions) {
  using T = TypeParam;
  const IntegerSystem<T> s;
  EXPECT_EQ(solve_backward_error(s.va(), s.vb(), s.vx()), 0.0);
  const std::vector<double> bounds(s.x.size());
  const SolveErrorReport r = solve_error(s.va(), s.vb(), s.vx(), bounds);
  EXPECT_LT(r.max_error_u2, 1e-10);
  EXPECT_LT(r.max_entry_error_u2, 1e-10);
  EXPECT_EQ(r.bounds_violated, 0);
  EXPECT_GE(r.bits, 512);
}

TYPED_TEST(SolveError, FindsAPlantedErrorAndItsSize) {
  using T = TypeParam;
  IntegerSystem<T> s;
  const double unit = std::ldexp(1.0, precisions::error_unit(precision_of<T>));
  // Entry (1, 1) is 3 or 3 + i, the column's largest 5 or 5 + i: 8 units more, as a number near 3 of T can be.
  T& x = s.x[5];
  const T before = x;
  if constexpr (double_double<T>) {
    x = x + T(dd_real(8.0 * unit));
  } else {
    x = x + T(static_cast<float>(8.0 * unit));
  }
  ASSERT_FALSE(x == before);
  const bool is_complex = precisions::is_complex(precision_of<T>);
  const double own = is_complex ? std::sqrt(10.0) : 3.0, largest = is_complex ? std::sqrt(26.0) : 5.0;
  std::vector<double> bounds(s.x.size(), 8.001 * unit);
  SolveErrorReport r = solve_error(s.va(), s.vb(), s.vx(), bounds);
  EXPECT_NEAR(r.max_error_u2, 8.0 / largest, 1e-5);
  EXPECT_NEAR(r.max_entry_error_u2, 8.0 / own, 1e-5);
  EXPECT_EQ(r.bounds_violated, 0);
  bounds[5] = 7.999 * unit;
  r = solve_error(s.va(), s.vb(), s.vx(), bounds);
  EXPECT_EQ(r.bounds_violated, 1);
  EXPECT_EQ(solve_error(s.va(), s.vb(), s.vx()).bounds_violated, 0);
  // The column of A that it stands before, over the sizes of its rows.
  double most = 0.0;
  for (std::size_t i = 0; i < s.n; ++i) {
    double sum = size_of(s.b[4 + i]);
    for (std::size_t k = 0; k < s.n; ++k) sum += size_of(s.a[i + 4 * k]) * size_of(s.x[4 + k]);
    most = std::max(most, size_of(s.a[i + 4]) * 8.0 / sum);
  }
  EXPECT_NEAR(solve_backward_error(s.va(), s.vb(), s.vx()), most, 1e-5);
}

TYPED_TEST(SolveError, TakesViewsOfAnyKind) {
  using T = TypeParam;
  const IntegerSystem<T> s;
  std::vector<T> transposed(16), by_rows(8);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) transposed[j + 4 * i] = s.a[i + 4 * j];
    for (std::size_t j = 0; j < 2; ++j) by_rows[2 * i + j] = s.x[i + 4 * j];
  }
  const auto a = view(Layout::column, Op::transpose, std::as_const(transposed).data(), 4, 4, 4);
  const auto x = view(Layout::row, Op::none, std::as_const(by_rows).data(), 4, 2, 2);
  EXPECT_EQ(solve_backward_error(a, s.vb(), x), 0.0);
  EXPECT_LT(solve_error(a, s.vb(), x).max_entry_error_u2, 1e-10);
}

TYPED_TEST(SolveError, IsInfiniteForSingularMatrices) {
  using T = TypeParam;
  // 1 … 9, whose elimination has thirds, and one with a column of zeros.
  for (const bool has_zeros : {false, true}) {
    std::vector<T> a;
    for (int i = 1; i <= 9; ++i) a.push_back(number<T>(has_zeros && i > 6 ? 0 : i, 0));
    const std::vector<T> b(3, T(1)), x(3, T(1));
    const SolveErrorReport r =
        solve_error(columns_of(a, 3, 3), columns_of(b, 3, 1), columns_of(x, 3, 1), std::vector<double>(3, 1.0));
    EXPECT_EQ(r.bits, 0);
    EXPECT_EQ(r.max_error_u2, inf);
    EXPECT_EQ(r.max_entry_error_u2, inf);
    EXPECT_EQ(r.bounds_violated, 3);
  }
}

// A with a vector r that is orthogonal to its columns; 3 × 2, and turned 2 × 3.
TYPED_TEST(SolveError, IsThatOfLeastSquaresToo) {
  using T = TypeParam;
  const std::vector<T> a = {number<T>(1, 0), number<T>(0, 1), number<T>(1, 0),
                            number<T>(0, 1), number<T>(1, 0), number<T>(1, 0)};
  const std::vector<T> rest = {number<T>(1, 0), number<T>(1, 0), number<T>(-1, 1)};
  const std::vector<T> x = {number<T>(2, 1), number<T>(3, -1)};
  std::vector<T> in_range, b;
  for (std::size_t i = 0; i < 3; ++i) {
    in_range.push_back(a[i] * x[0] + a[i + 3] * x[1]);
    b.push_back(in_range[i] + rest[i]);
  }
  const auto tall = columns_of(a, 3, 2), wide = tall.turned(Op::conjugate_transpose);
  EXPECT_LT(least_squares_error(tall, columns_of(b, 3, 1), columns_of(x, 2, 1)).max_entry_error_u2, 1e-10);
  // The smallest x with Aᴴ x = Aᴴ b is what of b lies in A's range.
  std::vector<T> turned(2);
  for (std::int64_t j = 0; j < 2; ++j) {
    for (std::int64_t i = 0; i < 3; ++i) {
      const auto at = static_cast<std::size_t>(i);
      T e = wide(j, i);
      if constexpr (precisions::is_complex(precision_of<T>)) e = conj(e);
      turned[static_cast<std::size_t>(j)] = turned[static_cast<std::size_t>(j)] + e * in_range[at];
    }
  }
  EXPECT_LT(least_squares_error(wide, columns_of(turned, 2, 1), columns_of(in_range, 3, 1)).max_entry_error_u2, 1e-10);
  // Another one is no smallest, by far.
  EXPECT_GT(least_squares_error(wide, columns_of(turned, 2, 1), columns_of(b, 3, 1)).max_entry_error_u2, 1e5);
  const double unit = std::ldexp(1.0, precisions::error_unit(precision_of<T>));
  std::vector<T> off = x;
  if constexpr (double_double<T>) {
    off[1] = off[1] + T(dd_real(8.0 * unit));
  } else {
    off[1] = off[1] + T(static_cast<float>(8.0 * unit));
  }
  const bool is_complex = precisions::is_complex(precision_of<T>);
  EXPECT_NEAR(least_squares_error(tall, columns_of(b, 3, 1), columns_of(off, 2, 1)).max_entry_error_u2,
              8.0 / (is_complex ? std::sqrt(10.0) : 3.0), 1e-5);
  // A column twice.
  std::vector<T> twice(a.begin(), a.begin() + 3);
  twice.insert(twice.end(), a.begin(), a.begin() + 3);
  EXPECT_EQ(least_squares_error(columns_of(twice, 3, 2), columns_of(b, 3, 1), columns_of(x, 2, 1)).bits, 0);
}

TEST(SolveErrorOfDoubleDouble, TakesMoreBitsWhereTheConditionAsksForThem) {
  for (const int e : {-300, -400, -900}) {
    // 1 … 9, which is singular, and a little more in the last entry.
    const double more = std::ldexp(1.0, e);
    const std::vector<dd_real> a = {1, 2, 3, 4, 5, 6, 7, 8, dd_real(9.0, more)};
    const std::vector<dd_real> b = {26, 31, dd_real(36.0, 3.0 * more)}, x = {1, 1, dd_real(3.0, 0x3p-104)};
    const SolveErrorReport r = solve_error(columns_of(a, 3, 3), columns_of(b, 3, 1), columns_of(x, 3, 1));
    EXPECT_EQ(r.bits, e == -300 ? 512 : e == -400 ? 1024 : 2048);
    EXPECT_NEAR(r.max_error_u2, 4.0, 1e-9);
  }
}

TEST(SolveErrorOfDoubleDouble, ComesWithinWhatSolveProves) {
  constexpr std::int64_t n = 70;
  test::Random random(5);
  std::vector<dd_real> a(n * n), b(n * 2), x(n * 2);
  for (auto* matrix : {&a, &b}) {
    for (dd_real& e : *matrix) {
      const double hi = random.uniform();
      e = dd_real::sum(hi, random.uniform() * 0x1p-54);
    }
  }
  const SolveReport report = solve(columns_of(a, n, n), columns_of(b, n, 2),
                                   view(Layout::column, Op::none, x.data(), n, 2, n), {.certify = true});
  ASSERT_TRUE(report.is_certified);
  const MatrixView<const dd_real> vx = columns_of(x, n, 2);
  const SolveErrorReport r = solve_error(columns_of(a, n, n), columns_of(b, n, 2), vx, report.bounds);
  EXPECT_EQ(r.bounds_violated, 0);
  EXPECT_LT(r.max_entry_error_u2, 1.0);
  EXPECT_LE(r.max_error_u2 * 0x1p-106, report.error_bound);
  EXPECT_LE(solve_backward_error(columns_of(a, n, n), columns_of(b, n, 2), vx), 2.0);
  EXPECT_GT(solve_error(columns_of(a, n, n), columns_of(b, n, 2), vx, std::vector<double>(2 * n)).bounds_violated, 70);
}

// Rounded to a number that is 0, or to one with few bits, an entry is as right as it can be.
TEST(SolveErrorOfSingle, AllowsForUnderflow) {
  const std::vector<float> a = {0x1p100f, 0, 0, 0x1p60f}, b = {0x1p-52f, 0x1.8p-88f}, x = {0, 0x1p-148f};
  const SolveErrorReport r = solve_error(columns_of(a, 2, 2), columns_of(b, 2, 1), columns_of(x, 2, 1));
  EXPECT_EQ(r.max_entry_error_u2, 0.0);
  EXPECT_EQ(solve_backward_error(columns_of(a, 2, 2), columns_of(b, 2, 1), columns_of(x, 2, 1)), 0.0);
  const std::vector<float> far = {0, 0x3p-148f};
  EXPECT_GT(solve_error(columns_of(a, 2, 2), columns_of(b, 2, 1), columns_of(far, 2, 1)).max_entry_error_u2, 1e6);
  EXPECT_GT(solve_backward_error(columns_of(a, 2, 2), columns_of(b, 2, 1), columns_of(far, 2, 1)), 1e6);
}

TEST(SolveErrorOfDoubleDouble, WhatIsNotFinite) {
  IntegerSystem<dd_real> s;
  s.x[2] = dd_real(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(solve_backward_error(s.va(), s.vb(), s.vx()), inf);
  const SolveErrorReport r = solve_error(s.va(), s.vb(), s.vx(), std::vector<double>(8, inf));
  EXPECT_EQ(r.max_error_u2, inf);
  s.x[2] = dd_real(1.0, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(solve_backward_error(s.va(), s.vb(), s.vx()), inf);
  EXPECT_EQ(solve_error(s.va(), s.vb(), s.vx()).max_error_u2, inf);
  s.a[1] = dd_real(inf);
  expect_contains(message_of(errc::invalid_argument, [&] { solve_error(s.va(), s.vb(), s.vx()); }),
                  {"solve_error: A has an entry that is not finite"});
}

TEST(SolveErrorOfDoubleDouble, ArgumentsAreChecked) {
  const std::vector<dd_real> x(16, dd_real(1));
  const auto of = [&](std::int64_t rows, std::int64_t columns) { return columns_of(x, rows, columns); };
  const std::pair<std::string, std::function<void()>> cases[] = {
      {"A is 2 x 3, not square", [&] { solve_error(of(2, 3), of(2, 1), of(2, 1)); }},
      {"B is 3 x 1, A 2 x 2", [&] { solve_backward_error(of(2, 2), of(3, 1), of(2, 1)); }},
      {"X is 2 x 2, B 2 x 1", [&] { solve_error(of(2, 2), of(2, 1), of(2, 2)); }},
      {"there are 3 bounds of 2 entries", [&] { solve_error(of(2, 2), of(2, 1), of(2, 1), std::vector<double>(3)); }},
      {"least_squares_error: X is 3 x 1, A 3 x 2, B 3 x 1", [&] { least_squares_error(of(3, 2), of(3, 1), of(3, 1)); }},
      {"least_squares_error: B is 2 x 1, A 3 x 2", [&] { least_squares_error(of(3, 2), of(2, 1), of(2, 1)); }},
      {"A is null",
       [&] {
         solve_error(MatrixView<const dd_real>{nullptr, 2, 2, 1, 2}, of(2, 1), of(2, 1));
       }},
  };
  for (const auto& [words, call] : cases) {
    expect_contains(message_of(errc::invalid_argument, call), {words});
  }
  EXPECT_EQ(solve_backward_error(of(0, 0), of(0, 3), of(0, 3)), 0.0);
  EXPECT_EQ(solve_error(of(0, 0), of(0, 3), of(0, 3)).max_error_u2, 0.0);
}

}  // namespace
}  // namespace hilo::accuracy
