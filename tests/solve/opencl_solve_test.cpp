// Systems in device memory: errors against 420 bits, the host's bits where engines are named, refusals.
#include <hilo/solve.hpp>
#include <numeric>

#include "blas/words.hpp"
#include "error_message.hpp"
#include "on_device.hpp"
#include "opencl/native.hpp"
#include "uploaded_system.hpp"

namespace hilo::test {
namespace {

void expect_full(const SolveReport& report, const SolutionError& error, const std::string& what) {
  EXPECT_TRUE(report.is_solved) << what << ": " << report.reason;
  EXPECT_EQ(report.accuracy, SolveAccuracy::full) << what;
  EXPECT_LE(report.backward_error_u2, 2.0) << what;
  EXPECT_LE(error.norm, 1.0) << what;
  EXPECT_LE(error.component, 1.0) << what;
}

template <class T>
class OpenclSolveAll : public testing::Test {
 protected:
  void SetUp() override {
    if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  }
};
TYPED_TEST_SUITE(OpenclSolveAll, AllPrecisions, NameOfPrecision);

TYPED_TEST(OpenclSolveAll, RoundsOnceInEachLayoutAndWithSeveralRightHandSides) {
  using T = TypeParam;
  Queue& q = queue();
  std::uint64_t seed = 0;
  for (const std::int64_t n : {1, 2, 17, 70}) {
    for (const std::int64_t count : {1, 3}) {
      for (const Layout layout : both_layouts) {
        ++seed;
        const Op op = every_op[seed % 4];
        const StoredMatrix<T> a(layout, n, n, seed), b(layout, n, count, seed + 1000), x(layout, n, count);
        const OnDevice<T> of_a(q, a), of_b(q, b), of_x(q, x);
        const SolveReport report = solve(q, of_a.view.turned(op), of_b.view, of_x.view);
        ASSERT_TRUE(report.is_solved) << report.reason;
        StoredMatrix<T> found = x;
        found.elements = of_x.read(q);
        found.view.data = found.elements.data() + (x.view.data - x.elements.data());
        EXPECT_EQ(found.first_changed(x, [](std::int64_t, std::int64_t) { return false; }), -1);
        // In B's place too.
        ASSERT_TRUE(solve(q, of_a.view.turned(op), of_b.view, of_b.view).is_solved);
        StoredMatrix<T> in_place = b;
        in_place.elements = of_b.read(q);
        in_place.view.data = in_place.elements.data() + (b.view.data - b.elements.data());
        for (std::int64_t k = 0; k < count; ++k) {
          const auto exact = wide_solution(
              n, [&](std::int64_t i, std::int64_t j) { return wide(blas::element(a.read().turned(op), i, j)); },
              [&](std::int64_t i) { return wide(b(i, k)); });
          std::vector<T> column;
          for (std::int64_t i = 0; i < n; ++i) {
            column.push_back(found(i, k));
            EXPECT_EQ(in_place(i, k), found(i, k));
          }
          EXPECT_LE(error_of(exact, column.data()).norm, 1.0) << n;
        }
      }
    }
  }
}

template <class T>
class OpenclSolve : public OpenclSolveAll<T> {};
TYPED_TEST_SUITE(OpenclSolve, DoubleDoubles, NameOfPrecision);

TYPED_TEST(OpenclSolve, IsFullyAccurateWithWhateverFactorsItTakes) {
  using T = TypeParam;
  const std::int64_t n = is_long() ? 100 : 40;
  for (const double condition : {1e2, 1e11, 1e17, 1e24, 1e29}) {
    UploadedSystem<T> s(n, matrix_with_condition<T>(n, condition, 7));
    const SolveReport report = s.solve();
    expect_full(report, s.error(), "condition " + std::to_string(std::log10(condition)));
    EXPECT_EQ(report.path, condition < 1e12 ? SolvePath::double_lu : SolvePath::double_double_lu);
    EXPECT_GE(report.condition, condition / 3);
    UploadedSystem<T> backward(n, s.a);
    const SolveReport of_backward = backward.solve({.accuracy = SolveAccuracy::backward});
    EXPECT_TRUE(of_backward.is_solved) << condition << ' ' << of_backward.reason;
    EXPECT_EQ(of_backward.accuracy, SolveAccuracy::backward);
    EXPECT_LE(of_backward.backward_error_u2, 4.0);
  }
}

TYPED_TEST(OpenclSolve, HasTheHostsBitsByNamedEngines) {
  using T = TypeParam;
  for (const double condition : {1e5, 1e20}) {
    for (const auto& [n, engine] :
         {std::pair<std::int64_t, Engine>{20, Engine::direct}, {90, Engine::direct}, {90, Engine::modular}}) {
      const SolveOptions options{.factors = SolveFactors::in_double_double,
                                 .products = {.engine = engine, .fma = Fma::on}};
      UploadedSystem<T> s(n, matrix_with_condition<T>(n, condition, 5), 2);
      std::vector<T> host(s.x.size());
      const SolveReport of_host = solve(s.view_of(s.a, n), s.view_of(s.b, 2), s.view_of(host, 2), options);
      const SolveReport report = s.solve(options);
      ASSERT_TRUE(of_host.is_solved && report.is_solved) << report.reason;
      EXPECT_EQ(first_difference(s.x, host), -1) << n << ' ' << condition;
      EXPECT_EQ(report.steps, of_host.steps);
      EXPECT_EQ(report.condition, of_host.condition);
      EXPECT_EQ(report.growth, of_host.growth);
      EXPECT_EQ(report.backward_error_u2, of_host.backward_error_u2);
      EXPECT_EQ(report.error_estimate, of_host.error_estimate);
    }
  }
}

// Steps, and words of residuals, differ from one to another.
TYPED_TEST(OpenclSolve, TakesRightHandSidesOfAllKinds) {
  using T = TypeParam;
  const std::int64_t n = 40;
  for (const double condition : {1e9, 3e13, 1e16}) {
    UploadedSystem<T> s(n, matrix_with_condition<T>(n, condition, 3), 4);
    for (std::int64_t i = 0; i < n; ++i) {
      s.b[static_cast<std::size_t>(i + n)] = T(0);
      s.b[static_cast<std::size_t>(i + 2 * n)] = s.a[static_cast<std::size_t>(i + 5 * n)];
      s.b[static_cast<std::size_t>(i + 3 * n)] =
          s.b[static_cast<std::size_t>(i)] * T(std::ldexp(1.0, static_cast<int>(9 * i)));
    }
    const SolveReport report = s.solve();
    EXPECT_TRUE(std::all_of(s.x.begin() + n, s.x.begin() + 2 * n, [](const T& e) { return e == T(0); }));
    for (const std::int64_t j : {0, 2, 3}) EXPECT_LE(s.error(j).norm, 1.0) << condition << ' ' << j << ' ' << report;
    EXPECT_EQ(report.accuracy, SolveAccuracy::full) << report;
  }
}

TYPED_TEST(OpenclSolve, RefusesWhatIsSingularToDoubleDouble) {
  using T = TypeParam;
  const std::int64_t n = 40;
  UploadedSystem<T> ill(n, matrix_with_condition<T>(n, 1e34, 7));
  EXPECT_FALSE(ill.solve().is_solved);
  EXPECT_TRUE(ill.is_untouched());
  UploadedSystem<T> too_ill_for_double(n, matrix_with_condition<T>(n, 1e19, 7));
  const SolveReport report = too_ill_for_double.solve({.factors = SolveFactors::in_double});
  EXPECT_FALSE(report.is_solved);
  EXPECT_NE(report.reason, "");
  EXPECT_TRUE(too_ill_for_double.is_untouched());
  UploadedSystem<T> zeros(n, matrix_with_condition<T>(n, 10, 7));
  for (std::int64_t j = 0; j < n; ++j) zeros.view_of(zeros.a, n)(3, j) = T(0);
  const SolveReport of_zeros = zeros.solve();
  EXPECT_FALSE(of_zeros.is_solved);
  EXPECT_EQ(of_zeros.condition, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(zeros.is_untouched());
}

TYPED_TEST(OpenclSolve, TakesPositiveDefiniteMatricesByATriangle) {
  using T = TypeParam;
  const std::int64_t n = 40;
  for (const double condition : {1e3, 1e20}) {
    for (const Uplo uplo : both_triangles) {
      UploadedSystem<T> s(n, hermitian_with_condition<T>(n, condition, 7, true), 2);
      // By its triangle, to the last bit.
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = j; i < n; ++i) {
          T& e = s.a[static_cast<std::size_t>(i + j * n)];
          if (i == j) e = T(real(e));
          s.a[static_cast<std::size_t>(j + i * n)] = conjugate_of(e);
        }
      }
      const std::vector<T> whole = s.a;
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i < n; ++i) {
          if (uplo == Uplo::lower ? i < j : i > j) s.a[static_cast<std::size_t>(i + j * n)] = not_a_number<T>();
        }
      }
      const SolveReport report = s.solve_positive(uplo);
      EXPECT_EQ(report.path, condition < 1e10 ? SolvePath::double_cholesky : SolvePath::double_double_cholesky);
      s.a = whole;
      expect_full(report, s.error(1), std::to_string(condition));
      const SolveOptions options{.factors = SolveFactors::in_double_double,
                                 .products = {.engine = Engine::direct, .fma = Fma::on}};
      std::vector<T> host(s.x.size());
      ASSERT_TRUE(solve_positive(uplo, s.view_of(s.a, n), s.view_of(s.b, 2), s.view_of(host, 2), options).is_solved);
      ASSERT_TRUE(s.solve_positive(uplo, options).is_solved);
      EXPECT_EQ(first_difference(s.x, host), -1);
    }
  }
  UploadedSystem<T> indefinite(n, hermitian_with_condition<T>(n, 1e3, 7, false));
  const SolveReport report = indefinite.solve_positive(Uplo::lower);
  EXPECT_EQ(report.reason, "A is not positive definite to double-double");
  EXPECT_TRUE(indefinite.is_untouched());
  UploadedSystem<T> s(n, hermitian_with_condition<T>(n, 1e3, 7, true));
  s.a[static_cast<std::size_t>(7 + 3 * n)] = not_a_number<T>();
  expect_contains(message_of(errc::invalid_argument, [&] { s.solve_positive(Uplo::lower); }),
                  {"solve_positive: A(7, 3) is not finite"});
}

class OpenclSolveReal : public OpenclSolveAll<double> {};

TEST_F(OpenclSolveReal, SolvesHilbertsMatrix) {
  for (const std::int64_t n : {5, 12, 20}) {
    std::int64_t common = 1;
    for (std::int64_t i = 2; i < 2 * n; ++i) common = std::lcm(common, i);
    const dd_real multiple =
        dd_real(static_cast<double>(common >> 32) * 0x1p32) + static_cast<double>(common & 0xffffffff);
    std::vector<dd_real> a;
    for (std::int64_t e = 0; e < n * n; ++e) a.push_back(multiple / static_cast<double>(e / n + e % n + 1));
    UploadedSystem<dd_real> s(n, a);
    const SolveReport report = s.solve();
    expect_full(report, s.error(), "Hilbert " + std::to_string(n));
  }
}

// Without the test of the residual, corrections by factors in double vanish here, and x is wrong by 1e11 u².
TEST_F(OpenclSolveReal, IsNotDeceivedByGrowth) {
  for (const std::int64_t n : {60, 120}) {
    std::vector<dd_real> a;
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < n; ++i) a.push_back(i == j || j == n - 1 ? 1.0 : i > j ? -1.0 : 0.0);
    }
    UploadedSystem<dd_real> s(n, a);
    EXPECT_FALSE(s.solve({.factors = SolveFactors::in_double}).is_solved);
    EXPECT_TRUE(s.is_untouched());
    const SolveReport report = s.solve();
    expect_full(report, s.error(), std::to_string(n));
    EXPECT_EQ(report.path, n < 110 ? SolvePath::double_double_lu : SolvePath::double_double_qr);
    const SolveOptions options{.factors = SolveFactors::in_double_double,
                               .products = {.engine = Engine::direct, .fma = Fma::on}};
    std::vector<dd_real> host(s.x.size());
    ASSERT_TRUE(solve(s.view_of(s.a, n), s.view_of(s.b, 1), s.view_of(host, 1), options).is_solved);
    ASSERT_TRUE(s.solve(options).is_solved);
    EXPECT_EQ(first_difference(s.x, host), -1);
  }
}

// From 1024 rows on one column is solved for by inverses of blocks, and by substitution where these would not do.
TEST_F(OpenclSolveReal, TakesManyRows) {
  const std::int64_t n = 1030;
  for (const bool is_positive : {false, true}) {
    for (const bool is_ill : {false, true}) {
      Random random(4);
      std::vector<double> a(static_cast<std::size_t>(n * n));
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i <= j; ++i) {
          a[static_cast<std::size_t>(i + j * n)] = random.uniform();
          a[static_cast<std::size_t>(j + i * n)] =
              is_positive ? a[static_cast<std::size_t>(i + j * n)] : random.uniform();
        }
        if (is_positive) a[static_cast<std::size_t>(j * (n + 1))] = 2.0 * static_cast<double>(n);
      }
      // Rows 3 and 700 differ little.
      if (is_ill && !is_positive) {
        for (std::int64_t j = 0; j < n; ++j) {
          const double old = a[static_cast<std::size_t>(700 + j * n)];
          a[static_cast<std::size_t>(700 + j * n)] = a[static_cast<std::size_t>(3 + j * n)] + 0x1p-24 * old;
        }
      }
      if (is_ill && is_positive) continue;
      UploadedSystem<double> s(n, a, 2);
      std::vector<double> host(s.x.size());
      const SolveOptions options{.factors = SolveFactors::in_double};
      SolveReport report;
      if (is_positive) {
        ASSERT_TRUE(solve_positive(Uplo::lower, s.view_of(s.a, n), s.view_of(s.b, 2), s.view_of(host, 2)).is_solved);
        report = s.solve_positive(Uplo::lower, options);
      } else {
        ASSERT_TRUE(solve(s.view_of(s.a, n), s.view_of(s.b, 2), s.view_of(host, 2)).is_solved);
        report = s.solve(options);
      }
      ASSERT_TRUE(report.is_solved) << report.reason;
      EXPECT_EQ(report.accuracy, SolveAccuracy::full);
      EXPECT_EQ(report.condition > 0x1p30, is_ill) << report;
      EXPECT_EQ(first_difference(s.x, host), -1) << report;
    }
  }
}

TEST_F(OpenclSolveReal, TakesManyRowsInDoubleDouble) {
  const std::int64_t n = 1030;
  UploadedSystem<dd_real> s(n, std::vector<dd_real>(static_cast<std::size_t>(n * n)), 2);
  Random random(3);
  for (dd_real& e : s.a) e = random_element<dd_real>(random);
  std::vector<dd_real> host(s.x.size());
  ASSERT_TRUE(solve(s.view_of(s.a, n), s.view_of(s.b, 2), s.view_of(host, 2)).is_solved);
  const SolveReport report = s.solve({.factors = SolveFactors::in_double_double});
  ASSERT_TRUE(report.is_solved) << report.reason;
  EXPECT_EQ(report.accuracy, SolveAccuracy::full);
  EXPECT_LE(report.steps, 2);
  for (std::size_t i = 0; i < host.size(); ++i) {
    EXPECT_LE(std::fabs((s.x[i] - host[i]).hi), 0x1p-105 * std::fabs(host[i].hi)) << i;
  }
}

TEST_F(OpenclSolveReal, TakesZerosAndNothing) {
  UploadedSystem<dd_real> s(5, matrix_with_condition<dd_real>(5, 10, 1), 2);
  std::fill(s.b.begin(), s.b.begin() + 5, dd_real(0));
  EXPECT_TRUE(s.solve().is_solved);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(s.x[i], dd_real(0));
  EXPECT_LE(s.error(1).norm, 1.0);
  UploadedSystem<dd_real> empty(0, {}, 3), no_columns(3, std::vector<dd_real>(9), 0);
  EXPECT_TRUE(empty.solve().is_solved);
  EXPECT_TRUE(no_columns.solve().is_solved);
}

TEST_F(OpenclSolveReal, RunsOnQueuesOfAnyOrderAfterEvents) {
  const Context context = test_context();
  cl::CommandQueue native(cl::Context(context.native(), true), cl::Device(context.native_device(), true),
                          CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Queue any_order(native()), other{context};
  UploadedSystem<dd_real> s(50, matrix_with_condition<dd_real>(50, 1e6, 1), 2), t = s;
  ASSERT_TRUE(t.solve().is_solved);
  ASSERT_TRUE(s.solve({}, any_order).is_solved);
  EXPECT_EQ(first_difference(s.x, t.x), -1);
  const auto a = s.upload(other, s.a, 50), b = s.upload(other, s.b, 2), x = s.upload(other, s.x, 2);
  const Event doubled = scal(other, dd_real(2), BufferVector<dd_real>{b.buffer, 0, 100, 1});
  ASSERT_TRUE(solve(any_order, a, b, x, {doubled}).is_solved);
  x.buffer.read(other, s.x.data(), 0, 100);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(s.x[i], t.x[i] * dd_real(2));
}

// One column's entries overflow, and none is written.
TEST_F(OpenclSolveReal, RefusesAnXThatOverflows) {
  UploadedSystem<double> s(3, {0x1p-1000, 0, 0, 0, 1, 0, 0, 0, 1}, 2);
  s.b = {1, 1, 1, 0x1p100, 1, 1};
  const SolveReport report = s.solve();
  EXPECT_FALSE(report.is_solved);
  EXPECT_EQ(report.reason, "X(0, 1) overflows");
  EXPECT_TRUE(s.is_untouched());
}

TEST_F(OpenclSolveReal, NamesWhatCannotBeRight) {
  Queue& q = queue();
  UploadedSystem<dd_real> s(3, matrix_with_condition<dd_real>(3, 10, 1));
  const auto refuses = [&](errc code, const std::function<void()>& call, std::initializer_list<std::string> parts) {
    expect_contains(message_of(code, call), parts);
    EXPECT_TRUE(s.is_untouched());
  };
  const auto a = s.upload(q, s.a, 3), b = s.upload(q, s.b, 1), x = s.upload(q, s.x, 1);
  constexpr errc invalid = errc::invalid_argument;
  refuses(invalid, [&] { solve(q, a.sub(0, 0, 3, 2), b, x); }, {"solve: A, 3 x 2, is not square"});
  refuses(invalid, [&] { solve(q, a, b.sub(0, 0, 2, 1), x); }, {"solve: rows of B = 2 is not rows of A = 3"});
  refuses(invalid, [&] { solve(q, a, b, x.sub(0, 0, 2, 1)); }, {"solve: rows of X = 2 is not columns of A = 3"});
  refuses(invalid, [&] { solve(q, a, a, x); }, {"solve: columns of X = 1 is not columns of B = 3"});
  refuses(invalid, [&] { solve(q, a, b, a.sub(0, 0, 3, 1)); }, {"solve: X overlaps A"});
  refuses(invalid, [&] { solve(q, a, b, x, {}, {.accuracy = static_cast<SolveAccuracy>(7)}); }, {"options.accuracy"});
  refuses(invalid, [&] { solve(q, a, b, x, {}, {.products = {.block = 2000}}); }, {"solve: options.block = 2000"});
  s.a[4] = dd_real(std::numeric_limits<double>::quiet_NaN());
  refuses(invalid, [&] { s.solve(); }, {"solve: A(1, 1) is not finite"});
  s.a[4] = 1;
  s.a[4].lo = std::numeric_limits<double>::quiet_NaN();
  refuses(invalid, [&] { s.solve(); }, {"solve: A(1, 1) is not finite"});
  s.a[4] = 1;
  s.b[2] = dd_real(std::numeric_limits<double>::infinity());
  refuses(invalid, [&] { s.solve(); }, {"solve: B(2, 0) is not finite"});
}

}  // namespace
}  // namespace hilo::test
