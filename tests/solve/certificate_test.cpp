// Bounds that were proved against errors in 420 bits: they hold, and say little more than there is.
#include "solve/certificate.hpp"

#include <algorithm>
#include <hilo/solve.hpp>

#include "blas/door.hpp"
#include "blas/words.hpp"
#include "matrices.hpp"
#include "proved_bounds.hpp"
#include "solve/host_proof.hpp"
#include "test_matrices.hpp"
#include "wide_system.hpp"

namespace hilo::test {
namespace {

using Outcome = BoundOutcome;

template <class T>
Outcome certified(const MatrixView<const T>& a, const std::vector<T>& b, const SolveOptions& options) {
  const std::int64_t n = a.rows, count = static_cast<std::int64_t>(b.size()) / n;
  std::vector<T> x(b.size());
  const auto of = [n, count](auto& y) { return view(Layout::column, Op::none, y.data(), n, count, n); };
  const SolveReport report = solve<T>(a, of(b), of(x), options);
  return outcome_of<T>(report, a, b, x);
}

template <class T>
void hold(std::int64_t systems, double most, std::uint64_t seed, double least_share) {
  expect_bounds<T>(systems, most, seed, least_share,
                   [](const MatrixView<const T>& a, const std::vector<T>& b, const SolveOptions& options) {
                     return certified<T>(a, b, options);
                   });
}

TEST(Certificate, HoldsOnRandomSystems) { hold<dd_real>(is_long() ? 100000 : 700, 16.0, 1, 0.95); }
TEST(Certificate, HoldsOnRandomSystemsThatDoubleCannotSolve) { hold<dd_real>(is_long() ? 10000 : 200, 29.0, 2, 0.9); }
TEST(Certificate, HoldsOnRandomComplexSystems) { hold<dd_complex>(is_long() ? 10000 : 150, 20.0, 3, 0.95); }

TEST(Certificate, SaysLittleMoreThanThereIs) {
  const std::int64_t n = 40;
  for (const double condition : {1e2, 1e6, 1e10, 1e13, 1e20}) {
    const auto a = matrix_with_condition<dd_real>(n, condition, 7);
    const Outcome outcome = certified<dd_real>(view(Layout::column, Op::none, a.data(), n, n, n),
                                               right_hand_side<dd_real>(2 * n, 1), {.certify = true});
    ASSERT_TRUE(outcome.report.is_certified) << condition;
    EXPECT_LE(outcome.error_to_bound, 1.0) << condition;
    EXPECT_LE(outcome.bound_to_error, 1.1) << condition;
    EXPECT_LE(outcome.relative_bound, 0.75) << condition;
    EXPECT_LE(outcome.report.error_bound, 0x1p-106) << condition;
    EXPECT_EQ(outcome.report.bounds.size(), static_cast<std::size_t>(2 * n));
  }
}

template <class T>
class CertificateOf : public testing::Test {};
TYPED_TEST_SUITE(CertificateOf, AllPrecisions, NameOfPrecision);

TYPED_TEST(CertificateOf, CountsRoundingToThePrecision) {
  using T = TypeParam;
  for (const std::int64_t n : {1, 5, 30}) {
    for (const Layout layout : both_layouts) {
      const StoredMatrix<T> a(layout, n, n, 3);
      const Outcome outcome =
          certified<T>(a.read().turned(Op::conjugate_transpose), right_hand_side<T>(n, 4), {.certify = true});
      ASSERT_TRUE(outcome.report.is_certified) << n;
      EXPECT_LE(outcome.error_to_bound, 1.0) << n;
      EXPECT_LE(outcome.relative_bound, 1.5) << n;
    }
  }
}

// Of A x = 0, x = 0 is exact, and what is proved is that A is not singular.
TYPED_TEST(CertificateOf, SaysThatZeroIsExact) {
  using T = TypeParam;
  const std::int64_t n = 5;
  const StoredMatrix<T> a(Layout::column, n, n, 3);
  const auto of = [](std::vector<T>& y, std::int64_t columns) {
    return view(Layout::column, Op::none, y.data(), n, columns, n);
  };
  for (const SolveAccuracy accuracy : {SolveAccuracy::full, SolveAccuracy::backward}) {
    for (const bool certify : {false, true}) {
      std::vector<T> b(n), x(n, T(12345));
      SolveReport report = solve<T>(a.read(), of(b, 1), of(x, 1), {.accuracy = accuracy, .certify = certify});
      ASSERT_TRUE(report.is_solved) << report.reason;
      EXPECT_EQ(report.is_certified, certify);
      EXPECT_EQ(report.error_estimate, 0.0);
      EXPECT_EQ(report.backward_error_u2, 0.0);
      EXPECT_EQ(report.error_bound, certify ? 0.0 : std::numeric_limits<double>::infinity());
      EXPECT_EQ(report.bounds, std::vector<double>(certify ? n : 0));
      EXPECT_EQ(x, std::vector<T>(n));
      // Beside a column that is not 0, whose bound is the report's.
      b.resize(2 * n);
      x.resize(2 * n);
      b[n + 2] = T(1);
      report = solve<T>(a.read(), of(b, 2), of(x, 2), {.accuracy = accuracy, .certify = certify});
      ASSERT_TRUE(report.is_solved) << report.reason;
      EXPECT_GT(report.error_estimate, 0.0);
      EXPECT_GT(report.error_bound, 0.0);
      for (std::size_t i = 0; certify && i < 2 * n; ++i) EXPECT_EQ(report.bounds[i] > 0.0, i >= n) << i;
      b.resize(n);
      x.resize(n);
      report = solve_least_squares<T>(a.read(), of(b, 1), of(x, 1), {.accuracy = accuracy});
      ASSERT_TRUE(report.is_solved) << report.reason;
      EXPECT_EQ(report.error_estimate, 0.0);
    }
  }
}

// Relative to x = 0, 2^-1600 is not small.
TEST(Certificate, SaysWhatUnderflows) {
  const std::vector<dd_real> a = {dd_real(0x1p800)};
  const Outcome outcome =
      certified<dd_real>(view(Layout::column, Op::none, a.data(), 1, 1, 1), {dd_real(0x1p-800)}, {.certify = true});
  ASSERT_TRUE(outcome.report.is_certified);
  EXPECT_LE(outcome.error_to_bound, 1.0);
  EXPECT_EQ(outcome.report.error_bound, std::numeric_limits<double>::infinity());
}

// Nor is 2^-200, which is 0 in single precision.
TEST(Certificate, SaysWhatUnderflowsInSinglePrecision) {
  const std::vector<float> a = {0x1p100F};
  const Outcome outcome =
      certified<float>(view(Layout::column, Op::none, a.data(), 1, 1, 1), {0x1p-100F}, {.certify = true});
  ASSERT_TRUE(outcome.report.is_certified);
  EXPECT_LE(outcome.error_to_bound, 1.0);
  EXPECT_EQ(outcome.report.error_bound, std::numeric_limits<double>::infinity());
}

// Norm-wise bounds are none entry by entry: the proof's products are others.
TEST(Certificate, IsGivenWhateverTheProductsAre) {
  const std::int64_t n = 30;
  const auto a = matrix_with_condition<dd_real>(n, 1e18, 7);
  for (const Accuracy accuracy : {Accuracy::normwise, Accuracy::fast}) {
    const Outcome outcome =
        certified<dd_real>(view(Layout::column, Op::none, a.data(), n, n, n), right_hand_side<dd_real>(n, 1),
                           {.certify = true, .products = {.accuracy = accuracy}});
    ASSERT_TRUE(outcome.report.is_certified) << name(accuracy);
    EXPECT_LE(outcome.error_to_bound, 1.0);
    EXPECT_LE(outcome.relative_bound, 0.75);
  }
}

// A backward solution is bounded by what it errs.
TEST(Certificate, HoldsOfBackwardSolutions) {
  const std::int64_t n = 30;
  for (const double condition : {1e4, 1e12, 1e22}) {
    const auto a = matrix_with_condition<dd_real>(n, condition, 7);
    const Outcome outcome =
        certified<dd_real>(view(Layout::column, Op::none, a.data(), n, n, n), right_hand_side<dd_real>(n, 1),
                           {.accuracy = SolveAccuracy::backward, .certify = true});
    ASSERT_TRUE(outcome.report.is_certified) << condition;
    EXPECT_LE(outcome.error_to_bound, 1.0) << condition;
    EXPECT_LE(outcome.bound_to_error, 1.2) << condition;
  }
}

// A proof at its limits. Rows 0 and 1 are scaled by 2^-60 and have a condition of 2^92, rows 2 and 3 are not and have
// an inverse of 2^990; what stands between them, 2^-1046, is scaled to nothing. x is 0, as of a solver that gives up,
// so that x − A⁻¹ b is A⁻¹ b, which is 2^90 in rows 0 and 1 and, by what was lost, 2^4 in row 3.
TEST(Certificate, CountsWhatUnderflows) {
  const auto entry = [](std::int64_t i, std::int64_t j) {
    if (i < 2 && j < 2) return dd_real(0x1p60) * (i + j == 2 ? dd_real(1) + dd_real(0x1p-90) : dd_real(1));
    if (i + j == 5) return dd_real(0x1p-990);
    return dd_real(i + j == 2 ? 0x1p-1046 : 0.0);
  };
  const std::vector<dd_real> b = {0, 1, 0, 0};
  // Cholesky's scaling, which takes nothing but the diagonal.
  solver::HostSystem<dd_real> system(solver::Structure::positive, 4, entry,
                                     view(Layout::column, Op::none, b.data(), 4, 1, 4), {.threads = 1});
  const dd_real large = 0x1p90;
  std::vector<dd_real> inverse(16);
  inverse[0] = large + 1.0;
  inverse[1] = inverse[4] = -large;
  inverse[5] = large;
  inverse[11] = inverse[14] = dd_real(0x1p990);
  solver::Certificate certificate(system, inverse);
  certificate.make_product(inverse);
  const auto bound = solver::proved_bound(system, certificate, 0, 6);
  ASSERT_TRUE(bound.has_value());
  // The scaled b is 1 at least: x_0 = -x_1 = -2^90 b_1, x_3 = -2^-1076 · 2^990 x_0.
  EXPECT_GE((*bound)[0], 0x1p90);
  EXPECT_GE((*bound)[1], 0x1p90);
  EXPECT_GE((*bound)[3], 0x1p4);
}

TEST(Certificate, IsNotGivenToSingularMatrices) {
  const std::int64_t n = 40;
  // Pascal's, whose last bits are lost.
  std::vector<dd_real> pascal(static_cast<std::size_t>(n * n), dd_real(1));
  for (std::int64_t j = 1; j < n; ++j) {
    for (std::int64_t i = 1; i < n; ++i) {
      pascal[static_cast<std::size_t>(i + j * n)] =
          pascal[static_cast<std::size_t>(i - 1 + j * n)] + pascal[static_cast<std::size_t>(i + (j - 1) * n)];
    }
  }
  auto doubled = matrix_with_condition<dd_real>(n, 10, 7);
  for (std::int64_t j = 0; j < n; ++j)
    doubled[static_cast<std::size_t>(3 + j * n)] = doubled[static_cast<std::size_t>(7 + j * n)];
  for (const auto* a : {&pascal, &doubled}) {
    for (const SolveAccuracy accuracy : {SolveAccuracy::full, SolveAccuracy::backward}) {
      const Outcome outcome =
          certified<dd_real>(view(Layout::column, Op::none, a->data(), n, n, n), right_hand_side<dd_real>(n, 1),
                             {.accuracy = accuracy, .certify = true});
      EXPECT_FALSE(outcome.report.is_certified);
      EXPECT_TRUE(outcome.report.bounds.empty());
    }
  }
}

}  // namespace
}  // namespace hilo::test
