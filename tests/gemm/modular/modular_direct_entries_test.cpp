// What the modular engine gives to the direct one: Inf, NaN, words that are no double-double, overflow, and entries of
// too wide a range. They have the direct engine's bits and the other entries do not notice, up to a 256th of C, or a
// 1024th for the range; beyond, the direct engine computes all of it. The report counts and says which.
#include <gtest/gtest.h>

#include "error_message.hpp"
#include "modular_problems.hpp"

namespace hilo::test {
namespace {

using std::int64_t;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double largest = std::numeric_limits<double>::max();

constexpr GemmOptions modular = {.engine = Engine::modular, .threads = 1};
constexpr GemmOptions direct_engine = {.engine = Engine::direct, .threads = 1};

GemmOptions with(Accuracy accuracy) {
  return {.engine = Engine::modular, .accuracy = accuracy, .threads = 1, .bits = accuracy == Accuracy::bits ? 80 : 0};
}

// The bits that the direct engine gives an entry. BLAS has no fixed ones: entries of D and Z are plain sums.
template <class T>
std::vector<T> direct_entries(const Problem<T>& p) {
  if constexpr (double_double<T>) {
    return p.multiply(direct_engine);
  } else {
    std::vector<T> c;
    for (int64_t j = 0; j < p.n; ++j) {
      for (int64_t i = 0; i < p.m; ++i) {
        T sum(0);
        for (int64_t h = 0; h < p.k; ++h) {
          const T &x = p.left(i, h), &y = p.right(h, j);
          if constexpr (is_complex<T>) {
            sum += T(x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real());
          } else {
            sum += x * y;
          }
        }
        c.push_back(sum);
      }
    }
    return c;
  }
}

template <class T>
class ModularDirectEntries : public testing::Test {
 protected:
  // The entries of which `is_direct` says so are the direct engine's, and the others those of `quiet`: the same product
  // without what sent them there.
  template <class IsDirect>
  void expect_split(const Problem<T>& p, const Problem<T>& quiet, IsDirect is_direct,
                    const GemmOptions& options = modular) {
    GemmReport report, quiet_report;
    auto c = p.multiply(options, &report), without = quiet.multiply(options, &quiet_report);
    EXPECT_EQ(quiet_report.entries_direct, 0);
    EXPECT_EQ(report.plan.path, quiet_report.plan.path);
    auto direct = direct_entries(p);
    int64_t count = 0;
    for (int64_t i = 0; i < p.m; ++i) {
      for (int64_t j = 0; j < p.n; ++j) {
        std::size_t at = p.index(i, j);
        if (!is_direct(i, j)) {
          ASSERT_TRUE(same_bits(c[at], without[at])) << i << ", " << j;
        } else {
          ++count;
          ASSERT_TRUE(same_bits(c[at], direct[at])) << i << ", " << j;
        }
      }
    }
    EXPECT_EQ(report.entries_direct, count);
  }

  // All of it by the direct engine, and the report says why.
  void expect_all_direct(const Problem<T>& p, Path why) {
    GemmReport report;
    auto c = p.multiply(modular, &report);
    EXPECT_EQ(report.plan.path, why);
    EXPECT_EQ(first_difference(c, direct_entries(p)), -1);
  }

  static void clear_row(Problem<T>& p, int64_t i) {
    for (int64_t h = 0; h < p.k; ++h) p.left(i, h) = T(0);
  }
  static void clear_column(Problem<T>& p, int64_t j) {
    for (int64_t h = 0; h < p.k; ++h) p.right(h, j) = T(0);
  }
};
TYPED_TEST_SUITE(ModularDirectEntries, Precisions, PrecisionName);

TYPED_TEST(ModularDirectEntries, OneRowOrColumnWithInfOrNaN) {
  using T = TypeParam;
  for (double special : {inf, -inf, nan}) {
    // 300 · 20 / 256 = 23 entries at most: one row of 20, or one column of 20.
    auto p = flat<T>(300, 20, 12, 1), quiet = p;
    p.left(7, 5) = number<T>(special);
    this->clear_row(quiet, 7);
    this->expect_split(p, quiet, [](int64_t i, int64_t) { return i == 7; });
    for (int64_t h = 0; h < p.k; ++h) p.left(7, h) = number<T>(h % 3 ? special : 1.0, special);
    this->expect_split(p, quiet, [](int64_t i, int64_t) { return i == 7; });
    // Finite elements of such a line are no one's business either, large as they may be.
    p.left(7, 2) = number<T>(0x1p1000, -0x1p900);
    p.left(7, 3) = number<T>(-0x1p100);
    this->expect_split(p, quiet, [](int64_t i, int64_t) { return i == 7; });
    p = quiet = flat<T>(20, 300, 12, 2);
    p.right(11, 299) = number<T>(1, special);
    if (!is_complex<T>) p.right(11, 299) = number<T>(special);
    this->clear_column(quiet, 299);
    this->expect_split(p, quiet, [](int64_t, int64_t j) { return j == 299; });
  }
}

TYPED_TEST(ModularDirectEntries, ARowAndAColumn) {
  using T = TypeParam;
  // 520 + 519 entries of the 1056 that may be.
  auto p = flat<T>(520, 520, 3, 3), quiet = p;
  p.left(519, 0) = number<T>(inf);
  p.right(2, 0) = number<T>(nan);
  this->clear_row(quiet, 519);
  this->clear_column(quiet, 0);
  this->expect_split(p, quiet, [](int64_t i, int64_t j) { return i == 519 || j == 0; });
}

TYPED_TEST(ModularDirectEntries, TooManyRowsWithInfOrNaN) {
  using T = TypeParam;
  auto p = flat<T>(300, 20, 12, 4);
  p.left(7, 5) = number<T>(inf);
  p.left(8, 0) = number<T>(nan);
  this->expect_all_direct(p, Path::direct_for_operands);
  p = flat<T>(6, 5, 40, 5);
  p.right(39, 4) = number<T>(-inf);
  this->expect_all_direct(p, Path::direct_for_operands);
}

TYPED_TEST(ModularDirectEntries, OtherAccuraciesHaveNoLimit) {
  using T = TypeParam;
  for (Accuracy accuracy : {Accuracy::tight, Accuracy::normwise, Accuracy::bits, Accuracy::exact}) {
    auto p = flat<T>(6, 5, 40, 6), quiet = p;
    p.left(2, 5) = number<T>(inf);
    p.left(3, 0) = number<T>(nan);
    p.right(39, 4) = number<T>(-inf);
    this->clear_row(quiet, 2);
    this->clear_row(quiet, 3);
    this->clear_column(quiet, 4);
    this->expect_split(
        p, quiet, [](int64_t i, int64_t j) { return i == 2 || i == 3 || j == 4; }, with(accuracy));
  }
}

TYPED_TEST(ModularDirectEntries, WordsThatAreNoDoubleDouble) {
  using T = TypeParam;
  if constexpr (double_double<T>) {
    // Sums of two words like any other: the modular engine multiplies what they add up to.
    auto p = flat<T>(9, 8, 30, 7);
    words(p.left(0, 1))[1] = 0x1p-30;
    words(p.left(1, 2))[1] = -3.0;
    words(p.left(2, 3))[1] = 0x1p-60 - words(p.left(2, 3))[0];
    words(p.right(4, 4))[0] = 0.0;
    words(p.right(5, 5))[1] = 0x1p+200;
    for (int64_t h = 0; h < p.k; ++h) words(p.right(h, 7))[1] = -words(p.right(h, 7))[0];
    GemmReport report;
    auto c = p.multiply(modular, &report);
    EXPECT_TRUE(is_modular(report));
    EXPECT_EQ(report.entries_direct, 0);
    EXPECT_LE(error_of(p, c).max_error_u2, std::min(8.0, report.plan.error_bound_u2));
    // Words that add up to Inf are the direct engine's.
    words(p.left(3, 3))[0] = words(p.left(3, 3))[1] = largest;
    this->expect_all_direct(p, Path::direct_for_operands);
  }
}

TYPED_TEST(ModularDirectEntries, OverflowIsTheDirectEngines) {
  using T = TypeParam;
  // Rows of 2^600 meet columns of 2^600 in 2 × 2 of the 4 entries that may be.
  auto p = flat<T>(32, 33, 20, 9);
  GemmReport quiet_report, report;
  auto without = p.multiply(modular, &quiet_report);
  for (int64_t h = 0; h < p.k; ++h) {
    for (int64_t i : {3, 31}) p.left(i, h) = scaled(p.left(i, h), 600);
    for (int64_t j : {0, 17}) p.right(h, j) = scaled(p.right(h, j), 600);
  }
  auto c = p.multiply(modular, &report), direct = direct_entries(p);
  EXPECT_TRUE(is_modular(report));
  EXPECT_EQ(report.entries_direct, 4);
  for (int64_t i = 0; i < p.m; ++i) {
    for (int64_t j = 0; j < p.n; ++j) {
      int factors = (i == 3 || i == 31) + (j == 0 || j == 17);
      std::size_t at = p.index(i, j);
      if (factors < 2) {
        EXPECT_TRUE(same_bits(c[at], scaled(without[at], 600 * factors))) << i << ", " << j;
      } else {
        EXPECT_FALSE(std::isfinite(words(c[at])[0]));
        EXPECT_TRUE(same_bits(c[at], direct[at])) << i << ", " << j;
      }
    }
  }
  EXPECT_EQ(error_of(p, c).non_finite_mismatches, 0);
  for (int64_t h = 0; h < p.k; ++h) p.left(5, h) = scaled(p.left(5, h), 600);
  this->expect_all_direct(p, Path::direct_for_operands);
}

TYPED_TEST(ModularDirectEntries, OverflowIsTheModularEnginesWhereTheDirectHasNoSuchAccuracy) {
  using T = TypeParam;
  for (Accuracy accuracy : {Accuracy::tight, Accuracy::normwise, Accuracy::bits, Accuracy::exact}) {
    for (int64_t k : {20, 64}) {
      auto p = flat<T>(5, 6, k, 9);
      const auto quiet = p.multiply(with(accuracy));
      // 2^1018 times sums of up to 2^7, and 2^1200 times them, beside smaller ones.
      const int of_row[] = {0, 509, 600, 0, 500}, of_column[] = {0, 509, 0, 600, 500, -900};
      for (int64_t h = 0; h < k; ++h) {
        for (int64_t i = 0; i < p.m; ++i) p.left(i, h) = scaled(p.left(i, h), of_row[i]);
        for (int64_t j = 0; j < p.n; ++j) p.right(h, j) = scaled(p.right(h, j), of_column[j]);
      }
      GemmReport report;
      const auto c = p.multiply(with(accuracy), &report);
      EXPECT_EQ(report.entries_direct, 0);
      for (int64_t i = 0; i < p.m; ++i) {
        for (int64_t j = 0; j < p.n; ++j) {
          const T expected = scaled(quiet[p.index(i, j)], of_row[i] + of_column[j]);
          const auto x = words(c[p.index(i, j)]), y = words(expected);
          for (std::size_t w = 0; w < x.size(); ++w) {
            const bool is_below_inf = double_double<T> && w % 2 == 1 && std::isinf(y[w - 1]);
            EXPECT_EQ(x[w], is_below_inf ? 0.0 : y[w]) << name(accuracy) << ' ' << i << ", " << j;
          }
        }
      }
      auto found = error_of(p, c, report.plan.measure);
      EXPECT_EQ(found.non_finite_mismatches, 0);
      EXPECT_LE(found.max_error_u2, report.plan.error_bound_u2);
    }
  }
}

// What double's sum in increasing order makes Inf or NaN although it is finite, and NaN although it is Inf.
TYPED_TEST(ModularDirectEntries, OverflowThatOnlyTheSumInDoubleHas) {
  using T = TypeParam;
  for (Accuracy accuracy : {Accuracy::tight, Accuracy::normwise, Accuracy::bits, Accuracy::exact}) {
    Problem<T> p(3, 1, 4);
    const double rows[3][4] = {{0x1p1000, 0x1p1000, -0x1p1000, -0x1.8p999},
                               {0x1p1000, 0, -0x1p1000, 0x1p980},
                               {0x1p1000, -0x1p1001, -0x1p1000, 0}};
    for (int64_t h = 0; h < p.k; ++h) {
      for (int64_t i = 0; i < p.m; ++i) p.left(i, h) = number<T>(rows[i][h]);
      p.right(h, 0) = number<T>(0x1p24);
    }
    GemmReport report;
    const auto c = p.multiply(with(accuracy), &report);
    EXPECT_EQ(report.entries_direct, 0);
    const double expected[] = {0x1p1022, 0x1p1004, -inf};
    for (int64_t i = 0; i < p.m; ++i) EXPECT_EQ(words(c[p.index(i, 0)])[0], expected[i]) << name(accuracy);
    auto found = error_of(p, c, report.plan.measure);
    EXPECT_EQ(found.non_finite_mismatches, 0);
    EXPECT_LE(found.max_error_u2, report.plan.error_bound_u2);
  }
}

TYPED_TEST(ModularDirectEntries, ResultsNearTheLargestNumber) {
  using T = TypeParam;
  // Below it, on both sides of it, and finite only because terms cancel.
  for (double x : {largest / 3, largest / 2, largest}) {
    Problem<T> p(2, 2, 3);
    for (int64_t h = 0; h < 3; ++h) {
      p.left(0, h) = number<T>(x);
      p.left(1, h) = number<T>(h == 1 ? -x : x);
      p.right(h, 0) = number<T>(0.5);
      p.right(h, 1) = number<T>(h ? 1.0 : 0.25);
    }
    GemmReport report;
    auto c = p.multiply(modular, &report);
    auto found = error_of(p, c);
    EXPECT_EQ(found.non_finite_mismatches, 0) << x;
    EXPECT_LE(found.max_error_u2, report.plan.error_bound_u2) << x;
  }
}

TYPED_TEST(ModularDirectEntries, InfNaNAndOverflowInAlphaBetaAndC) {
  using T = TypeParam;
  for (double special : {inf, -inf, nan, largest}) {
    auto p = flat<T>(5, 6, 20, 10);
    auto expect_classes = [&] {
      GemmReport report;
      auto found = error_of(p, p.multiply(modular, &report));
      EXPECT_EQ(found.non_finite_mismatches, 0) << special;
      EXPECT_LE(found.max_error_u2, report.plan.error_bound_u2) << special;
    };
    p.alpha = number<T>(special);
    expect_classes();
    p.beta = number<T>(2);
    expect_classes();
    p.alpha = number<T>(3, 1);
    p.beta = number<T>(special);
    expect_classes();
    p.beta = number<T>(0.5);
    p.c0[7] = number<T>(special);
    p.c0[8] = number<T>(1, special);
    expect_classes();
  }
}

TYPED_TEST(ModularDirectEntries, EntriesOfTooWideARange) {
  using T = TypeParam;
  for (int64_t count : {1, 4}) {
    auto p = wide_entries<T>(count);
    GemmReport report;
    auto c = p.multiply(modular, &report), direct = direct_entries(p);
    EXPECT_TRUE(is_modular(report));
    EXPECT_EQ(report.entries_direct, count);
    for (int64_t j = 0; j < count; ++j) {
      EXPECT_TRUE(same_bits(c[p.index(9, j)], direct[p.index(9, j)])) << j;
    }
    EXPECT_LE(error_of(p, c).max_error_u2, std::min(8.0, report.plan.error_bound_u2));
  }
  this->expect_all_direct(wide_entries<T>(5), Path::direct_for_range);
}

TYPED_TEST(ModularDirectEntries, TheWidestRangeThatTheModuliHold) {
  using T = TypeParam;
  // Half of the 341.88 bits of all moduli, less a bit for the sign and those of the number of products in a sum, less
  // the bits that the bound takes without any range.
  GemmReport narrow;
  auto p = wide_entries<T>(0, 1);
  p.multiply(modular, &narrow);
  double products = static_cast<double>(is_complex<T> ? 2 * p.k : p.k);
  // A row whose sum one entry makes is charged half as many bits as k has.
  int charge = 3;
  int most =
      static_cast<int>((341.88 - 1.0 - std::log2(products)) / 2.0) - (narrow.plan.bits - narrow.plan.esc) - charge;
  for (int range : {10, 30, most - 1, most}) {
    p = wide_entries<T>(5, range);
    GemmReport report;
    auto c = p.multiply(modular, &report);
    EXPECT_TRUE(is_modular(report)) << range;
    EXPECT_EQ(report.entries_direct, 0) << range;
    EXPECT_GE(report.plan.esc, range);
    EXPECT_LE(error_of(p, c).max_error_u2, std::min(8.0, report.plan.error_bound_u2)) << range;
  }
  for (int range : {most + 1, most + 2, 70, 99, 100, 101, 102, 127, 128, 129, 254, 255, 256, 257, 512, 1000}) {
    if (range > most) this->expect_all_direct(wide_entries<T>(5, range), Path::direct_for_range);
  }
}

TYPED_TEST(ModularDirectEntries, OtherAccuraciesSayWhatAWideRangeCosts) {
  using T = TypeParam;
  auto p = wide_entries<T>(1);
  message_of(errc::unsupported, [&] { p.multiply(with(Accuracy::tight)); });
  for (Accuracy accuracy : {Accuracy::normwise, Accuracy::bits}) {
    GemmReport report;
    auto c = p.multiply(with(accuracy), &report);
    EXPECT_TRUE(is_modular(report));
    EXPECT_EQ(report.entries_direct, 0);
    auto found = error_of(p, c, report.plan.measure);
    EXPECT_LE(found.max_error_u2, report.plan.error_bound_u2);
    EXPECT_GT(error_of(p, c).max_error_u2, 0x1p40);
  }
}

TYPED_TEST(ModularDirectEntries, FastHasTheFastBits) {
  using T = TypeParam;
  if constexpr (double_double<T>) {
    auto p = wide_entries<T>(3);
    GemmReport report;
    auto c = p.multiply(with(Accuracy::fast), &report);
    auto direct = p.multiply({.engine = Engine::direct, .accuracy = Accuracy::fast, .threads = 1});
    EXPECT_EQ(report.entries_direct, 3);
    for (int64_t j = 0; j < 3; ++j) EXPECT_TRUE(same_bits(c[p.index(9, j)], direct[p.index(9, j)])) << j;
  }
}

}  // namespace
}  // namespace hilo::test
