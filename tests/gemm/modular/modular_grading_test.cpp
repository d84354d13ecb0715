// The modular engine on operands that break products of a fixed number of bits (Demmel et al.'s grading tests): zeros
// and exponents in every pattern, cancellation, subnormal numbers, one huge entry, nothing to multiply.
#include <gtest/gtest.h>

#include "exact_entry.hpp"
#include "modular_problems.hpp"

namespace hilo::test {
namespace {

using std::int64_t;

constexpr GemmOptions modular = {.engine = Engine::modular, .threads = 1};

// Moduli come whole, and each holds at most 4 bits of each factor: what is left over where exponents spread by nothing.
constexpr int least_esc = 4;

// The product by the modular engine alone, its error below its bound and 8 u².
template <class T>
std::vector<T> checked(const Problem<T>& p, GemmReport* report = nullptr) {
  GemmReport r;
  std::vector<T> c = p.multiply(modular, &r);
  EXPECT_TRUE(is_modular(r)) << name(r.plan.path);
  EXPECT_EQ(r.entries_direct, 0);
  auto found = error_of(p, c);
  EXPECT_LE(found.max_error_u2, r.plan.error_bound_u2);
  EXPECT_LE(found.max_error_u2, 8.0);
  EXPECT_EQ(found.non_finite_mismatches, 0);
  if (report) *report = r;
  return c;
}

template <class T>
void scale_row(Problem<T>& p, int64_t i, int power) {
  for (int64_t h = 0; h < p.k; ++h) p.left(i, h) = scaled(p.left(i, h), power);
}
template <class T>
void scale_column(Problem<T>& p, int64_t j, int power) {
  for (int64_t h = 0; h < p.k; ++h) p.right(h, j) = scaled(p.right(h, j), power);
}
// Term h of every sum: A · D and D⁻¹ · B.
template <class T>
void balance(Problem<T>& p, int64_t h, int power) {
  for (int64_t i = 0; i < p.m; ++i) p.left(i, h) = scaled(p.left(i, h), power);
  for (int64_t j = 0; j < p.n; ++j) p.right(h, j) = scaled(p.right(h, j), -power);
}

template <class T>
bool is_plus_zero(const T& x) {
  return same_bits(x, T(0));
}

template <class T>
class ModularGrading : public testing::Test {};
TYPED_TEST_SUITE(ModularGrading, Precisions, PrecisionName);

TYPED_TEST(ModularGrading, ComplementaryZerosGiveZero) {
  using T = TypeParam;
  auto p = generated<T>(range_kind(3), 13, 11, 40, 1);
  for (int64_t h = 0; h < p.k; ++h) {
    for (int64_t i = 0; i < p.m; ++i) p.left(i, h) = h % 2 ? T(0) : p.left(i, h);
    for (int64_t j = 0; j < p.n; ++j) p.right(h, j) = h % 2 ? p.right(h, j) : T(0);
  }
  GemmReport report;
  for (const T& x : checked(p, &report)) EXPECT_TRUE(is_plus_zero(x));
  EXPECT_LE(report.plan.esc, least_esc);
}

TYPED_TEST(ModularGrading, ZeroRowsColumnsAndMatrices) {
  using T = TypeParam;
  auto p = generated<T>(uniform_kind, 9, 8, 33, 2);
  for (int64_t h = 0; h < p.k; ++h) p.left(3, h) = p.right(h, 5) = T(0);
  auto c = checked(p);
  for (int64_t i = 0; i < p.m; ++i) {
    for (int64_t j = 0; j < p.n; ++j) EXPECT_EQ(is_plus_zero(c[p.index(i, j)]), i == 3 || j == 5) << i << ", " << j;
  }
  std::fill(p.b.begin(), p.b.end(), T(0));
  for (const T& x : checked(p)) EXPECT_TRUE(is_plus_zero(x));
  std::fill(p.a.begin(), p.a.end(), T(0));
  for (const T& x : checked(p)) EXPECT_TRUE(is_plus_zero(x));
}

TYPED_TEST(ModularGrading, ZerosDoNotHideTheRangeOfTheRest) {
  using T = TypeParam;
  // The large half of each row of A meets zeros of B: all that counts lies 2^40 lower.
  auto p = generated<T>(uniform_kind, 10, 9, 30, 3);
  for (int64_t h = 0; h < p.k; h += 2) {
    for (int64_t i = 0; i < p.m; ++i) p.left(i, h) = scaled(p.left(i, h), 40);
    for (int64_t j = 0; j < p.n; ++j) p.right(h, j) = T(0);
  }
  GemmReport report;
  checked(p, &report);
  EXPECT_TRUE(report.plan.path == Path::modular_balanced || report.plan.esc >= 40) << report.plan.esc;
}

TYPED_TEST(ModularGrading, ADiagonalScalingAlongTheTermsIsTakenBack) {
  using T = TypeParam;
  // Exponents that do not spread come back exactly, others nearly.
  for (bool is_flat : {true, false}) {
    auto p = is_flat ? flat<T>(24, 22, 61, 4) : generated<T>(uniform_kind, 24, 22, 61, 4);
    GemmReport plain, balanced;
    auto expected = checked(p, &plain);
    EXPECT_EQ(plain.plan.path, Path::modular);
    for (int pattern = 0; pattern < 3; ++pattern) {
      Problem<T> q = p;
      Random random(5);
      for (int64_t h = 0; h < p.k; ++h) {
        int power = pattern == 0   ? static_cast<int>(10 * h - 300)
                    : pattern == 1 ? (h % 2 ? 300 : -300)
                                   : static_cast<int>(random.between(-300, 300));
        balance(q, h, power);
      }
      auto c = checked(q, &balanced);
      EXPECT_EQ(balanced.plan.path, Path::modular_balanced) << "pattern " << pattern;
      if (is_flat) {
        EXPECT_EQ(balanced.plan.moduli, plain.plan.moduli) << "pattern " << pattern;
        EXPECT_EQ(first_difference(c, expected), -1) << "pattern " << pattern;
      } else {
        EXPECT_LE(balanced.plan.esc, plain.plan.esc + 4) << "pattern " << pattern;
      }
    }
  }
}

TYPED_TEST(ModularGrading, AllThreeScalingsTogether) {
  using T = TypeParam;
  auto p = generated<T>(uniform_kind, 20, 19, 50, 6);
  Random random(7);
  for (int64_t h = 0; h < p.k; ++h) balance(p, h, static_cast<int>(random.between(-300, 300)));
  for (int64_t i = 0; i < p.m; ++i) scale_row(p, i, static_cast<int>(random.between(-200, 200)));
  for (int64_t j = 0; j < p.n; ++j) scale_column(p, j, static_cast<int>(random.between(-200, 200)));
  GemmReport report;
  checked(p, &report);
  EXPECT_EQ(report.plan.path, Path::modular_balanced);
  EXPECT_LE(report.plan.esc, 20);
}

TYPED_TEST(ModularGrading, RowAndColumnScalingsScaleTheBits) {
  using T = TypeParam;
  for (const Kind& kind : {uniform_kind, range_kind(2)}) {
    auto p = generated<T>(kind, 12, 15, 70, 8);
    p.alpha = number<T>(dd_real(5) / 3, dd_real(1) / 7);
    GemmReport plain, report;
    auto c = p.multiply(modular, &plain);
    Problem<T> q = p;
    Random random(9);
    std::vector<int> rows, columns;
    for (int64_t i = 0; i < p.m; ++i) scale_row(q, i, rows.emplace_back(static_cast<int>(random.between(-300, 300))));
    for (int64_t j = 0; j < p.n; ++j) {
      scale_column(q, j, columns.emplace_back(static_cast<int>(random.between(-300, 300))));
    }
    auto d = q.multiply(modular, &report);
    for (int64_t i = 0; i < p.m; ++i) {
      for (int64_t j = 0; j < p.n; ++j) {
        int power = rows[static_cast<std::size_t>(i)] + columns[static_cast<std::size_t>(j)];
        EXPECT_TRUE(same_bits(scaled(d[p.index(i, j)], -power), c[p.index(i, j)])) << i << ", " << j;
      }
    }
    EXPECT_EQ(report.plan.moduli, plain.plan.moduli);
    EXPECT_EQ(report.plan.path, plain.plan.path);
  }
}

TYPED_TEST(ModularGrading, ControlledCancellation) {
  using T = TypeParam;
  for (int power : {0, 10, 30, 50, 60, 90, 104}) {
    auto p = generated<T>(uniform_kind, 8, 9, 128, 10);
    for (int64_t h = 0; h < 64; ++h) {
      for (int64_t i = 0; i < p.m; ++i) p.left(i, 64 + h) = p.left(i, h);
      for (int64_t j = 0; j < p.n; ++j) {
        p.right(64 + h, j) = scaled(p.right(h, j), -power) - p.right(h, j);
      }
    }
    checked(p);
    // And all of it: rounding is symmetric, so what is left is +0.
    for (int64_t h = 0; h < 64; ++h) {
      for (int64_t j = 0; j < p.n; ++j) p.right(64 + h, j) = -p.right(h, j);
    }
    for (const T& x : checked(p)) EXPECT_TRUE(is_plus_zero(x));
  }
}

// Integers of at most `bits` bits.
template <class T>
void fill_with_integers(std::vector<T>& x, int bits, Random& random) {
  int64_t most = (int64_t{1} << bits) - 1;
  for (T& e : x) {
    auto re = static_cast<double>(random.between(-most, most));
    e = number<T>(re, static_cast<double>(random.between(-most, most)));
  }
}

TYPED_TEST(ModularGrading, WhatFitsTheBitsIsRoundedOnceDownToTheLastSubnormal) {
  using T = TypeParam;
  Problem<T> p(9, 8, 25);
  Random random(11);
  fill_with_integers(p.a, 50, random);
  fill_with_integers(p.b, 46, random);
  // Sums of up to 101 bits, from all normal to all below half of the least subnormal number.
  for (int power : {0, -900, -1020, -1030, -1060, -1075, -1100, -1120, -1140, -1150, -1160, -1170, -1176, -1180}) {
    Problem<T> q = p;
    for (int64_t i = 0; i < p.m; ++i) scale_row(q, i, power / 2);
    for (int64_t j = 0; j < p.n; ++j) scale_column(q, j, power - power / 2);
    GemmReport report;
    auto c = q.multiply(modular, &report);
    EXPECT_EQ(report.plan.path, Path::modular);
    EXPECT_EQ(report.entries_direct, 0);
    EXPECT_EQ(first_difference_in_value(c, exact_product(q)), -1) << power;
  }
}

TYPED_TEST(ModularGrading, SubnormalRows) {
  using T = TypeParam;
  auto p = generated<T>(uniform_kind, 10, 9, 30, 12);
  Random random(13);
  std::vector<T> tiny(static_cast<std::size_t>(p.k));
  fill_with_integers(tiny, 51, random);
  for (int64_t h = 0; h < p.k; ++h) p.left(4, h) = scaled(tiny[static_cast<std::size_t>(h)], -1074);
  auto small = checked(p);
  // Times 2^500 twice: results are normal, and the other rows only follow.
  for (int64_t j = 0; j < p.n; ++j) scale_column(p, j, 500);
  auto c = checked(p);
  for (int64_t i = 0; i < p.m; ++i) {
    if (i == 4) continue;
    for (int64_t j = 0; j < p.n; ++j) EXPECT_TRUE(same_bits(c[p.index(i, j)], scaled(small[p.index(i, j)], 500)));
  }
  // The row alone, and against subnormal columns: sums that vanish.
  for (T& x : p.a) x = scaled(tiny[static_cast<std::size_t>(random.below(p.k))], -1074);
  checked(p);
  for (T& x : p.b) x = scaled(tiny[static_cast<std::size_t>(random.below(p.k))], -1074);
  for (const T& x : checked(p)) EXPECT_TRUE(x == T(0));
}

TYPED_TEST(ModularGrading, OneHugeEntry) {
  using T = TypeParam;
  for (int power : {50, 300, 900}) {
    auto p = generated<T>(uniform_kind, 16, 15, 40, 14);
    p.left(3, 7) = scaled(p.left(3, 7), power);
    checked(p);
    p = generated<T>(uniform_kind, 16, 15, 40, 14);
    p.right(39, 0) = scaled(p.right(39, 0), power);
    checked(p);
    // In both, where they meet.
    p.left(3, 39) = scaled(p.left(3, 39), power / 10);
    checked(p);
  }
}

// Where one term makes a sum, the rounding errors of all others have nothing to hide behind.
// Positive entries whose last bits are as good as random: all that are generated have the bit 2^-64, which where a row
// has one huge entry may make all others round in one direction.
template <class T>
Problem<T> positive(int64_t k, std::uint64_t seed) {
  auto p = generated<T>(kinds[6], 4, 5, k, seed);
  for (auto* x : {&p.a, &p.b}) {
    for (T& e : *x) e = e * number<T>(1.0 / 3.0);
  }
  return p;
}

TYPED_TEST(ModularGrading, OneHugeEntryOfLongSums) {
  using T = TypeParam;
  for (int64_t k : {64, 256, 1024, 8192}) {
    auto p = positive<T>(k, 21);
    p.left(2, k / 2) = scaled(p.left(2, k / 2), 50);
    checked(p);
    p = positive<T>(k, 22);
    for (int64_t i = 0; i < 4; ++i) p.left(i, i) = scaled(p.left(i, i), 50);
    p.right(k - 1, 1) = scaled(p.right(k - 1, 1), 70);
    checked(p);
  }
}

TYPED_TEST(ModularGrading, OneTinyEntryCostsNothing) {
  using T = TypeParam;
  auto p = generated<T>(uniform_kind, 16, 15, 40, 15);
  GemmReport plain, report;
  checked(p, &plain);
  p.left(3, 7) = scaled(p.left(3, 7), -900);
  p.right(2, 2) = scaled(p.right(2, 2), -950);
  checked(p, &report);
  EXPECT_EQ(report.plan.moduli, plain.plan.moduli);
}

TYPED_TEST(ModularGrading, NothingToMultiply) {
  using T = TypeParam;
  auto unreadable = number<T>(std::numeric_limits<double>::quiet_NaN());
  for (Accuracy accuracy : {Accuracy::classic, Accuracy::tight, Accuracy::normwise, Accuracy::exact, Accuracy::bits}) {
    GemmOptions options = modular;
    options.accuracy = accuracy;
    if (accuracy == Accuracy::bits) options.bits = 60;
    T* none = nullptr;
    gemm<T>(Layout::column, Op::none, Op::none, 0, 5, 3, T(1), none, 1, none, 3, T(0), none, 1, options);
    gemm<T>(Layout::column, Op::none, Op::none, 5, 0, 3, T(1), none, 5, none, 3, T(0), none, 5, options);
    std::vector<T> c(6, unreadable);
    gemm<T>(Layout::column, Op::none, Op::none, 2, 3, 0, T(1), none, 2, none, 1, T(0), c.data(), 2, options);
    for (const T& x : c) EXPECT_TRUE(is_plus_zero(x));
    if (accuracy == Accuracy::exact) continue;
    c.assign(6, number<T>(3, 4));
    gemm<T>(Layout::column, Op::none, Op::none, 2, 3, 0, T(1), none, 2, none, 1, number<T>(2), c.data(), 2, options);
    for (const T& x : c) EXPECT_TRUE(x == number<T>(6, 8));
    std::vector<T> a(8, unreadable), b(12, unreadable);
    gemm<T>(Layout::column, Op::none, Op::none, 2, 3, 4, T(0), a.data(), 2, b.data(), 4, T(1), c.data(), 2, options);
    for (const T& x : c) EXPECT_TRUE(x == number<T>(6, 8));
    gemm<T>(Layout::column, Op::none, Op::none, 2, 3, 4, T(0), none, 2, none, 4, number<T>(2), c.data(), 2, options);
    for (const T& x : c) EXPECT_TRUE(x == number<T>(12, 16));
    gemm<T>(Layout::column, Op::none, Op::none, 2, 3, 4, T(0), none, 2, none, 4, T(0), c.data(), 2, options);
    for (const T& x : c) EXPECT_TRUE(is_plus_zero(x));
  }
}

}  // namespace
}  // namespace hilo::test
