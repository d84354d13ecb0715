// Systems solved: errors against 420 bits, factors and steps as docs/solve.md has them, refusals.
#include <hilo/solve.hpp>
#include <numeric>
#include <sstream>

#include "blas/words.hpp"
#include "error_message.hpp"
#include "linear_system.hpp"
#include "matrices.hpp"

namespace hilo::test {
namespace {

template <class T>
struct System : LinearSystem<T> {
  using LinearSystem<T>::LinearSystem, LinearSystem<T>::n, LinearSystem<T>::count, LinearSystem<T>::a,
      LinearSystem<T>::b, LinearSystem<T>::x, LinearSystem<T>::view_of;

  SolveReport solve(const SolveOptions& options = {}) {
    return hilo::solve(view_of(a, n), view_of(b, count), view_of(x, count), options);
  }
};

template <class T>
System<T> filled(std::int64_t n, const std::function<double(std::int64_t, std::int64_t)>& entry) {
  std::vector<T> a(static_cast<std::size_t>(n * n));
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) a[static_cast<std::size_t>(i + j * n)] = T(entry(i, j));
  }
  return {n, a};
}

// All leaves of U are 2^k: partial pivoting exchanges nothing.
System<dd_real> wilkinson(std::int64_t n) {
  return filled<dd_real>(n, [n](std::int64_t i, std::int64_t j) {
    return i == j || j == n - 1 ? 1.0 : i > j ? -1.0 : 0.0;
  });
}

void expect_full(const SolveReport& report, const SolutionError& error, const std::string& what) {
  EXPECT_TRUE(report.is_solved) << what << ": " << report.reason;
  EXPECT_EQ(report.accuracy, SolveAccuracy::full) << what;
  EXPECT_LE(report.backward_error_u2, 2.0) << what;
  EXPECT_LE(error.norm, 1.0) << what;
  EXPECT_LE(error.component, 1.0) << what;
}

template <class T>
class Solve : public testing::Test {};
TYPED_TEST_SUITE(Solve, DoubleDoubles, NameOfPrecision);

// Steps of docs/solve.md's table at most two more than foretold by the rate of 0.04 κu.
TYPED_TEST(Solve, IsFullyAccurateByFactorsInDouble) {
  using T = TypeParam;
  const std::int64_t n = is_long() ? 100 : 40;
  for (const double condition : {1e2, 1e8, 1e11, 1e13, 1e14, 1e15}) {
    System<T> system(n, matrix_with_condition<T>(n, condition, 7));
    const SolveReport report = system.solve({.factors = SolveFactors::in_double});
    const std::string what = "condition " + std::to_string(std::log10(condition));
    expect_full(report, system.error(), what);
    EXPECT_EQ(report.path, SolvePath::double_lu);
    EXPECT_GE(report.condition, condition / 3) << what;
    const double rate = std::max(0.04 * report.condition * 0x1p-53, 0x1p-50);
    EXPECT_LE(report.steps, 106.0 / -std::log2(rate) + 3.0) << what;
    EXPECT_LE(system.error().norm * 0x1p-106, report.error_estimate * 2.0) << what;
  }
}

TYPED_TEST(Solve, IsFullyAccurateWithWhateverFactorsItTakes) {
  using T = TypeParam;
  const std::int64_t n = is_long() ? 100 : 40;
  for (const double condition : {1e2, 1e13, 1e17, 1e20, 1e24, 1e28, 1e29}) {
    System<T> system(n, matrix_with_condition<T>(n, condition, 7));
    const SolveReport report = system.solve();
    expect_full(report, system.error(), "condition " + std::to_string(std::log10(condition)));
    // Between them whichever takes less time.
    if (condition < 1e12) {
      EXPECT_EQ(report.path, SolvePath::double_lu);
    } else if (condition > 1e15) {
      EXPECT_EQ(report.path, SolvePath::double_double_lu);
    }
    EXPECT_LE(report.steps, condition < 1e28 && report.path == SolvePath::double_double_lu ? 5 : 9);
  }
}

TYPED_TEST(Solve, SaysThatABackwardSolutionIsOne) {
  using T = TypeParam;
  const std::int64_t n = 40;
  for (const double condition : {1e2, 1e8, 1e14, 1e20, 1e28}) {
    System<T> system(n, matrix_with_condition<T>(n, condition, 7));
    const SolveReport report = system.solve({.accuracy = SolveAccuracy::backward});
    EXPECT_TRUE(report.is_solved) << condition << ' ' << report.reason;
    EXPECT_EQ(report.accuracy, SolveAccuracy::backward);
    EXPECT_LE(report.backward_error_u2, 4.0);
    EXPECT_LE(system.error().norm * 0x1p-106, report.error_estimate * 3.0) << condition;
    EXPECT_LE(system.error().norm, condition) << condition;
  }
}

TYPED_TEST(Solve, RefusesWhatIsSingularToDoubleDouble) {
  using T = TypeParam;
  const std::int64_t n = 40;
  for (const SolveAccuracy accuracy : {SolveAccuracy::full, SolveAccuracy::backward}) {
    System<T> ill(n, matrix_with_condition<T>(n, 1e34, 7));
    EXPECT_FALSE(ill.solve({.accuracy = accuracy}).is_solved);
    EXPECT_TRUE(ill.is_untouched());
    System<T> too_ill_for_double(n, matrix_with_condition<T>(n, 1e19, 7));
    const SolveReport report = too_ill_for_double.solve({.accuracy = accuracy, .factors = SolveFactors::in_double});
    EXPECT_FALSE(report.is_solved);
    EXPECT_NE(report.reason, "");
    EXPECT_TRUE(too_ill_for_double.is_untouched());
    // A row doubled; a row and a column of zeros.
    System<T> doubled(n, matrix_with_condition<T>(n, 10, 7));
    for (std::int64_t j = 0; j < n; ++j) doubled.view_of(doubled.a, n)(3, j) = doubled.view_of(doubled.a, n)(7, j);
    EXPECT_FALSE(doubled.solve({.accuracy = accuracy}).is_solved);
    System<T> zeros(n, matrix_with_condition<T>(n, 10, 7));
    for (std::int64_t j = 0; j < n; ++j) zeros.view_of(zeros.a, n)(3, j) = T(0);
    const SolveReport of_zeros = zeros.solve({.accuracy = accuracy});
    EXPECT_FALSE(of_zeros.is_solved);
    EXPECT_EQ(of_zeros.condition, std::numeric_limits<double>::infinity());
    EXPECT_TRUE(zeros.is_untouched());
  }
}

TEST(Solve, SolvesSystemsThatAreKnownToBeHard) {
  // 1 / (i + j + 1) times what makes integers of them.
  const auto hilbert = [](std::int64_t n) {
    dd_real multiple = 1;
    std::int64_t common = 1;
    for (std::int64_t i = 2; i < 2 * n; ++i) common = std::lcm(common, i);
    multiple = dd_real(static_cast<double>(common >> 32) * 0x1p32) + static_cast<double>(common & 0xffffffff);
    System<dd_real> s = filled<dd_real>(n, [](std::int64_t, std::int64_t) { return 0.0; });
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < n; ++i)
        s.a[static_cast<std::size_t>(i + j * n)] = multiple / static_cast<double>(i + j + 1);
    }
    return s;
  };
  for (const std::int64_t n : {5, 12, 16, 20}) {
    System<dd_real> s = hilbert(n);
    const SolveReport report = s.solve();
    expect_full(report, s.error(), "Hilbert " + std::to_string(n));
  }
  for (const std::int64_t n : {16, 24, 30}) {
    System<dd_real> s = filled<dd_real>(n, [](std::int64_t i, std::int64_t j) {
      double x = 1.0;
      for (std::int64_t k = 1; k <= i; ++k) x = x * static_cast<double>(j + k) / static_cast<double>(k);
      return std::round(x);
    });
    const SolveReport report = s.solve();
    expect_full(report, s.error(), "Pascal " + std::to_string(n));
  }
  System<dd_real> vandermonde = filled<dd_real>(20, [](std::int64_t i, std::int64_t j) {
    return std::pow(static_cast<double>(i) / 19.0, static_cast<double>(j));
  });
  const SolveReport report = vandermonde.solve();
  expect_full(report, vandermonde.error(), "Vandermonde");
}

TEST(Solve, ScalesRowsAndColumns) {
  const std::int64_t n = 30;
  for (const int by : {-400, -60, 60, 400}) {
    for (const bool of_rows : {false, true}) {
      System<dd_real> s(n, matrix_with_condition<dd_real>(n, 1e6, 3));
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i < n; ++i) {
          dd_real& e = s.a[static_cast<std::size_t>(i + j * n)];
          e = ldexp(e, static_cast<int>((of_rows ? i : j) * by / n));
        }
      }
      const SolveReport report = s.solve();
      expect_full(report, s.error(), std::to_string(by));
      EXPECT_EQ(report.path, SolvePath::double_lu);
      EXPECT_LE(report.condition, 1e9);
    }
  }
}

// Without the test of the residual, corrections by factors in double vanish here, and x is wrong by 1e11 u².
TEST(Solve, IsNotDeceivedByGrowth) {
  for (const std::int64_t n : {60, 100, 120, 200}) {
    if (n > 120 && !is_long()) continue;
    System<dd_real> s = wilkinson(n);
    EXPECT_FALSE(s.solve({.factors = SolveFactors::in_double}).is_solved);
    EXPECT_TRUE(s.is_untouched());
    const SolveReport report = s.solve();
    expect_full(report, s.error(), std::to_string(n));
    EXPECT_EQ(report.path, n < 110 ? SolvePath::double_double_lu : SolvePath::double_double_qr);
    System<dd_real> backward = wilkinson(n);
    const SolveReport of_backward = backward.solve({.accuracy = SolveAccuracy::backward});
    EXPECT_TRUE(of_backward.is_solved);
    EXPECT_LE(backward.error().norm, 1e4);
  }
}

// Corrections err in proportion to the largest entry, which x cannot hold to the last bit.
TEST(Solve, IsRightInEntriesOfAllSizes) {
  const std::int64_t n = 30;
  for (const bool is_ill : {false, true}) {
    Random random(8);
    std::vector<dd_real> a(static_cast<std::size_t>(n * n));
    for (dd_real& e : a) e = dd_real(static_cast<double>(random.between(-9, 9)));
    // Two rows that differ in one entry, by 1 in 2^30.
    for (std::int64_t j = 0; is_ill && j < n; ++j) {
      a[static_cast<std::size_t>(1 + j * n)] = a[static_cast<std::size_t>(j * n)] + (j == 3 ? 0x1p-30 : 0.0);
    }
    System<dd_real> s(n, a);
    std::vector<double> exact;
    for (std::int64_t i = 0; i < n; ++i)
      exact.push_back(i % 6 == 5 ? 0.0 : std::ldexp(3.0, static_cast<int>(-9 * (i % 6))));
    for (std::int64_t i = 0; i < n; ++i) {
      dd_real sum = 0;
      for (std::int64_t j = 0; j < n; ++j)
        sum += s.a[static_cast<std::size_t>(i + j * n)] * exact[static_cast<std::size_t>(j)];
      s.b[static_cast<std::size_t>(i)] = sum;
    }
    const SolveReport report = s.solve({.factors = SolveFactors::in_double, .certify = true});
    ASSERT_TRUE(report.is_solved) << report.reason;
    EXPECT_EQ(report.accuracy, SolveAccuracy::full);
    EXPECT_TRUE(report.is_certified);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const double error = std::fabs((s.x[i] - exact[i]).hi);
      EXPECT_LE(error, exact[i] == 0.0 ? 0x1p-150 : 0x1p-106 * exact[i]) << i << ' ' << report;
      EXPECT_LE(error, report.bounds[i]);
    }
  }
}

template <class T>
class SolveAll : public testing::Test {};
TYPED_TEST_SUITE(SolveAll, AllPrecisions, NameOfPrecision);

TYPED_TEST(SolveAll, RoundsOnceInEachLayoutAndWithSeveralRightHandSides) {
  using T = TypeParam;
  std::uint64_t seed = 0;
  for (const std::int64_t n : {1, 2, 3, 17, 40}) {
    for (const std::int64_t count : {1, 3}) {
      for (const Layout layout : both_layouts) {
        for (const Op op : every_op) {
          StoredMatrix<T> a(layout, n, n, ++seed), b(layout, n, count, seed + 1000), x(layout, n, count);
          const StoredMatrix<T> before = b;
          const MatrixView<const T> of_a = a.read().turned(op);
          const SolveReport report = solve(of_a, b.read(), x.view);
          ASSERT_TRUE(report.is_solved) << report.reason;
          // In B's place too.
          ASSERT_TRUE(solve(of_a, b.read(), b.view).is_solved);
          for (std::int64_t k = 0; k < count; ++k) {
            const auto exact = wide_solution(
                n, [&](std::int64_t i, std::int64_t j) { return wide(blas::element(of_a, i, j)); },
                [&](std::int64_t i) { return wide(before(i, k)); });
            std::vector<T> column;
            for (std::int64_t i = 0; i < n; ++i) {
              column.push_back(x(i, k));
              EXPECT_EQ(b(i, k), x(i, k));
            }
            // Half a unit in the last place is at most 1 in units of the precision's u.
            EXPECT_LE(error_of(exact, column.data()).norm, 1.0) << n;
          }
        }
      }
    }
  }
}

TEST(Solve, HasTheSameBitsWithAnyThreadsAndInstructions) {
  const std::int64_t n = 60;
  System<dd_complex> first(n, matrix_with_condition<dd_complex>(n, 1e17, 5), 2);
  ASSERT_TRUE(first.solve({.products = {.engine = Engine::direct, .fma = Fma::off, .threads = 1}}).is_solved);
  for (const char* target : {"", "AVX2", "SSE4"}) {
    System<dd_complex> s(n, matrix_with_condition<dd_complex>(n, 1e17, 5), 2);
    try {
      s.solve({.products = {.engine = Engine::direct, .fma = Fma::off, .threads = 3, .target = target}});
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::unsupported);
      continue;
    }
    EXPECT_EQ(first_difference(s.x, first.x), -1) << target;
  }
}

TEST(Solve, TakesZerosAndNothing) {
  System<dd_real> s(5, matrix_with_condition<dd_real>(5, 10, 1), 2);
  std::fill(s.b.begin(), s.b.begin() + 5, dd_real(0));
  EXPECT_TRUE(s.solve().is_solved);
  for (std::int64_t i = 0; i < 5; ++i) EXPECT_EQ(s.x[static_cast<std::size_t>(i)], dd_real(0));
  EXPECT_LE(s.error(1).norm, 1.0);
  System<dd_real> empty(0, {}, 3), no_columns(3, std::vector<dd_real>(9), 0);
  EXPECT_TRUE(empty.solve().is_solved);
  EXPECT_TRUE(no_columns.solve().is_solved);
}

TEST(Solve, NamesWhatCannotBeRight) {
  System<dd_real> s(3, matrix_with_condition<dd_real>(3, 10, 1));
  const auto refuses = [&s](const std::function<void()>& call, std::initializer_list<std::string> parts) {
    expect_contains(message_of(errc::invalid_argument, call), parts);
    EXPECT_TRUE(s.is_untouched());
  };
  const auto a = s.view_of(s.a, 3), b = s.view_of(s.b, 1), x = s.view_of(s.x, 1);
  refuses([&] { solve(a.sub(0, 0, 3, 2), b, x); }, {"solve: A, 3 x 2, is not square"});
  refuses([&] { solve(a, b.sub(0, 0, 2, 1), x); }, {"solve: rows of B = 2 is not rows of A = 3"});
  refuses([&] { solve(a, b, x.sub(0, 0, 2, 1)); }, {"solve: rows of X = 2 is not columns of A = 3"});
  refuses([&] { solve(a, a, x); }, {"solve: columns of X = 1 is not columns of B = 3"});
  refuses([&] { solve(a, b, a.sub(0, 0, 3, 1)); }, {"solve: X overlaps A"});
  refuses([&] { solve(a, b, x, {.accuracy = static_cast<SolveAccuracy>(7)}); }, {"solve: ", "options.accuracy"});
  refuses([&] { solve(a, b, x, {.factors = static_cast<SolveFactors>(7)}); }, {"solve: ", "options.factors"});
  refuses([&] { solve(a, b, x, {.products = {.threads = -1}}); }, {"solve: options.threads = -1 is negative"});
  refuses([&] { solve(a, b, x, {.products = {.bits = 3}}); }, {"solve: options.bits = 3"});
  refuses([&] { solve(a, b, x, {.products = {.block = 2000}}); }, {"solve: options.block = 2000"});
  s.a[4] = dd_real(std::numeric_limits<double>::quiet_NaN());
  refuses([&] { solve(a, b, x); }, {"solve: A(1, 1) is not finite"});
  // Low words alone, too, of rows in vectors and beside them.
  for (const std::size_t n : {3, 17}) {
    std::vector<dd_real> wide(n * n, dd_real(1));
    wide[n + 1].lo = std::numeric_limits<double>::quiet_NaN();
    const auto size = static_cast<std::int64_t>(n);
    const MatrixView<dd_real> of_wide{wide.data(), size, size, 1, size};
    const MatrixView<dd_real> turned{wide.data(), size, size, size, 1};
    std::vector<dd_real> right(n), unknown(n);
    const MatrixView<dd_real> r{right.data(), size, 1, 1, size}, u{unknown.data(), size, 1, 1, size};
    refuses([&] { solve(of_wide, r, u); }, {"solve: A(1, 1) is not finite"});
    refuses([&] { solve(turned, r, u); }, {"solve: A(1, 1) is not finite"});
  }
  s.a[4] = 1;
  s.b[2].lo = std::numeric_limits<double>::quiet_NaN();
  refuses([&] { solve(a, b, x); }, {"solve: B(2, 0) is not finite"});
  s.b[2] = dd_real(std::numeric_limits<double>::infinity());
  refuses([&] { solve(a, b, x); }, {"solve: B(2, 0) is not finite"});
}

TEST(Solve, ReportsInOneLine) {
  System<dd_real> s(10, matrix_with_condition<dd_real>(10, 100, 1));
  std::ostringstream text;
  text << s.solve();
  expect_contains(text.str(), {"solved, accuracy full, LU in double, ", "condition ", "backward error "});
  System<dd_real> singular(2, std::vector<dd_real>(4, dd_real(1)));
  text.str("");
  text << singular.solve();
  expect_contains(text.str(), {"not solved: ", "singular"});
}

}  // namespace
}  // namespace hilo::test
