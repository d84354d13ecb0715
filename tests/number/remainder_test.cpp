#include <gmp.h>
#include <gtest/gtest.h>

#include <hilo/math/remainder.hpp>

#include "function_errors.hpp"

namespace {

using hilo::dd_real;
using hilo::testing::between;
using hilo::testing::error_u2;
using hilo::testing::Exact;
using hilo::testing::input_count;
using hilo::testing::Inputs;
using hilo::testing::words;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// What x / y leaves, truncated and to nearest, in integers that count 2^-1074.
class Oracle {
 public:
  Oracle() { mpz_inits(x_, y_, quotient_, rest_, twice_, nullptr); }
  ~Oracle() { mpz_clears(x_, y_, quotient_, rest_, twice_, nullptr); }

  void divide(dd_real x, dd_real y) {
    set(x_, x);
    set(y_, y);
    mpz_tdiv_qr(quotient_, rest_, x_, y_);
    get(truncated);
    mpz_mul_2exp(twice_, rest_, 1);
    int side = mpz_cmpabs(twice_, y_);
    if (side > 0 || (side == 0 && mpz_odd_p(quotient_))) {
      bool same_sign = mpz_sgn(x_) == mpz_sgn(y_);
      same_sign ? mpz_sub(rest_, rest_, y_) : mpz_add(rest_, rest_, y_);
      same_sign ? mpz_add_ui(quotient_, quotient_, 1) : mpz_sub_ui(quotient_, quotient_, 1);
    }
    get(nearest);
    low_bits = static_cast<int>(mpz_get_ui(quotient_) & 0x7fffffff) * mpz_sgn(quotient_);
  }

  Exact truncated{2300}, nearest{2300};
  int low_bits = 0;

 private:
  void set(mpz_ptr n, dd_real x) {
    value_ = x;
    mpfr_mul_2ui(value_, value_, 1074, MPFR_RNDN);
    mpfr_get_z(n, value_, MPFR_RNDN);
  }
  void get(Exact& r) {
    mpfr_set_z(r, rest_, MPFR_RNDN);
    mpfr_div_2ui(r, r, 1074, MPFR_RNDN);
  }

  mpz_t x_, y_, quotient_, rest_, twice_;
  Exact value_{2300};
};

// The result is the exact value, or that rounded to two words of which the first is the nearest double.
bool is_rounded(dd_real r, mpfr_ptr exact, dd_real x) {
  double hi = mpfr_get_d(exact, MPFR_RNDN);
  if (mpfr_zero_p(exact)) return r.hi == 0.0 && r.lo == 0.0 && signbit(r) == signbit(x);
  static Exact rest(2300);
  mpfr_sub_d(rest, exact, hi, MPFR_RNDN);
  return hilo::testing::is_canonical(r) && r == dd_real::sum(hi, mpfr_get_d(rest, MPFR_RNDN));
}

dd_real gap(Inputs& in, double hi) {
  return hi + std::ldexp(in.word(false), std::max(-1074, std::ilogb(hi) - 60 - in.below(2000)));
}

void expect_exact(dd_real x, dd_real y) {
  static Oracle oracle;
  if (y.hi == 0.0) return;
  oracle.divide(x, y);
  int quotient = 0;
  dd_real truncated = fmod(x, y), nearest = remquo(x, y, &quotient);
  ASSERT_TRUE(is_rounded(truncated, oracle.truncated, x)) << words(x) << words(y) << words(truncated);
  ASSERT_TRUE(is_rounded(nearest, oracle.nearest, x)) << words(x) << words(y) << words(nearest);
  ASSERT_EQ(quotient, oracle.low_bits) << words(x) << words(y);
  dd_real same = remainder(x, y);
  ASSERT_TRUE(same == nearest && signbit(same) == signbit(nearest));
}

TEST(Remainder, IsExactForNumbersOfLikeSize) {
  Inputs in(1);
  for (int i = 0, n = input_count(40'000); i < n; ++i) expect_exact(in.number(false), in.number(false));
  for (int i = 0, n = input_count(40'000); i < n; ++i) {
    expect_exact(ldexp(in.number(false), in.below(220)), in.number(false));
  }
}

TEST(Remainder, IsExactAtAllExponents) {
  Inputs in(2);
  for (int i = 0, n = input_count(30'000); i < n; ++i) expect_exact(in.number(true), in.number(true));
}

TEST(Remainder, IsRoundedWhereGapsLeaveMoreThanTwoWords) {
  Inputs in(3);
  for (int i = 0, n = input_count(30'000); i < n; ++i) {
    bool wide = in.below(2) == 0;
    dd_real x = in.below(2) == 0 ? gap(in, in.word(wide)) : in.number(wide), y = gap(in, in.word(wide));
    if (isfinite(x) && isfinite(y)) expect_exact(x, y);
  }
}

TEST(Remainder, IsExactNearMultiplesAndHalves) {
  Inputs in(4);
  for (int i = 0, n = input_count(60'000); i < n; ++i) {
    bool wide = in.below(2) == 0;
    dd_real y = in.number(wide);
    // Half multiples, exact where y has few bits, and their neighbours.
    if (in.below(2) == 0) y = std::ldexp(std::nearbyint(std::ldexp(in.mantissa(), 20)), in.below(1000) - 500);
    dd_real x = y * (0.5 * in.below(in.below(2) == 0 ? 16 : 1 << 30));
    if (in.below(2) == 0) x = -x;
    if (in.below(3) == 0) x = dd_real(x.hi, std::nextafter(x.lo, in.below(2) == 0 ? infinity : -infinity));
    if (in.below(8) == 0) x = dd_real(std::nextafter(x.hi, 0.0));
    if (isfinite(x) && hilo::testing::is_canonical(x)) expect_exact(x, y);
  }
}

// Divisors with leading limbs that make the estimated digit of the quotient too large.
TEST(Remainder, IsExactForTheHardDigits) {
  Inputs in(5);
  for (int i = 0, n = input_count(40'000); i < n; ++i) {
    dd_real y(0x1p127 + (in.below(2) == 0 ? 0x1p75 * in.below(3) : 0.0), 0x1p63 - std::ldexp(1.0, 10 + in.below(54)));
    if (in.below(2) == 0) y = dd_real(0x1p128, -std::ldexp(1.0, in.below(75)));
    dd_real x = ldexp(in.below(2) == 0 ? y : dd_real(0x1p128), in.below(800)) * (in.below(2) == 0 ? 1 : in.word(false));
    x = dd_real(x.hi, in.below(2) == 0 ? x.lo : std::ldexp(in.word(false), std::ilogb(x.hi) - 60 - in.below(100)));
    if (hilo::testing::is_canonical(x)) expect_exact(x, y);
  }
  using limits = std::numeric_limits<dd_real>;
  expect_exact(limits::max(), limits::denorm_min());
  expect_exact(limits::max(), dd_real(0x1p1000, 0x1p-1074));
  expect_exact(limits::max(), dd_real(0x1p-1000, 0x1p-1074));
  expect_exact(dd_real(0x1.fffffffffffffp1023, 0x1p-1074), dd_real(0x1.5555555555555p900, -0x1p-1073));
  expect_exact(limits::denorm_min(), limits::max());
  expect_exact(limits::max(), limits::max());
  expect_exact(limits::lowest(), limits::max());
}

TEST(Remainder, TakesSpecialValuesAsDoublesDo) {
  const double values[] = {0.0, 1.0, 3.0, 5.5, 0x1p-1074, 0x1.fffffffffffffp1023, infinity, not_a_number};
  for (double a : values) {
    for (double b : values) {
      for (double x : {a, -a}) {
        for (double y : {b, -b}) {
          int quotient = 0, expected = 0;
          dd_real f = fmod(dd_real(x), y), r = remainder(x, dd_real(y)), q = remquo(dd_real(x), y, &quotient);
          double of_double = std::fmod(x, y), nearest = std::remquo(x, y, &expected);
          EXPECT_TRUE(f.lo == 0.0 && r.lo == 0.0 && q.lo == 0.0);
          if (nearest != nearest) {
            EXPECT_TRUE(isnan(f) && isnan(r) && isnan(q) && quotient == 0) << x << " " << y;
            continue;
          }
          EXPECT_TRUE(f.hi == of_double && std::signbit(f.hi) == std::signbit(of_double)) << x << " " << y;
          EXPECT_TRUE(r.hi == nearest && std::signbit(r.hi) == std::signbit(nearest)) << x << " " << y;
          EXPECT_TRUE(q == r && signbit(q) == signbit(r));
          EXPECT_EQ(quotient % 8, expected % 8) << x << " " << y;
        }
      }
    }
  }
}

TEST(Remainder, IsConstant) {
  static_assert(fmod(dd_real(5.5), 2) == 1.5);
  static_assert(remainder(dd_real(0x1p1000), dd_real(1, 0x1p-300)) != 0);
  constexpr int quotient = [] {
    int q = 0;
    remquo(dd_real(-7), 2, &q);
    return q;
  }();
  static_assert(quotient == -4);
}

}  // namespace
