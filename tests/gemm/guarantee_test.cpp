// README's table of guaranteed errors, row by row: what plans and reports say is what its formulas say, with FMA and
// without, at the edges of k, and with entries that the direct engine computes.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "modular_problems.hpp"

namespace hilo::test {
namespace {

using std::int64_t;

constexpr int64_t edges[] = {1,
                             2,
                             3,
                             31,
                             32,
                             33,
                             38,
                             39,
                             43,
                             44,
                             50,
                             51,
                             52,
                             63,
                             64,
                             65,
                             127,
                             128,
                             129,
                             4095,
                             4096,
                             4097,
                             8191,
                             8192,
                             8193,
                             65535,
                             65536,
                             65537,
                             1 << 23,
                             1 << 27,
                             int64_t{1} << 30,
                             int64_t{1} << 40};
// Products of so many terms are computed.
constexpr int64_t computed_edges[] = {1, 3, 38, 51, 63, 64, 65, 65536, 65537};

// The formulas of README, in the order of its rows.
namespace readme {

double classic_of_either_engine(bool is_complex, int64_t k, bool is_direct, bool fma) {
  auto terms = static_cast<double>(k);
  if (is_complex && is_direct && k < 51) return fma ? 10.0 * terms + 38.0 : 12.0 * terms + 34.0;
  return 8.0 * terms + 16.0;
}

double direct(bool is_complex, int64_t k, Accuracy accuracy, bool fma) {
  const auto terms = static_cast<double>(is_complex ? 2 * k : k), n = std::min(terms, 64.0);
  const double s = 3.0 * (std::min(std::ceil(terms / 64.0), 64.0) + std::ceil(terms / 4096.0) - 2.0);
  if (accuracy == Accuracy::classic) {
    if (fma) return 5.0 * n + (is_complex ? 38.0 : 19.0) + s;
    return 6.0 * n + (is_complex ? 34.0 : 16.0) + s;
  }
  if (fma) return 9.5 * n + (is_complex ? 96.0 : 53.0) + s;
  return 12.0 * n + (is_complex ? 89.0 : 44.0) + s;
}

template <class T>
double modular(int64_t k, Accuracy accuracy, bool by_sums) {
  const auto terms = static_cast<double>(k);
  constexpr bool is_wide = double_double<T>;
  const double rounding = is_wide ? (is_complex<T> ? 16.0 : 12.0) : is_complex<T> ? 5.0 : 4.0;
  switch (accuracy) {
    case Accuracy::classic:
      return by_sums ? (is_wide ? 2.0 : 0.25) * std::sqrt(terms) + rounding : (is_wide ? 4.0 : 0.5) * terms + rounding;
    case Accuracy::tight:
      return by_sums ? (is_wide ? 0.5 : 0.0625) * std::sqrt(terms) + rounding
                     : (is_wide ? 1.0 : 0.125) * terms + rounding;
    case Accuracy::fast:
      return by_sums ? (is_wide ? 8.0 : 1.0) * std::sqrt(terms) + rounding : (is_wide ? 16.0 : 2.0) * terms + rounding;
    case Accuracy::normwise:
      // Up to k = 2^27 in D and Z, beyond which 2^-55 k² − 1/2 more.
      return (is_wide ? 8.0 : 1.0) * terms + rounding + (is_wide || k <= 1 << 27 ? 0.0 : 0x1p-55 * terms * terms - 0.5);
    default:
      return 1.0;
  }
}

// Direct entries of D and Z.
template <class T>
double plain_sums(int64_t k) {
  return (is_complex<T> ? 2.0 : 1.0) * static_cast<double>(k + 4);
}

template <class T>
double blas(int64_t k) {
  const auto terms = static_cast<double>(k);
  if (std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>) return 3.0 * (terms + 4.0);
  return terms + 4.0 + (std::same_as<T, float> && k > 1 << 23 ? 0x1p-22 * terms : 0.0);
}

}  // namespace readme

constexpr Accuracy modular_accuracies[] = {Accuracy::classic, Accuracy::tight, Accuracy::fast, Accuracy::normwise,
                                           Accuracy::exact};

bool has_sums(Accuracy a, int64_t k) {
  return (a == Accuracy::classic || a == Accuracy::tight || a == Accuracy::fast) && k >= 64 && k <= 65536;
}

GemmOptions options_of(Engine engine, Accuracy accuracy, bool fma = true) {
  return {.engine = engine, .accuracy = accuracy, .fma = fma ? Fma::on : Fma::off, .threads = 1};
}

template <class T>
GemmPlan plan_of(int64_t k, const GemmOptions& options) {
  return plan_gemm<T>(Layout::column, Op::none, Op::none, 2, 2, k, options);
}

template <class T>
Problem<T> ones(int64_t m, int64_t n, int64_t k) {
  Problem<T> p(m, n, k);
  p.a.assign(p.a.size(), number<T>(1.0));
  p.b.assign(p.b.size(), number<T>(1.0));
  return p;
}

// What direct entries of an accuracy that the direct engine has are within.
template <class T>
double of_direct_entries(int64_t k, Accuracy accuracy, bool fma) {
  if constexpr (double_double<T>) {
    return readme::direct(is_complex<T>, k, accuracy, fma);
  } else {
    return readme::plain_sums<T>(k);
  }
}

template <class T>
class DirectGuarantee : public testing::Test {};
using DoubleDoubles = testing::Types<dd_real, dd_complex>;
TYPED_TEST_SUITE(DirectGuarantee, DoubleDoubles, PrecisionName);

TYPED_TEST(DirectGuarantee, OfPlansAndReports) {
  using T = TypeParam;
  for (bool fma : {true, false}) {
    for (Accuracy accuracy : {Accuracy::classic, Accuracy::fast}) {
      const GemmOptions options = options_of(Engine::direct, accuracy, fma);
      for (int64_t k : edges) {
        const double bound = plan_of<T>(k, options).error_bound_u2;
        EXPECT_DOUBLE_EQ(bound, readme::direct(is_complex<T>, k, accuracy, fma)) << k << ", FMA " << fma;
      }
      for (int64_t k : computed_edges) {
        GemmReport report;
        ones<T>(1, 1, k).multiply(options, &report);
        EXPECT_EQ(report.plan.error_bound_u2, plan_of<T>(k, options).error_bound_u2) << k << ", FMA " << fma;
      }
    }
  }
}

TYPED_TEST(DirectGuarantee, OfClassicIsThatOfEitherEngine) {
  using T = TypeParam;
  for (bool fma : {true, false}) {
    for (int64_t k = 1; k < 9000; ++k) {
      const double bound = direct_error_bound_u2(k, Accuracy::classic, is_complex<T>, fma);
      ASSERT_LE(bound, readme::classic_of_either_engine(is_complex<T>, k, true, fma)) << k << ", FMA " << fma;
    }
    if (!is_complex<T>) continue;
    // Each of the two formulas is needed: at k = 1 and at k = 38, and up to k = 50.
    EXPECT_GT(direct_error_bound_u2(1, Accuracy::classic, true, true), 12.0 + 34.0);
    EXPECT_GT(direct_error_bound_u2(3, Accuracy::classic, true, false), 10.0 * 3.0 + 38.0);
    EXPECT_GT(direct_error_bound_u2(38, Accuracy::classic, true, false), 10.0 * 38.0 + 38.0);
    EXPECT_GT(direct_error_bound_u2(50, Accuracy::classic, true, false), 8.0 * 50.0 + 16.0);
  }
}

template <class T>
class ModularGuarantee : public testing::Test {
 protected:
  static GemmReport report_of(const Problem<T>& p, Accuracy accuracy, bool fma = true) {
    GemmReport report;
    p.multiply(options_of(Engine::modular, accuracy, fma), &report);
    return report;
  }
};
TYPED_TEST_SUITE(ModularGuarantee, Precisions, PrecisionName);

TYPED_TEST(ModularGuarantee, OfPlans) {
  using T = TypeParam;
  for (Accuracy accuracy : modular_accuracies) {
    for (int64_t k : edges) {
      const GemmPlan plan = plan_of<T>(k, options_of(Engine::modular, accuracy));
      EXPECT_DOUBLE_EQ(plan.error_bound_u2, readme::modular<T>(k, accuracy, has_sums(accuracy, k)))
          << name(accuracy) << ", " << k;
      EXPECT_EQ(plan.measure, accuracy == Accuracy::normwise ? Measure::normwise : Measure::componentwise);
      if (accuracy != Accuracy::classic || !double_double<T>) continue;
      EXPECT_LE(plan.error_bound_u2, readme::classic_of_either_engine(is_complex<T>, k, false, true)) << k;
    }
  }
}

TYPED_TEST(ModularGuarantee, OfReports) {
  using T = TypeParam;
  for (int64_t k : computed_edges) {
    const auto p = ones<T>(1, 1, k);
    for (Accuracy accuracy : modular_accuracies) {
      const GemmReport report = this->report_of(p, accuracy);
      EXPECT_TRUE(is_modular(report)) << name(accuracy) << ", " << k;
      EXPECT_EQ(report.entries_direct, 0);
      EXPECT_DOUBLE_EQ(report.plan.error_bound_u2, readme::modular<T>(k, accuracy, has_sums(accuracy, k)))
          << name(accuracy) << ", " << k;
    }
  }
}

TYPED_TEST(ModularGuarantee, WhereSumsOfMagnitudesDoNotTell) {
  using T = TypeParam;
  for (int64_t k : {64, 65, 1000}) {
    // Of entry (1, 1) all that counts lies 2^40 below what its row's largest element promises.
    auto p = flat<T>(3, 3, k, 3);
    p.left(1, 0) = scaled(p.left(1, 0), 40);
    p.right(0, 1) = T(0);
    for (Accuracy accuracy : {Accuracy::classic, Accuracy::tight, Accuracy::fast}) {
      const GemmReport report = this->report_of(p, accuracy);
      EXPECT_TRUE(is_modular(report));
      EXPECT_DOUBLE_EQ(report.plan.error_bound_u2, readme::modular<T>(k, accuracy, false)) << name(accuracy);
    }
  }
}

TYPED_TEST(ModularGuarantee, WithDirectEntriesOfAWideRange) {
  using T = TypeParam;
  for (int64_t k : {20, 64}) {
    auto p = flat<T>(32, 32, k, 4);
    p.left(9, 4) = scaled(p.left(9, 4), 300);
    p.right(4, 0) = T(0);
    for (bool fma : {true, false}) {
      for (Accuracy accuracy : {Accuracy::classic, Accuracy::fast}) {
        const GemmReport report = this->report_of(p, accuracy, fma);
        EXPECT_TRUE(is_modular(report));
        EXPECT_EQ(report.entries_direct, 1);
        const double own = readme::modular<T>(k, accuracy, false), direct = of_direct_entries<T>(k, accuracy, fma);
        EXPECT_DOUBLE_EQ(report.plan.error_bound_u2, std::max(own, direct)) << name(accuracy) << ", " << k;
      }
    }
  }
}

// Entry (0, 0) is below 2^1022, but its exponents do not say so.
TYPED_TEST(ModularGuarantee, OfAnEntryThatMightOverflow) {
  using T = TypeParam;
  auto p = ones<T>(64, 64, 64);
  for (int64_t h = 0; h < p.k; ++h) p.left(0, h) = number<T>(0x1p508), p.right(h, 0) = number<T>(0x1p507);
  for (Accuracy accuracy : modular_accuracies) {
    const GemmReport report = this->report_of(p, accuracy);
    const bool leaves_it = accuracy == Accuracy::classic || accuracy == Accuracy::fast;
    const double own = readme::modular<T>(p.k, accuracy, has_sums(accuracy, p.k));
    EXPECT_TRUE(is_modular(report));
    EXPECT_EQ(report.entries_direct, leaves_it ? 1 : 0) << name(accuracy);
    EXPECT_DOUBLE_EQ(report.plan.error_bound_u2,
                     leaves_it ? std::max(own, of_direct_entries<T>(p.k, accuracy, true)) : own)
        << name(accuracy);
  }
}

// They have no error: the entries of a line with Inf or NaN are not finite.
TYPED_TEST(ModularGuarantee, BesideInfAndNaN) {
  using T = TypeParam;
  for (double special : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    auto p = flat<T>(3, 4, 64, 5);
    p.left(1, 7) = number<T>(special);
    for (Accuracy accuracy : {Accuracy::tight, Accuracy::normwise, Accuracy::exact}) {
      GemmReport report;
      const auto c = p.multiply(options_of(Engine::modular, accuracy), &report);
      EXPECT_EQ(report.entries_direct, p.n);
      EXPECT_DOUBLE_EQ(report.plan.error_bound_u2, readme::modular<T>(p.k, accuracy, has_sums(accuracy, p.k)));
      for (int64_t j = 0; j < p.n; ++j) {
        EXPECT_FALSE(std::isfinite(words(c[p.index(1, j)])[0])) << name(accuracy);
      }
    }
  }
}

// Of products that the modular engine gives up, it is the direct engine's.
TYPED_TEST(ModularGuarantee, OfWhatItGivesUp) {
  using T = TypeParam;
  for (int64_t k : {20, 64, 300}) {
    auto p = flat<T>(8, 8, k, 6);
    p.left(3, 4) = scaled(p.left(3, 4), 300);
    p.right(4, 3) = T(0);
    for (bool fma : {true, false}) {
      for (Accuracy accuracy : {Accuracy::classic, Accuracy::fast}) {
        const GemmReport report = this->report_of(p, accuracy, fma);
        EXPECT_EQ(report.plan.path, Path::direct_for_range);
        if constexpr (double_double<T>) {
          EXPECT_DOUBLE_EQ(report.plan.error_bound_u2, readme::direct(is_complex<T>, k, accuracy, fma));
        } else {
          EXPECT_DOUBLE_EQ(report.plan.error_bound_u2, readme::blas<T>(k));
        }
      }
    }
  }
}

template <class T>
class BlasGuarantee : public testing::Test {};
using BlasPrecisions = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(BlasGuarantee, BlasPrecisions, PrecisionName);

TYPED_TEST(BlasGuarantee, OfPlansAndReports) {
  using T = TypeParam;
  const GemmOptions options = options_of(Engine::direct, Accuracy::classic);
  for (int64_t k : edges) {
    EXPECT_DOUBLE_EQ(plan_of<T>(k, options).error_bound_u2, readme::blas<T>(k)) << k;
  }
  for (int64_t k : {1, 64, 65}) {
    const std::vector<T> a(static_cast<std::size_t>(k), T(1)), b = a;
    T c(0);
    const GemmReport report =
        gemm(Layout::column, Op::none, Op::none, 1, 1, k, T(1), a.data(), 1, b.data(), k, T(0), &c, 1, options);
    EXPECT_DOUBLE_EQ(report.plan.error_bound_u2, readme::blas<T>(k)) << k;
  }
}

}  // namespace
}  // namespace hilo::test
