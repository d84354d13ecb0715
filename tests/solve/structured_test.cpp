// Positive definite, symmetric and Hermitian systems by one triangle.
#include <hilo/solve.hpp>

#include "error_message.hpp"
#include "matrices.hpp"
#include "wide_system.hpp"

namespace hilo::test {
namespace {

enum class Kind { positive, symmetric, hermitian };

// The other triangle is NaN, and the diagonal of a Hermitian matrix has a NaN for its imaginary part.
template <class T>
struct System {
  std::int64_t n;
  Uplo uplo;
  Kind kind;
  StoredMatrix<T> a, b, x;

  System(Kind its_kind, Uplo triangle, Layout layout, std::int64_t order, const std::vector<T>& entries)
      : n(order), uplo(triangle), kind(its_kind), a(layout, n, n), b(layout, n, 2, 77), x(layout, n, 2) {
    a.fill([&](std::int64_t i, std::int64_t j) {
      T e = entries[static_cast<std::size_t>(i + j * n)];
      if (i != j && (i > j) != (uplo == Uplo::lower)) return not_a_number<T>();
      if constexpr (is_complex(precision_of<T>)) {
        if (i == j && kind != Kind::symmetric) e = T(e.re, std::numeric_limits<double>::quiet_NaN());
      }
      return e;
    });
  }
  // Entry (i, j) as the routine is to take it.
  T entry(std::int64_t i, std::int64_t j) const {
    if constexpr (is_complex(precision_of<T>)) {
      if (i == j) return kind == Kind::symmetric ? a(i, i) : T(a(i, i).re);
    }
    if (i == j || (i > j) == (uplo == Uplo::lower)) return a(i, j);
    return kind == Kind::symmetric ? a(j, i) : conjugate_of(a(j, i));
  }
  SolveReport solve(const SolveOptions& options = {}) {
    switch (kind) {
      case Kind::positive:
        return solve_positive(uplo, a.read(), b.read(), x.view, options);
      case Kind::symmetric:
        return solve_symmetric(uplo, a.read(), b.read(), x.view, options);
      default:
        return solve_hermitian(uplo, a.read(), b.read(), x.view, options);
    }
  }
  void expect_full(const SolveReport& report) const {
    ASSERT_TRUE(report.is_solved) << report.reason;
    EXPECT_EQ(report.accuracy, SolveAccuracy::full);
    for (std::int64_t k = 0; k < 2; ++k) {
      const auto exact = wide_solution(
          n, [&](std::int64_t i, std::int64_t j) { return wide(entry(i, j)); },
          [&](std::int64_t i) { return wide(b(i, k)); });
      std::vector<T> column;
      for (std::int64_t i = 0; i < n; ++i) column.push_back(x(i, k));
      const SolutionError error = error_of(exact, column.data());
      EXPECT_LE(error.norm, 1.0);
      EXPECT_LE(error.component, 1.0) << report;
      for (std::int64_t i = 0; i < n && report.is_certified; ++i) {
        WideNumber difference = exact[static_cast<std::size_t>(i)];
        difference -= WideNumber(wide(x(i, k)));
        EXPECT_LE(difference.magnitude(), report.bounds[static_cast<std::size_t>(i + k * n)]);
      }
    }
  }
};

template <class T>
class Structured : public testing::Test {};
TYPED_TEST_SUITE(Structured, DoubleDoubles, NameOfPrecision);

TYPED_TEST(Structured, IsFullyAccurateByCholesky) {
  using T = TypeParam;
  const std::int64_t n = 40;
  for (const double condition : {1e4, 1e10, 1e13, 1e15, 1e18, 1e22, 1e28}) {
    const auto entries = hermitian_with_condition<T>(n, condition, 5, true);
    for (const Uplo uplo : both_triangles) {
      System<T> s(Kind::positive, uplo, uplo == Uplo::lower ? Layout::row : Layout::column, n, entries);
      const SolveReport report = s.solve({.certify = true});
      s.expect_full(report);
      EXPECT_TRUE(report.is_certified) << condition;
      if (condition < 1e11) {
        EXPECT_EQ(report.path, SolvePath::double_cholesky);
        EXPECT_LE(report.steps, 6);
      } else if (condition > 1e17) {
        EXPECT_EQ(report.path, SolvePath::double_double_cholesky);
      }
    }
  }
}

TYPED_TEST(Structured, IsFullyAccurateByBunchAndKaufman) {
  using T = TypeParam;
  const std::int64_t n = 40;
  for (const double condition : {1e4, 1e10, 1e15, 1e22, 1e28}) {
    const auto entries = hermitian_with_condition<T>(n, condition, 6, false);
    for (const Kind kind : {Kind::symmetric, Kind::hermitian}) {
      for (const Uplo uplo : both_triangles) {
        System<T> s(kind, uplo, uplo == Uplo::lower ? Layout::row : Layout::column, n, entries);
        const SolveReport report = s.solve({.certify = true});
        if (is_complex(precision_of<T>) && kind == Kind::symmetric && !report.is_solved) {
          // What a Hermitian matrix's triangle makes has whatever condition it has.
          EXPECT_GE(report.condition, 1e28);
          continue;
        }
        s.expect_full(report);
        EXPECT_TRUE(report.is_certified) << condition;
        EXPECT_TRUE(report.path == SolvePath::double_ldl || report.path == SolvePath::double_double_ldl);
      }
    }
  }
}

TYPED_TEST(Structured, ScalesBothSidesAlike) {
  using T = TypeParam;
  const std::int64_t n = 30;
  for (const int by : {-300, 60, 300}) {
    auto entries = hermitian_with_condition<T>(n, 1e6, 5, true);
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < n; ++i) {
        T& e = entries[static_cast<std::size_t>(i + j * n)];
        e = e * T(dd_real(std::ldexp(1.0, static_cast<int>((i + j) * by / n))));
      }
    }
    for (const Kind kind : {Kind::positive, Kind::hermitian}) {
      System<T> s(kind, Uplo::lower, Layout::column, n, entries);
      const SolveReport report = s.solve();
      s.expect_full(report);
      EXPECT_LE(report.condition, 1e10);
      EXPECT_LT(report.path, SolvePath::double_double_lu) << name(report.path);
    }
  }
}

TYPED_TEST(Structured, RefusesWhatIsNotPositiveDefinite) {
  using T = TypeParam;
  const std::int64_t n = 30;
  System<T> s(Kind::positive, Uplo::lower, Layout::column, n, hermitian_with_condition<T>(n, 1e3, 5, false));
  const SolveReport report = s.solve();
  EXPECT_FALSE(report.is_solved);
  expect_contains(report.reason, {"A is not positive definite to double-double"});
  EXPECT_EQ(s.x(0, 0), T(12345));
  System<T> zero(Kind::hermitian, Uplo::upper, Layout::column, n, std::vector<T>(static_cast<std::size_t>(n * n)));
  EXPECT_FALSE(zero.solve().is_solved);
}

TEST(Structured, NamesWhatCannotBeRight) {
  std::vector<dd_real> a(9, dd_real(1)), b(3, dd_real(1)), x(3);
  const auto of = [](std::vector<dd_real>& y, std::int64_t columns) {
    return view(Layout::column, Op::none, y.data(), 3, columns, 3);
  };
  const auto refuses = [&](const std::function<void()>& call, std::initializer_list<std::string> parts) {
    expect_contains(message_of(errc::invalid_argument, call), parts);
  };
  refuses([&] { solve_positive<dd_real>(static_cast<Uplo>(5), of(a, 3), of(b, 1), of(x, 1)); },
          {"solve_positive: ", "uplo"});
  refuses([&] { solve_symmetric<dd_real>(Uplo::lower, of(a, 3).sub(0, 0, 3, 2), of(b, 1), of(x, 1)); },
          {"solve_symmetric: A, 3 x 2, is not square"});
  refuses([&] { solve_positive<dd_real>(Uplo::lower, of(a, 3), of(b, 1), of(x, 1), {.products = {.threads = -1}}); },
          {"solve_positive: options.threads = -1 is negative"});
  a[1] = dd_real(std::numeric_limits<double>::infinity());
  refuses([&] { solve_hermitian<dd_real>(Uplo::lower, of(a, 3), of(b, 1), of(x, 1)); },
          {"solve_hermitian: A(1, 0) is not finite"});
}

}  // namespace
}  // namespace hilo::test
