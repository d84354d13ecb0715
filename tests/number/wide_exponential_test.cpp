#include <gtest/gtest.h>

#include <hilo/detail/wide_exponential.hpp>

#include "function_errors.hpp"
#include "wide_against_mpfr.hpp"

namespace {

using hilo::dd_real;
using hilo::detail::Wide;
using hilo::testing::Exact;
using hilo::testing::input_count;
using hilo::testing::Inputs;
using hilo::testing::set;
using hilo::testing::wide;
using hilo::testing::wide_error;

// |f(x) − g(x)| / |g(x)| in units of 2^-128.
double error(Wide (*f)(Wide), hilo::testing::MpfrUnary g, Wide x) {
  static Exact argument(160), exact(300);
  set(argument, x);
  g(exact, argument, MPFR_RNDN);
  return wide_error(f(x), exact);
}

// A neighbour of x, some units of its last place away, or x itself.
Wide moved(Inputs& in, Wide x) { return x + ldexp(Wide(in.below(9) - 4), x.exponent - 127 + in.below(60)); }

TEST(WideExponential, ExpKeepsItsBound) {
  Inputs in(1);
  double worst = 0.0;
  for (int i = 0, n = input_count(50'000); i < n; ++i) {
    Wide x = wide(in, -140, 19);
    if (in.below(2) == 0) x = wide(in, -14, 9);
    // Where k changes, and at its tables' ends.
    if (in.below(3) == 0) x = moved(in, Wide(2 * in.below(4096) - 4095) * ldexp(hilo::detail::wide_ln2, -11));
    if (x.exponent > 18) x.exponent = 18;
    double e = error(hilo::detail::wide_exp, mpfr_exp, x);
    ASSERT_LE(e, 16.0) << x.leading_double();
    worst = std::max(worst, e);
  }
  EXPECT_GT(worst, 2.0);
  EXPECT_EQ(hilo::detail::wide_exp(Wide()), Wide(1));
  if (input_count(0) > 0) std::printf("exp %.2f · 2^-128\n", worst);
}

TEST(WideExponential, Expm1KeepsItsBound) {
  Inputs in(2);
  double worst = 0.0;
  for (int i = 0, n = input_count(50'000); i < n; ++i) {
    Wide x = wide(in, in.below(4) == 0 ? -3000 : -14, 9);
    if (in.below(3) == 0) x = moved(in, ldexp(Wide(in.below(2) == 0 ? 1 : -1), -in.below(130)));
    double e = error(hilo::detail::wide_expm1, mpfr_expm1, x);
    ASSERT_LE(e, 32.0) << x.leading_double();
    worst = std::max(worst, e);
  }
  EXPECT_GT(worst, 8.0);
  EXPECT_TRUE(hilo::detail::wide_expm1(Wide()).is_zero());
  if (input_count(0) > 0) std::printf("expm1 %.2f · 2^-128\n", worst);
}

TEST(WideExponential, LogKeepsItsBound) {
  Inputs in(3);
  double worst = 0.0;
  for (int i = 0, n = input_count(50'000); i < n; ++i) {
    Wide x = wide(in, -4000, 4000);
    if (in.below(2) == 0) x = wide(in, -2, 1);
    if (in.below(3) == 0) x = moved(in, ldexp(Wide(256 + in.below(512)), -9 + in.below(3)));
    if (in.below(3) == 0) x = Wide(1) + wide(in, -127, -2);
    if (x == Wide(1)) continue;
    double e = error(hilo::detail::wide_log, mpfr_log, abs(x));
    ASSERT_LE(e, 32.0) << ldexp(x, -x.exponent).leading_double() << " " << x.exponent;
    worst = std::max(worst, e);
  }
  EXPECT_GT(worst, 2.0);
  EXPECT_TRUE(hilo::detail::wide_log(Wide(1)).is_zero());
  if (input_count(0) > 0) std::printf("log %.2f · 2^-128\n", worst);
}

TEST(WideExponential, Log1pKeepsItsBound) {
  Inputs in(4);
  double worst = 0.0;
  for (int i = 0, n = input_count(50'000); i < n; ++i) {
    Wide x = wide(in, -3000, 3000);
    if (in.below(2) == 0) x = wide(in, -10, 3);
    if (in.below(3) == 0) x = moved(in, ldexp(Wide(256 + in.below(512)), -9 + in.below(3)) - Wide(1));
    if (in.below(4) == 0) x = moved(in, ldexp(Wide(in.below(2) == 0 ? 1 : -1), -in.below(130)));
    if (in.below(4) == 0) x = wide(in, -127, -2) - Wide(1);
    if (x.is_zero() || !(Wide(-1) < x)) continue;
    double e = error(hilo::detail::wide_log1p, mpfr_log1p, x);
    ASSERT_LE(e, 32.0) << ldexp(x, -x.exponent).leading_double() << " " << x.exponent;
    worst = std::max(worst, e);
  }
  EXPECT_GT(worst, 2.0);
  EXPECT_TRUE(hilo::detail::wide_log1p(Wide()).is_zero());
  if (input_count(0) > 0) std::printf("log1p %.2f · 2^-128\n", worst);
}

constexpr Wide constant = hilo::detail::wide_log(hilo::detail::wide_exp(Wide(3)));
static_assert(abs(constant - Wide(3)) < ldexp(Wide(1), -120));

}  // namespace
