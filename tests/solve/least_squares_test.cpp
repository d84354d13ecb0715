// Least squares and solutions of smallest norm against 420 bits.
#include <hilo/solve.hpp>
#include <utility>

#include "blas/words.hpp"
#include "error_message.hpp"
#include "matrices.hpp"
#include "wide_system.hpp"

namespace hilo::test {
namespace {

WideNumber conjugate(WideNumber x) {
  x.im *= Bits(-1.0);
  return x;
}

// Of smallest norm where A is wide; by normal equations, which 420 bits leave enough of.
template <class T>
std::vector<WideNumber> wide_least_squares(const MatrixView<const T>& a, const MatrixView<const T>& b, std::int64_t k) {
  const std::int64_t m = a.rows, n = a.columns;
  std::vector<WideNumber> e(static_cast<std::size_t>(m * n));
  const auto at = [&](std::int64_t i, std::int64_t j) -> WideNumber& { return e[static_cast<std::size_t>(i + j * m)]; };
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) at(i, j) = WideNumber(wide(blas::element(a, i, j)));
  }
  const auto sum = [](std::int64_t count, auto term) {
    WideNumber s;
    for (std::int64_t i = 0; i < count; ++i) {
      WideNumber negative = term(i);
      negative.re *= Bits(-1.0);
      negative.im *= Bits(-1.0);
      s -= negative;
    }
    return s;
  };
  if (m >= n) {
    return wide_solution(
        n,
        [&](std::int64_t i, std::int64_t j) {
          return sum(m, [&](std::int64_t l) { return conjugate(at(l, i)) * at(l, j); });
        },
        [&](std::int64_t i) {
          return sum(m, [&](std::int64_t l) { return conjugate(at(l, i)) * WideNumber(wide(b(l, k))); });
        });
  }
  const auto y = wide_solution(
      m,
      [&](std::int64_t i, std::int64_t j) {
        return sum(n, [&](std::int64_t l) { return at(i, l) * conjugate(at(j, l)); });
      },
      [&](std::int64_t i) { return WideNumber(wide(b(i, k))); });
  std::vector<WideNumber> x;
  for (std::int64_t i = 0; i < n; ++i) {
    x.push_back(sum(m, [&](std::int64_t l) { return conjugate(at(l, i)) * y[static_cast<std::size_t>(l)]; }));
  }
  return x;
}

// m × n by columns, the longer side orthogonal.
template <double_double T>
std::vector<T> tall_with_condition(std::int64_t m, std::int64_t n, double condition, std::uint64_t seed) {
  std::vector<T> left = nearly_orthogonal<T>(m, 2 * seed), right = nearly_orthogonal<T>(n, 2 * seed + 1);
  for (std::int64_t j = 0; j < n; ++j) {
    const T value(dd_real(value_of(j, n, condition, false)));
    for (std::int64_t i = 0; i < m; ++i) {
      T& e = left[static_cast<std::size_t>(i + j * m)];
      e = e * value;
    }
  }
  std::vector<T> a(static_cast<std::size_t>(m * n));
  gemm(T(1), view(Layout::column, Op::none, left.data(), m, n, m),
       view(Layout::column, Op::none, right.data(), n, n, n), T(0), view(Layout::column, Op::none, a.data(), m, n, m));
  return a;
}

template <class T>
SolutionError error_of_column(const MatrixView<const T>& a, const MatrixView<const T>& b, const MatrixView<T>& x,
                              std::int64_t k) {
  std::vector<T> column;
  for (std::int64_t i = 0; i < x.rows; ++i) column.push_back(x(i, k));
  return error_of(wide_least_squares(a, b, k), column.data());
}

template <class T>
class LeastSquares : public testing::Test {};
TYPED_TEST_SUITE(LeastSquares, DoubleDoubles, NameOfPrecision);

TYPED_TEST(LeastSquares, AreFullyAccurate) {
  using T = TypeParam;
  const std::int64_t m = is_long() ? 150 : 50, n = is_long() ? 50 : 20;
  for (const double condition : {1e2, 1e8, 1e12, 1e15, 1e17, 1e22, 1e28}) {
    const auto data = tall_with_condition<T>(m, n, condition, 3);
    const auto tall = view(Layout::column, Op::none, data.data(), m, n, m);
    for (const bool is_tall : {true, false}) {
      const auto a = is_tall ? tall : tall.turned(Op::conjugate_transpose);
      const StoredMatrix<T> b(Layout::row, a.rows, 2, 8);
      StoredMatrix<T> x(Layout::column, a.columns, 2);
      const SolveReport report = solve_least_squares(a, b.read(), x.view);
      ASSERT_TRUE(report.is_solved) << condition << ' ' << is_tall << ' ' << report.reason;
      EXPECT_EQ(report.accuracy, SolveAccuracy::full) << condition << ' ' << is_tall;
      for (std::int64_t k = 0; k < 2; ++k) {
        const SolutionError error = error_of_column<T>(a, b.read(), x.view, k);
        EXPECT_LE(error.norm, 1.0) << condition << ' ' << is_tall << ' ' << report;
        EXPECT_LE(error.component, 1.0) << condition << ' ' << is_tall << ' ' << report;
      }
      if (condition < 1e11) {
        EXPECT_EQ(report.path, SolvePath::double_qr) << condition;
      } else if (condition > 1e16) {
        EXPECT_EQ(report.path, SolvePath::double_double_qr) << condition;
      }
    }
  }
}

TYPED_TEST(LeastSquares, AreSolvedWhereNothingIsLeft) {
  using T = TypeParam;
  const std::int64_t m = 40, n = 15;
  const auto data = tall_with_condition<T>(m, n, 1e6, 3);
  const auto a = view(Layout::column, Op::none, data.data(), m, n, m);
  StoredMatrix<T> b(Layout::column, m, 3), x(Layout::column, n, 3);
  // In A's range, orthogonal to it up to roundings, and 0.
  b.fill([&](std::int64_t i, std::int64_t k) { return k == 0 ? a(i, 3) : T(0); });
  const SolveReport report = solve_least_squares(a, b.read(), x.view);
  ASSERT_TRUE(report.is_solved) << report.reason;
  for (std::int64_t i = 0; i < n; ++i) {
    EXPECT_LE(magnitude(x(i, 0) - T(i == 3 ? 1 : 0)), 0x1p-106) << i;
    EXPECT_EQ(x(i, 1), T(0));
    EXPECT_EQ(x(i, 2), T(0));
  }
}

TYPED_TEST(LeastSquares, RefuseWhatHasNoFullRank) {
  using T = TypeParam;
  const std::int64_t m = 30, n = 10;
  auto data = tall_with_condition<T>(m, n, 10, 3);
  for (std::int64_t i = 0; i < m; ++i)
    data[static_cast<std::size_t>(i + 3 * m)] = data[static_cast<std::size_t>(i + 7 * m)];
  const auto a = view(Layout::column, Op::none, data.data(), m, n, m);
  const StoredMatrix<T> b(Layout::column, m, 1, 8);
  StoredMatrix<T> x(Layout::column, n, 1);
  const SolveReport report = solve_least_squares(a, b.read(), x.view);
  EXPECT_FALSE(report.is_solved);
  EXPECT_NE(report.reason, "");
  for (std::int64_t i = 0; i < n; ++i) EXPECT_EQ(x(i, 0), T(12345));
}

// Rows that are smaller than others by more than double-double holds are lost to QR, and the condition with them: what
// can be told is right, the rest is refused, and `full` is never said of what is wrong.
TEST(LeastSquares, OfRowsOfAllSizesAreRightOrRefused) {
  Random random(1);
  const mpfr_prec_t before = std::exchange(Bits::precision, 4000);
  int solved[2] = {}, full = 0;
  const std::int64_t systems = is_long() ? 50000 : 800;
  for (std::int64_t s = 0; s < systems; ++s) {
    const std::int64_t n = random.between(1, 5), m = n + random.between(0, 5),
                       most = s % 3 == 0   ? 300
                              : s % 3 == 1 ? 100
                                           : 30;
    std::vector<dd_real> a(static_cast<std::size_t>(m * n)), b(static_cast<std::size_t>(m));
    for (dd_real& e : a) e = random_element<dd_real>(random);
    for (std::size_t i = 0; i < b.size(); ++i) {
      const auto by = static_cast<int>(random.between(-most, most));
      for (std::size_t e = i; e < a.size(); e += b.size()) a[e] = ldexp(a[e], by);
      b[i] = ldexp(random_element<dd_real>(random), random.below(2) == 0 ? by : 0);
    }
    const MatrixView<const dd_real> of_a = view(Layout::column, Op::none, a.data(), m, n, m);
    const MatrixView<const dd_real> of_b = view(Layout::column, Op::none, b.data(), m, 1, m);
    for (const SolveAccuracy accuracy : {SolveAccuracy::backward, SolveAccuracy::full}) {
      StoredMatrix<dd_real> x(Layout::column, n, 1);
      const SolveReport report =
          solve_least_squares(of_a, of_b, x.view, {.accuracy = accuracy, .products = {.threads = 1}});
      if (!report.is_solved) {
        EXPECT_EQ(x(0, 0), dd_real(12345));
        continue;
      }
      ++solved[static_cast<int>(accuracy)];
      EXPECT_LE(report.condition * 0x1p-106, 0.125) << s;
      const SolutionError error = error_of_column<dd_real>(of_a, of_b, x.view, 0);
      EXPECT_LE(error.norm * 0x1p-106, std::max(1e-3, 100.0 * report.condition * 0x1p-106)) << s << ' ' << report;
      if (report.accuracy != SolveAccuracy::full) continue;
      ++full;
      EXPECT_LE(error.norm, 1.0) << s << ' ' << report;
    }
  }
  EXPECT_GE(solved[0], systems * 2 / 3);
  EXPECT_GE(solved[1], systems * 2 / 3);
  EXPECT_GE(full, systems / 2);
  Bits::precision = before;
}

template <class T>
class LeastSquaresOf : public testing::Test {};
TYPED_TEST_SUITE(LeastSquaresOf, AllPrecisions, NameOfPrecision);

TYPED_TEST(LeastSquaresOf, AreRoundedOnce) {
  using T = TypeParam;
  std::uint64_t seed = 0;
  for (const auto& [m, n] : std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 1}, {7, 3}, {20, 20}, {3, 9}}) {
    for (const Layout layout : both_layouts) {
      for (const Op op : {Op::none, Op::conjugate}) {
        for (const SolveAccuracy accuracy : {SolveAccuracy::full, SolveAccuracy::backward}) {
          const StoredMatrix<T> a(layout, m, n, ++seed), b(layout, m, 2, seed + 100);
          StoredMatrix<T> x(layout, n, 2);
          const SolveReport report = solve_least_squares(a.read().turned(op), b.read(), x.view, {.accuracy = accuracy});
          ASSERT_TRUE(report.is_solved) << report.reason;
          for (std::int64_t k = 0; k < 2; ++k) {
            const double error = error_of_column<T>(a.read().turned(op), b.read(), x.view, k).norm;
            EXPECT_LE(error, double_double<T> && accuracy == SolveAccuracy::backward ? 1e5 : 1.0) << m << ' ' << n;
          }
        }
      }
    }
  }
}

TEST(LeastSquares, TakeNothingAndNameWhatCannotBeRight) {
  std::vector<dd_real> a(12, dd_real(1)), b(4, dd_real(1)), x(4, dd_real(7));
  const auto of = [](std::vector<dd_real>& y, std::int64_t rows, std::int64_t columns) {
    return view(Layout::column, Op::none, y.data(), rows, columns, std::max<std::int64_t>(rows, 1));
  };
  EXPECT_TRUE(solve_least_squares<dd_real>(of(a, 4, 0), of(b, 4, 1), of(x, 0, 1)).is_solved);
  EXPECT_TRUE(solve_least_squares<dd_real>(of(a, 0, 3), of(b, 0, 1), of(x, 3, 1)).is_solved);
  for (const dd_real& e : x) EXPECT_EQ(e, &e == &x[3] ? dd_real(7) : dd_real(0));
  const auto refuses = [&](errc code, const std::function<void()>& call, std::initializer_list<std::string> parts) {
    expect_contains(message_of(code, call), parts);
  };
  constexpr errc invalid = errc::invalid_argument;
  refuses(invalid, [&] { solve_least_squares<dd_real>(of(a, 4, 3), of(b, 3, 1), of(x, 3, 1)); },
          {"solve_least_squares: rows of B = 3 is not rows of A = 4"});
  refuses(invalid, [&] { solve_least_squares<dd_real>(of(a, 4, 3), of(b, 4, 1), of(x, 4, 1)); },
          {"solve_least_squares: rows of X = 4 is not columns of A = 3"});
  refuses(invalid, [&] { solve_least_squares<dd_real>(of(a, 4, 3), of(b, 4, 1), of(b, 3, 1)); }, {"X overlaps B"});
  refuses(errc::unsupported,
          [&] { solve_least_squares<dd_real>(of(a, 4, 3), of(b, 4, 1), of(x, 3, 1), {.certify = true}); },
          {"options.certify"});
  a[5] = dd_real(std::numeric_limits<double>::infinity());
  refuses(invalid, [&] { solve_least_squares<dd_real>(of(a, 4, 3), of(b, 4, 1), of(x, 3, 1)); },
          {"A(1, 1) is not finite"});
}

}  // namespace
}  // namespace hilo::test
