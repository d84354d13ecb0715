// Bounds that are proved of systems in device memory: against errors in 420 bits, what products there leave against |I
// − R A| in double-double, and that matrices which are singular are never proved not to be.
#include <hilo/solve.hpp>

#include "on_device.hpp"
#include "opencl/native.hpp"
#include "proved_bounds.hpp"
#include "same_bits.hpp"
#include "test_matrices.hpp"
#include "test_size.hpp"

namespace hilo::test {
namespace {

// solve(a, b, x) of views on the device; A as its columns are.
template <class T, class Solve>
BoundOutcome certified_by(Queue& q, std::vector<T>& a, const std::vector<T>& b, Solve solve) {
  const auto n = static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(a.size()))));
  std::vector<T> x(b.size(), T(12345));
  const auto of_x = upload(q, x, n);
  const SolveReport report = solve(upload(q, a, n), upload(q, b, n), of_x);
  of_x.buffer.read(q, x.data(), 0, std::ssize(x));
  return outcome_of<T>(report, view(Layout::column, Op::none, a.data(), n, n, n), b, x);
}
template <class T>
BoundOutcome certified(std::vector<T> a, const std::vector<T>& b, const SolveOptions& options, Queue& q = queue()) {
  return certified_by(q, a, b, [&](const auto& of_a, const auto& of_b, const auto& of_x) {
    return solve(q, of_a, of_b, of_x, {}, options);
  });
}

class OpenclCertificate : public testing::Test {
 protected:
  void SetUp() override {
    if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  }
  template <class T>
  void hold(std::int64_t systems, double most, std::uint64_t seed, double least_share) {
    expect_bounds<T>(systems, most, seed, least_share,
                     [](const MatrixView<const T>& a, const std::vector<T>& b, const SolveOptions& options) {
                       return certified<T>({a.data, a.data + a.rows * a.columns}, b, options);
                     });
  }
};

TEST_F(OpenclCertificate, HoldsOnRandomSystems) { hold<dd_real>(is_long() ? 3000 : 60, 16.0, 11, 0.95); }
TEST_F(OpenclCertificate, HoldsOnRandomSystemsThatDoubleCannotSolve) {
  hold<dd_real>(is_long() ? 1000 : 30, 29.0, 12, 0.9);
}
TEST_F(OpenclCertificate, HoldsOnRandomComplexSystems) { hold<dd_complex>(is_long() ? 1000 : 25, 20.0, 13, 0.95); }

TEST_F(OpenclCertificate, SaysLittleMoreThanThereIs) {
  const std::int64_t n = 40;
  for (const double condition : {1e2, 1e6, 1e10, 1e13, 1e15, 1e20, 1e26, 1e29}) {
    const BoundOutcome outcome = certified<dd_real>(matrix_with_condition<dd_real>(n, condition, 7),
                                                    right_hand_side<dd_real>(2 * n, 1), {.certify = true});
    ASSERT_TRUE(outcome.report.is_certified) << condition;
    EXPECT_LE(outcome.error_to_bound, 1.0) << condition;
    EXPECT_LE(outcome.bound_to_error, 1.1) << condition;
    EXPECT_LE(outcome.relative_bound, 0.75) << condition;
    EXPECT_LE(outcome.report.error_bound, 0x1p-106) << condition;
    EXPECT_EQ(outcome.report.bounds.size(), static_cast<std::size_t>(2 * n));
  }
}

// Whatever was asked for, x is what it is without a proof.
TEST_F(OpenclCertificate, IsGivenWhateverTheOptionsAre) {
  const std::int64_t n = 30;
  Queue& q = queue();
  for (const double condition : {1e4, 1e18}) {
    const auto a = matrix_with_condition<dd_real>(n, condition, 7);
    const auto b = right_hand_side<dd_real>(n, 1);
    std::vector<SolveOptions> all(8);
    all[1].accuracy = SolveAccuracy::backward;
    all[2].factors = SolveFactors::in_double_double;
    all[3].products.engine = Engine::direct;
    all[4].products.engine = Engine::modular;
    all[5].products.engine = Engine::reproducible;
    all[6].products.accuracy = Accuracy::normwise;
    all[7].products.accuracy = Accuracy::fast;
    for (std::size_t k = 0; k < all.size(); ++k) {
      std::vector<dd_real> without(b.size()), with(b.size());
      const auto of_x = upload(q, without, n);
      ASSERT_TRUE(solve(q, upload(q, a, n), upload(q, b, n), of_x, {}, all[k]).is_solved);
      of_x.buffer.read(q, without.data(), 0, n);
      all[k].certify = true;
      const SolveReport report = solve(q, upload(q, a, n), upload(q, b, n), of_x, {}, all[k]);
      of_x.buffer.read(q, with.data(), 0, n);
      EXPECT_EQ(first_difference(with, without), -1) << k;
      ASSERT_TRUE(report.is_certified) << condition << ' ' << k;
      const BoundOutcome outcome =
          outcome_of<dd_real>(report, view(Layout::column, Op::none, a.data(), n, n, n), b, with);
      EXPECT_LE(outcome.error_to_bound, 1.0) << condition << ' ' << k;
      EXPECT_LE(outcome.bound_to_error, 1.2) << condition << ' ' << k;
    }
  }
}

template <class T>
class OpenclCertificateOf : public OpenclCertificate {};
TYPED_TEST_SUITE(OpenclCertificateOf, AllPrecisions, NameOfPrecision);

TYPED_TEST(OpenclCertificateOf, CountsRoundingToThePrecision) {
  using T = TypeParam;
  Queue& q = queue();
  for (const std::int64_t n : {1, 5, 30}) {
    for (const Layout layout : both_layouts) {
      const StoredMatrix<T> a(layout, n, n, 3);
      const OnDevice<T> of_a(q, a);
      const std::vector<T> b = right_hand_side<T>(2 * n, 4);
      std::vector<T> x(b.size());
      const auto of_x = upload(q, x, n);
      const SolveReport report =
          solve(q, of_a.view.turned(Op::conjugate_transpose), upload(q, b, n), of_x, {}, {.certify = true});
      of_x.buffer.read(q, x.data(), 0, std::ssize(x));
      ASSERT_TRUE(report.is_certified) << n;
      const BoundOutcome outcome = outcome_of<T>(report, a.read().turned(Op::conjugate_transpose), b, x);
      EXPECT_LE(outcome.error_to_bound, 1.0) << n;
      EXPECT_LE(outcome.relative_bound, 1.5) << n;
    }
  }
}

// Of A x = 0, x = 0 is exact; beside a column that is not 0.
TYPED_TEST(OpenclCertificateOf, SaysThatZeroIsExact) {
  using T = TypeParam;
  const std::int64_t n = 5;
  const StoredMatrix<T> a(Layout::column, n, n, 3);
  std::vector<T> entries, b(2 * n);
  for (std::int64_t e = 0; e < n * n; ++e) entries.push_back(a(e % n, e / n));
  b[n + 2] = T(1);
  const BoundOutcome outcome = certified<T>(entries, b, {.certify = true});
  ASSERT_TRUE(outcome.report.is_certified);
  for (std::size_t i = 0; i < 2 * n; ++i) EXPECT_EQ(outcome.report.bounds[i] > 0.0, i >= n) << i;
}

template <class T>
class OpenclCertificateExact : public OpenclCertificate {};
TYPED_TEST_SUITE(OpenclCertificateExact, DoubleDoubles, NameOfPrecision);

TYPED_TEST(OpenclCertificateExact, IsGivenOfPositiveDefiniteMatrices) {
  using T = TypeParam;
  const std::int64_t n = 30;
  Queue& q = queue();
  for (const double condition : {1e3, 1e12, 1e20}) {
    for (const Uplo uplo : both_triangles) {
      std::vector<T> a = hermitian_with_condition<T>(n, condition, 7, true);
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = j; i < n; ++i) {
          T& e = a[static_cast<std::size_t>(i + j * n)];
          if (i == j) e = T(real(e));
          e = with_exponent(e, static_cast<int>(i % 7 + j % 7));
          a[static_cast<std::size_t>(j + i * n)] = conjugate_of(e);
        }
      }
      const BoundOutcome outcome = certified_by(q, a, right_hand_side<T>(2 * n, 5), [&](auto of_a, auto b, auto x) {
        return solve_positive(q, uplo, of_a, b, x, {}, {.certify = true});
      });
      ASSERT_TRUE(outcome.report.is_certified) << condition;
      EXPECT_LE(outcome.error_to_bound, 1.0) << condition;
      EXPECT_LE(outcome.bound_to_error, 1.1) << condition;
    }
  }
}

// Columns that are 0, that are A's, and whose entries differ much in size, so that x's do.
TYPED_TEST(OpenclCertificateExact, IsGivenOfRightHandSidesOfAllKinds) {
  using T = TypeParam;
  const std::int64_t n = 40;
  for (const double condition : {1e9, 3e13, 1e16}) {
    const std::vector<T> a = matrix_with_condition<T>(n, condition, 3);
    std::vector<T> b = right_hand_side<T>(4 * n, 9);
    for (std::int64_t i = 0; i < n; ++i) {
      b[static_cast<std::size_t>(i + n)] = T(0);
      b[static_cast<std::size_t>(i + 2 * n)] = a[static_cast<std::size_t>(i + 5 * n)];
      b[static_cast<std::size_t>(i + 3 * n)] = with_exponent(b[static_cast<std::size_t>(i)], static_cast<int>(9 * i));
    }
    const BoundOutcome outcome = certified<T>(a, b, {.certify = true});
    ASSERT_TRUE(outcome.report.is_certified) << condition;
    for (std::int64_t i = n; i < 2 * n; ++i) EXPECT_EQ(outcome.report.bounds[static_cast<std::size_t>(i)], 0.0);
    EXPECT_LE(outcome.error_to_bound, 1.0) << condition;
  }
}

// Positive definite matrices whose rows and columns are scaled by up to 2^±40.
TYPED_TEST(OpenclCertificateExact, HoldsOnRandomPositiveDefiniteMatrices) {
  using T = TypeParam;
  Random random(17);
  Queue& q = queue();
  std::int64_t proved = 0;
  const std::int64_t systems = is_long() ? 1000 : 15;
  for (std::int64_t s = 0; s < systems; ++s) {
    const std::int64_t n = random.between(2, 30);
    std::vector<T> a = hermitian_with_condition<T>(n, std::pow(10.0, 24.0 * random.uniform()), random.bits(), true);
    std::vector<int> exponents(static_cast<std::size_t>(n));
    for (int& e : exponents) e = static_cast<int>(random.between(-40, 40));
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = j; i < n; ++i) {
        T& e = a[static_cast<std::size_t>(i + j * n)];
        if (i == j) e = T(real(e));
        e = with_exponent(e, exponents[static_cast<std::size_t>(i)] + exponents[static_cast<std::size_t>(j)]);
        a[static_cast<std::size_t>(j + i * n)] = conjugate_of(e);
      }
    }
    const BoundOutcome outcome =
        certified_by(q, a, right_hand_side<T>(n, random.bits()), [&](auto of_a, auto b, auto x) {
          return solve_positive(q, s % 2 ? Uplo::lower : Uplo::upper, of_a, b, x, {}, {.certify = true});
        });
    EXPECT_LE(outcome.error_to_bound, 1.0) << n << ' ' << s;
    proved += outcome.report.is_certified;
  }
  EXPECT_GE(proved, systems * 9 / 10);
}

// Inverses by those of blocks, and then by substitution; of what is known exactly, by integers.
template <class T>
void expect_many_rows(bool is_positive, SolveFactors factors) {
  const std::int64_t n = 1100;
  std::vector<T> a(static_cast<std::size_t>(n * n)), exact(static_cast<std::size_t>(n)), b(exact.size()), x(b.size());
  Random random(8);
  for (std::int64_t j = 0; j < n; ++j) {
    exact[static_cast<std::size_t>(j)] = T(static_cast<float>(random.between(-99, 99)));
    for (std::int64_t i = 0; i < n; ++i) {
      T& e = a[static_cast<std::size_t>(i + j * n)];
      e = T(static_cast<float>(random.between(-99, 99)));
      if (is_positive && i < j) e = a[static_cast<std::size_t>(j + i * n)];
      if (is_positive && i == j) e = T(static_cast<float>(200 * n));
      b[static_cast<std::size_t>(i)] += e * exact[static_cast<std::size_t>(j)];
    }
  }
  if (is_positive) {
    std::fill(b.begin(), b.end(), T(0));
    for (std::int64_t e = 0; e < n * n; ++e) {
      const std::int64_t i = std::max(e % n, e / n), j = std::min(e % n, e / n);
      b[static_cast<std::size_t>(e % n)] +=
          a[static_cast<std::size_t>(i + j * n)] * exact[static_cast<std::size_t>(e / n)];
    }
  }
  Queue& q = queue();
  const auto of_a = upload(q, a, n), of_b = upload(q, b, n), of_x = upload(q, x, n);
  const SolveOptions options{.factors = factors, .certify = true};
  const SolveReport report = is_positive ? solve_positive(q, Uplo::lower, of_a, of_b, of_x, {}, options)
                                         : solve(q, of_a, of_b, of_x, {}, options);
  of_x.buffer.read(q, x.data(), 0, n);
  ASSERT_TRUE(report.is_certified) << report;
  EXPECT_LE(report.error_bound, 2.0 * std::ldexp(1.0, error_unit(precision_of<T>)));
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_LE(magnitude(T(x[i] - exact[i])), report.bounds[i]) << i;
  }
}

TEST_F(OpenclCertificate, IsGivenOfManyRows) {
  expect_many_rows<double>(false, SolveFactors::automatic);
  expect_many_rows<std::complex<double>>(true, SolveFactors::automatic);
  if (is_long()) expect_many_rows<dd_real>(false, SolveFactors::in_double_double);
}

// Pivots grow to 2^119, so that x comes from QR, and the inverse too.
TEST_F(OpenclCertificate, IsGivenByQrWherePivotsGrow) {
  const std::int64_t n = 120;
  std::vector<dd_real> a;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) a.push_back(i == j || j == n - 1 ? 1.0 : i > j ? -1.0 : 0.0);
  }
  const BoundOutcome outcome = certified<dd_real>(a, right_hand_side<dd_real>(n, 99), {.certify = true});
  EXPECT_EQ(outcome.report.path, SolvePath::double_double_qr);
  ASSERT_TRUE(outcome.report.is_certified);
  EXPECT_LE(outcome.error_to_bound, 1.0);
  EXPECT_LE(outcome.bound_to_error, 1.1);
}

TEST_F(OpenclCertificate, RunsOnQueuesOfAnyOrder) {
  const Context context = test_context();
  cl::CommandQueue native(cl::Context(context.native(), true), cl::Device(context.native_device(), true),
                          CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Queue any_order(native());
  for (const double condition : {1e6, 1e14, 1e22}) {
    const BoundOutcome outcome = certified<dd_real>(matrix_with_condition<dd_real>(50, condition, 1),
                                                    right_hand_side<dd_real>(100, 1), {.certify = true}, any_order);
    ASSERT_TRUE(outcome.report.is_certified) << condition;
    EXPECT_LE(outcome.error_to_bound, 1.0) << condition;
  }
}

}  // namespace
}  // namespace hilo::test
