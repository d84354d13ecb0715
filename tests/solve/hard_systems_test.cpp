// Systems that deceive a solver, or make it refuse what it can solve: residuals in too few words, entries that are 0,
// rows of zeros, what overflows.
#include <cstdio>
#include <hilo/solve.hpp>

#include "error_message.hpp"
#include "matrices.hpp"
#include "solve/exact_matrix.hpp"
#include "wide_system.hpp"

namespace hilo::test {
namespace {

MatrixView<dd_real> columns(std::vector<dd_real>& x, std::int64_t rows) {
  return view(Layout::column, Op::none, x.data(), rows, static_cast<std::int64_t>(x.size()) / rows, rows);
}

template <class T>
struct System {
  std::int64_t n;
  std::vector<T> a, b = std::vector<T>(static_cast<std::size_t>(n), T(1)), x = std::vector<T>(b.size(), T(12345));

  SolveReport solve(const SolveOptions& options = {}) {
    const auto of = [this](std::vector<T>& y) {
      return view(Layout::column, Op::none, y.data(), n, static_cast<std::int64_t>(y.size()) / n, n);
    };
    return hilo::solve(of(a), of(b), of(x), options);
  }
  // b = A x, nearly.
  void take_solution(const std::vector<T>& given) {
    std::fill(b.begin(), b.end(), T(0));
    for (std::size_t e = 0; e < a.size(); ++e) b[e % b.size()] = b[e % b.size()] + a[e] * given[e / b.size()];
  }
  SolutionError error() const {
    const auto exact = wide_solution(
        n, [&](std::int64_t i, std::int64_t j) { return wide(a[static_cast<std::size_t>(i + j * n)]); },
        [&](std::int64_t i) { return wide(b[static_cast<std::size_t>(i)]); });
    return error_of(exact, x.data());
  }
  // In u²; entries below 2^-53 of the largest, the columns of A scaled by powers of two, count as that.
  double error_by_scale() const {
    const auto exact = wide_solution(
        n, [&](std::int64_t i, std::int64_t j) { return wide(a[static_cast<std::size_t>(i + j * n)]); },
        [&](std::int64_t i) { return wide(b[static_cast<std::size_t>(i)]); });
    const auto entry = [this](std::int64_t i, std::int64_t j) { return a[static_cast<std::size_t>(i + j * n)]; };
    solver::Scaling scaling = solver::scaling_of(*solver::largest_of_rows(1, n, n, entry), n);
    const solver::ExactMatrix<T> scaled_matrix(1, scaling, entry, &scaling.columns);
    double largest = 0.0, worst = 0.0;
    const auto scaled = [&](double size, std::size_t i) { return std::ldexp(size, -scaling.columns[i]); };
    for (std::size_t i = 0; i < exact.size(); ++i) largest = std::max(largest, scaled(exact[i].magnitude(), i));
    for (std::size_t i = 0; i < exact.size(); ++i) {
      WideNumber difference = exact[i];
      difference -= WideNumber(wide(x[i]));
      const double whole = std::max(scaled(exact[i].magnitude(), i), 0x1p-53 * largest);
      if (whole > 0.0) worst = std::max(worst, scaled(difference.magnitude(), i) / whole);
    }
    return worst * 0x1p106;
  }
  bool is_untouched() const {
    return std::all_of(x.begin(), x.end(), [](const T& e) { return e == T(12345); });
  }
};

// Double finds x = (3, 5) at once, and a residual in two words is 0: by the condition, x is wrong by 1e10 u² all the
// same.
TEST(HardSystems, IsNotDeceivedByResidualsInTwoWords) {
  Random random(5);
  for (int s = 0; s < 500; ++s) {
    System<dd_real> system{2, {1.0, 1.0, 1.0, 1.0 + 0x1p-34}};
    for (dd_real& e : system.a) e += std::ldexp(random.uniform(), -54);
    for (std::size_t i = 0; i < 2; ++i) system.b[i] = system.a[i] * 3.0 + system.a[i + 2] * 5.0;
    const SolveReport report = system.solve({.products = {.threads = 1}});
    ASSERT_TRUE(report.is_solved) << s << report.reason;
    EXPECT_EQ(report.accuracy, SolveAccuracy::full);
    EXPECT_LE(system.error().component, 1.0) << s;
  }
}

// The entries of x that A's lower left block takes are 0, and found to be small: its rows have no others.
TEST(HardSystems, SolvesForEntriesThatAreZero) {
  for (const std::int64_t n : {4, 10, 20}) {
    System<dd_real> s{n, matrix_with_condition<dd_real>(n, 1e3, 3)};
    for (std::int64_t j = n / 2; j < n; ++j) {
      for (std::int64_t i = n / 2; i < n; ++i) s.a[static_cast<std::size_t>(i + j * n)] = 0;
    }
    std::fill(s.b.begin() + n / 2, s.b.end(), dd_real(0));
    for (const SolveAccuracy accuracy : {SolveAccuracy::full, SolveAccuracy::backward}) {
      for (const SolveFactors factors : {SolveFactors::automatic, SolveFactors::in_double_double}) {
        const SolveReport report =
            s.solve({.accuracy = accuracy, .factors = factors, .certify = true, .products = {.threads = 1}});
        ASSERT_TRUE(report.is_solved) << n << ' ' << name(accuracy) << ' ' << name(factors);
        EXPECT_EQ(report.accuracy, accuracy);
        EXPECT_TRUE(report.is_certified);
        const double unit = accuracy == SolveAccuracy::full ? 0x1p-106 : 0x1p-106 * report.condition;
        const double least = accuracy == SolveAccuracy::full ? 0x1p-53 : 1.0;
        double most = 0.0;
        for (const dd_real& e : s.x) most = std::max(most, std::fabs(e.hi));
        EXPECT_LE(s.error().norm * 0x1p-106, unit);
        for (std::int64_t i = 0; i < n / 2; ++i) {
          EXPECT_LE(std::fabs(s.x[static_cast<std::size_t>(i)].hi), unit * least * most) << i;
        }
      }
    }
  }
}

// Matrices of any condition up to 10^28, in double or not, and of small integers with more behind them or without;
// x of small integers, of zeros among them, of entries down to 2^-60. `full` is to be had, and is never said of what
// has an error of more than u² in an entry.
template <class T>
void expect_full_solutions(std::int64_t systems, std::uint64_t seed) {
  Random random(seed);
  const auto integer = [&random](std::int64_t most) {
    const auto re = static_cast<double>(random.between(-most, most));
    return element_of<T>(re, static_cast<double>(random.between(-most, most)));
  };
  double worst = 0.0;
  for (std::int64_t s = 0; s < systems; ++s) {
    const std::int64_t n = random.between(1, 20), kind = s % 4, of_x = s / 4 % 4;
    System<T> system{n, std::vector<T>(static_cast<std::size_t>(n * n))};
    if (kind < 2) {
      const double condition = std::pow(10.0, static_cast<double>(random.between(0, 28)));
      system.a = matrix_with_condition<T>(n, condition, seed + static_cast<std::uint64_t>(s), random.below(3) == 0);
    } else {
      for (T& e : system.a) e = integer(9);
    }
    for (T& e : system.a) {
      if (kind == 1) e = T(solver::leading(e));
      if (kind == 3) e = e + random_element<T>(random) * T(std::ldexp(1.0, static_cast<int>(-random.between(20, 60))));
    }
    std::vector<T> given(static_cast<std::size_t>(n));
    for (T& e : given) {
      e = of_x < 2 ? integer(3) : random_element<T>(random);
      if (of_x == 1 && random.below(2) == 0) e = T(0);
      if (of_x == 3) e = e * T(std::ldexp(1.0, static_cast<int>(-random.between(0, 60))));
    }
    system.take_solution(given);
    const SolveReport report = system.solve({.products = {.threads = 1}});
    if (!(report.condition <= 1e29)) continue;
    ASSERT_TRUE(report.is_solved) << s << ' ' << report.reason;
    EXPECT_EQ(report.accuracy, SolveAccuracy::full) << s << ' ' << report;
    if (report.accuracy == SolveAccuracy::full) worst = std::max(worst, system.error_by_scale());
    ASSERT_LE(worst, 1.0) << s << ' ' << report;
  }
  if (is_long()) std::printf("largest error %.3f u^2\n", worst);
}

TEST(HardSystems, AreSolvedFullyWhereEntriesAreZeroOrIntegers) {
  expect_full_solutions<dd_real>(is_long() ? 200000 : 1200, 1);
  expect_full_solutions<dd_complex>(is_long() ? 50000 : 400, 2);
}

// The last row is the sum of the others, which are of small integers, and some 2^-k: so the condition is about 2^k, and
// what double makes of the matrix is singular or not as k has it.
System<dd_real> nearly_singular(Random& random, std::int64_t n, int least_bits, int most_bits) {
  System<dd_real> s{n, std::vector<dd_real>(static_cast<std::size_t>(n * n))};
  for (std::int64_t j = 0; j < n; ++j) {
    dd_real sum = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      dd_real& e = s.a[static_cast<std::size_t>(i + j * n)];
      e = i + 1 < n ? dd_real(static_cast<double>(random.between(-9, 9))) : sum;
      sum += e;
    }
    if (random.below(2) == 0) {
      s.a[static_cast<std::size_t>((j + 1) * n - 1)] +=
          std::ldexp(random.uniform(), -static_cast<int>(random.between(least_bits, most_bits)));
    }
  }
  return s;
}

// Residuals in three or four words have digits of the large entries alone.
TEST(HardSystems, AsksForTheWordsThatSmallEntriesTake) {
  Random random(1);
  for (int s = 0; s < (is_long() ? 100000 : 1000); ++s) {
    System<dd_real> system = nearly_singular(random, random.between(2, 12), 20, 90);
    std::vector<dd_real> given(system.b.size());
    for (dd_real& e : given) {
      e = random.element<dd_real>();
      if (random.below(2) == 0) e = ldexp(e, -static_cast<int>(random.between(0, 50)));
    }
    system.take_solution(given);
    const SolveReport report = system.solve({.factors = SolveFactors::in_double_double, .products = {.threads = 1}});
    if (!report.is_solved || report.accuracy != SolveAccuracy::full) continue;
    EXPECT_LE(system.error_by_scale(), 1.0) << s << ' ' << report;
  }
}

// Factors that take A's smallest direction for another one correct nothing in it: what vanishes after fewer corrections
// than the condition takes is not believed.
TEST(HardSystems, BelievesNoFactorsToWhichTheMatrixIsSingular) {
  Random random(1);
  int full = 0;
  const int systems = is_long() ? 300000 : 6000;
  for (int s = 0; s < systems; ++s) {
    System<dd_real> system = nearly_singular(random, random.between(2, 5), 46, 56);
    std::vector<dd_real> given(system.b.size());
    for (dd_real& e : given) e = random.element<dd_real>();
    system.take_solution(given);
    const SolveReport report = system.solve({.factors = SolveFactors::in_double, .products = {.threads = 1}});
    if (!report.is_solved || report.accuracy != SolveAccuracy::full) continue;
    ++full;
    EXPECT_LE(system.error_by_scale(), 4.0) << s << ' ' << report;
  }
  EXPECT_GE(full, systems / 10);
}

TEST(HardSystems, RefusesSolutionsThatOverflow) {
  for (const bool certify : {false, true}) {
    System<dd_real> s{1, {dd_real(0x1p-800)}};
    s.b[0] = 0x1p800;
    const SolveReport report = s.solve({.certify = certify});
    EXPECT_FALSE(report.is_solved);
    expect_contains(report.reason, {"X(0, 0) overflows"});
    EXPECT_TRUE(s.is_untouched());
    System<float> single{1, {1e-30F}};
    single.b[0] = 1e30F;
    EXPECT_FALSE(single.solve({.certify = certify}).is_solved);
    EXPECT_TRUE(single.is_untouched());
    System<float> small{1, {1e30F}};
    small.b[0] = 1e-30F;
    const SolveReport underflow = small.solve({.certify = certify});
    EXPECT_TRUE(underflow.is_solved);
    EXPECT_EQ(underflow.is_certified, certify);
    EXPECT_GE(certify ? underflow.bounds[0] : 1.0, 0.9e-60);
  }
  std::vector<dd_real> a = {dd_real(0x1p-800), dd_real(0)}, b = {dd_real(0x1p800), dd_real(0)}, x = {dd_real(12345)};
  const SolveReport report = solve_least_squares(columns(a, 2), columns(b, 2), columns(x, 1));
  EXPECT_FALSE(report.is_solved);
  EXPECT_EQ(x[0], dd_real(12345));
}

// What is 0 in the residual, as of rows of zeros, is found to be small. A row, or a column of the matrix turned.
TEST(HardSystems, LeastSquaresHaveRowsOfZeros) {
  Random random(11);
  for (int s = 0; s < 40; ++s) {
    const std::int64_t n = random.between(1, 4), m = n + random.between(1, 4), zeros = random.between(0, m - n);
    std::vector<dd_real> a(static_cast<std::size_t>(m * n)), b(static_cast<std::size_t>(m)), x(a.size() / b.size());
    for (std::size_t e = 0; e < a.size(); ++e) {
      if (static_cast<std::int64_t>(e) % m >= zeros) a[e] = random_element<dd_real>(random);
    }
    // In A's range, nearly, with 0 in some rows.
    for (std::size_t i = 0; i < a.size(); ++i) b[i % b.size()] += s % 2 == 0 ? a[i] * 3.0 : dd_real(0);
    if (s % 2 == 1) b.back() = 1;
    const MatrixView<dd_real> of_a = columns(a, m);
    for (const SolveAccuracy accuracy : {SolveAccuracy::full, SolveAccuracy::backward}) {
      const SolveReport report =
          solve_least_squares(of_a, columns(b, m), columns(x, n), {.accuracy = accuracy, .products = {.threads = 1}});
      EXPECT_TRUE(report.is_solved) << s << ' ' << name(accuracy) << ' ' << report.condition;
      EXPECT_EQ(report.accuracy, accuracy) << s;
      std::vector<dd_real> smallest(b.size()), given(x);
      EXPECT_TRUE(solve_least_squares(of_a.turned(Op::transpose), columns(given, n), columns(smallest, m),
                                      {.accuracy = accuracy, .products = {.threads = 1}})
                      .is_solved)
          << s << ' ' << name(accuracy);
    }
  }
}

}  // namespace
}  // namespace hilo::test
