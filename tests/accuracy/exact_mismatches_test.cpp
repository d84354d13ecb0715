// Whether entries are the exact sum rounded once: ties, subnormal results, overflow, Inf and NaN.
#include <gtest/gtest.h>

#include <hilo/accuracy.hpp>
#include <limits>
#include <vector>

namespace hilo::accuracy {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Whether c is alpha times the sum of a · b, rounded once.
template <class T>
bool is_exact(const std::vector<T>& a, const std::vector<T>& b, T c, T alpha = T(1)) {
  auto k = static_cast<std::int64_t>(a.size());
  return gemm_exact_mismatches<T>(Layout::row, Op::none, Op::none, 1, 1, k, alpha, a.data(), k, b.data(), 1, &c, 1) ==
         0;
}

struct RoundedSum {
  const char* what;
  std::vector<double> terms;  // summed
  dd_real rounded, wrong;
};

constexpr double max = std::numeric_limits<double>::max(), least = 0x1p-1074;

TEST(ExactMismatches, HiAndLoAreRoundedOnceToNearestEven) {
  const RoundedSum cases[] = {
      {"tie in hi, below", {1, 0x1p-53}, {1, 0x1p-53}, {1 + 0x1p-52, -0x1p-53}},
      {"tie in hi, above", {1, 0x3p-53}, {1 + 0x1p-51, -0x1p-53}, {1 + 0x1p-52, 0x1p-53}},
      {"tie in lo, below", {1, 0x1p-60, 0x1p-113}, {1, 0x1p-60}, {1, 0x1p-60 + 0x1p-112}},
      {"tie in lo, above", {1, 0x1p-60, 0x3p-113}, {1, 0x1p-60 + 0x1p-111}, {1, 0x1p-60 + 0x1p-112}},
      {"more than a tie", {1, 0x1p-60, 0x1p-113, 0x1p-900}, {1, 0x1p-60 + 0x1p-112}, {1, 0x1p-60}},
      {"less than a tie", {1, 0x1p-60, 0x3p-113, -0x1p-900}, {1, 0x1p-60 + 0x1p-112}, {1, 0x1p-60 + 0x1p-111}},
      {"lo rounded to a tie", {1, 0x1p-52, 0x1p-53, -0x1p-200}, {1 + 0x1p-51, -0x1p-53}, {1 + 0x1p-52, 0x1p-53}},
      {"lo far below", {1, 0x1p-1000}, {1, 0x1p-1000}, {1, 0}},
      {"cancellation", {0x1p1000, 0x1p-60, -0x1p1000, 0x1p-200}, {0x1p-60, 0x1p-200}, {0, 0}},
      {"zero", {3, -3}, {0, 0}, {least, 0}},
      {"negative", {-1, -0x1p-60, -0x1p-113, -0x1p-900}, {-1, -0x1p-60 - 0x1p-112}, {-1, -0x1p-60}},
      {"last finite", {max, 0x1p969}, {max, 0x1p969}, {inf, 0}},
      {"tie that overflows", {max, 0x1p970}, {inf, 0}, {max, 0x1p970}},
      {"lo rounded to a tie that overflows", {max, 0x1p970, -0x1p800}, {inf, 0}, {max, 0x1p970}},
      {"below a tie that overflows", {max, 0x1p970, -0x1p917}, {max, 0x1p970 - 0x1p917}, {inf, 0}},
      {"overflow", {-max, -max}, {-inf, 0}, {inf, 0}},
      {"no overflow after all", {max, max, -max}, {max, 0}, {inf, 0}},
  };
  for (const RoundedSum& c : cases) {
    std::vector<dd_real> a(c.terms.begin(), c.terms.end()), ones(a.size(), dd_real(1));
    EXPECT_TRUE(is_exact(a, ones, c.rounded)) << c.what;
    EXPECT_TRUE(is_exact(ones, a, c.rounded)) << c.what;
    EXPECT_FALSE(is_exact(a, ones, c.wrong)) << c.what;
    if (c.rounded.hi == max) continue;  // overflows where it is scaled
    EXPECT_TRUE(is_exact(a, ones, -ldexp(c.rounded, 3), dd_real(-8))) << c.what;
  }
}

TEST(ExactMismatches, SubnormalResultsAreRoundedOnce) {
  const RoundedSum cases[] = {
      // In units of 2^-1074; the factors are 2^-600 and 2^-474.
      {"below half", {0.25}, {0, 0}, {least, 0}},
      {"half", {0.5}, {0, 0}, {least, 0}},
      {"above half", {0.5, 0x1p-200}, {least, 0}, {0, 0}},
      {"three halves", {1.5}, {2 * least, 0}, {least, 0}},
      {"tie of lo", {0x1p70, 0.5}, {0x1p-1004, 0}, {0x1p-1004, least}},
      {"above a tie of lo", {0x1p70, 0.5, 0x1p-300}, {0x1p-1004, least}, {0x1p-1004, 0}},
      {"tie of lo, upwards", {0x1p70, 1.5}, {0x1p-1004, 2 * least}, {0x1p-1004, least}},
      {"subnormal hi of many bits", {0x1p40, 1, 0.25}, {0x1p-1034 + least, 0}, {0x1p-1034 + 2 * least, 0}},
  };
  for (const RoundedSum& c : cases) {
    std::vector<dd_real> a, b(c.terms.size(), dd_real(0x1p-474));
    for (double term : c.terms) a.push_back(dd_real(term * 0x1p-600));
    EXPECT_TRUE(is_exact(a, b, c.rounded)) << c.what;
    EXPECT_FALSE(is_exact(a, b, c.wrong)) << c.what;
    EXPECT_TRUE(is_exact(a, std::vector<dd_real>(b.size(), dd_real(1)), c.rounded, dd_real(0x1p-474))) << c.what;
  }
}

TEST(ExactMismatches, OtherPrecisionsAreRoundedOnceToTheirWords) {
  using Z = std::complex<double>;
  std::vector<double> ones(3, 1.0);
  EXPECT_TRUE(is_exact<double>({1, 0x1p-53, 0}, ones, 1));
  EXPECT_TRUE(is_exact<double>({1, 0x1p-53, 0x1p-1000}, ones, 1 + 0x1p-52));
  EXPECT_FALSE(is_exact<double>({1, 0x1p-53, 0x1p-1000}, ones, 1));
  EXPECT_TRUE(is_exact<double>({max, 0x1p970, 0}, ones, inf));
  EXPECT_FALSE(is_exact<double>({max, 0x1p970, 0}, ones, max));
  EXPECT_TRUE(is_exact<double>({0x1.8p-537}, {0x1p-537}, 2 * least));
  EXPECT_TRUE(is_exact<float>({1, 0x1p-24f, 0x1p-149f}, {1, 1, 1}, 1 + 0x1p-23f));
  EXPECT_TRUE(is_exact<float>({0x1.8p-75f}, {0x1p-74f}, 0x1p-148f));
  // (1 + 2^-40 i)(1 + 2^-40 i) = 1 − 2^-80 + 2^-39 i
  EXPECT_TRUE(is_exact<Z>({{1, 0x1p-40}}, {{1, 0x1p-40}}, {1, 0x1p-39}));
  EXPECT_FALSE(is_exact<Z>({{1, 0x1p-40}}, {{1, 0x1p-40}}, {1 - 0x1p-53, 0x1p-39}));
  dd_complex x(dd_real(1), dd_real(0x1p-40));
  EXPECT_TRUE(is_exact<dd_complex>({x}, {x}, {dd_real(1, -0x1p-80), dd_real(0x1p-39)}));
  EXPECT_FALSE(is_exact<dd_complex>({x}, {x}, {dd_real(1), dd_real(0x1p-39)}));
  EXPECT_TRUE(is_exact<dd_complex>({x}, {x}, {dd_real(-0x1p-38), dd_real(2, -0x1p-79)}, {dd_real(0), dd_real(2)}));
}

TEST(ExactMismatches, WhereNothingIsReadTheProductIsZero) {
  dd_real x(nan), zero(0), one(1), c(0);
  auto mismatches = [&](std::int64_t k, dd_real alpha, const dd_real* a) {
    return gemm_exact_mismatches<dd_real>(Layout::row, Op::none, Op::none, 1, 1, k, alpha, a, 1, a, 1, &c, 1);
  };
  EXPECT_EQ(mismatches(0, x, nullptr), 0);
  EXPECT_EQ(mismatches(1, zero, nullptr), 0);
  EXPECT_EQ(mismatches(1, zero, &x), 0);
  c = one;
  EXPECT_EQ(mismatches(0, one, nullptr), 1);
  EXPECT_THROW(mismatches(1, one, nullptr), error);
}

TEST(ExactMismatches, InfAndNanAreThoseOfTheSum) {
  auto all = [](double a, double c) { return is_exact<dd_real>({dd_real(a), dd_real(2)}, {1, 3}, dd_real(c)); };
  EXPECT_TRUE(all(inf, inf));
  EXPECT_FALSE(all(inf, nan));
  EXPECT_FALSE(all(inf, 7));
  EXPECT_TRUE(all(nan, nan));
  EXPECT_FALSE(all(1, nan));
  EXPECT_TRUE(all(1, 7));
  EXPECT_TRUE(is_exact<dd_real>({inf}, {0}, nan));
}

}  // namespace
}  // namespace hilo::accuracy
