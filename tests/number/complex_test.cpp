#include <gtest/gtest.h>

#include <complex>
#include <hilo/complex.hpp>
#include <type_traits>

#include "function_errors.hpp"

namespace {

using hilo::dd_complex;
using hilo::dd_real;
using hilo::testing::error_u2;
using hilo::testing::Exact;
using hilo::testing::input_count;
using hilo::testing::Inputs;
using hilo::testing::words;
using limits = std::numeric_limits<dd_real>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

std::string words(dd_complex z) { return words(z.re) + "+i" + words(z.im); }

bool same(double a, double b) {
  return a != a ? b != b : std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}
bool same(dd_real a, dd_real b) { return same(a.hi, b.hi) && a.lo == b.lo; }
bool same(dd_complex a, dd_complex b) { return same(a.re, b.re) && same(a.im, b.im); }

dd_complex number(Inputs& in, bool wide) {
  dd_complex z(in.number(wide), in.number(wide));
  if (in.below(12) == 0) z.re = in.below(2) == 0 ? 0.0 : -0.0;
  if (in.below(12) == 0) z.im = in.below(2) == 0 ? 0.0 : -0.0;
  if (in.below(12) == 0) z.im = in.below(2) == 0 ? z.re : -z.re;
  return z;
}

// y with x · y nearly real or nearly imaginary, down to complete cancellation.
dd_complex turned(Inputs& in, dd_complex x, bool wide) {
  dd_complex y = in.below(2) == 0 ? conj(x) : dd_complex(x.im, x.re);
  int scale = wide ? in.below(100) - 50 : 0;
  y = {ldexp(y.re, scale), ldexp(y.im, scale)};
  if (in.below(2) == 0 && y.im.hi != 0.0) y.im = -in.opposite(y.im);
  if (in.below(4) == 0) {
    dd_real factor = in.number(false);
    y = {y.re * factor, y.im * factor};
  }
  return y;
}

// a·b + c·d.
class Terms {
 public:
  mpfr_ptr sum(dd_real a, dd_real b, dd_real c, dd_real d) {
    a_ = a, b_ = b, c_ = c, d_ = d;
    mpfr_mul(p_, a_, b_, MPFR_RNDN);
    mpfr_mul(q_, c_, d_, MPFR_RNDN);
    mpfr_add(sum_, p_, q_, MPFR_RNDN);
    return sum_;
  }
  // |a·b| + |c·d|, after sum.
  mpfr_ptr magnitudes() {
    mpfr_abs(p_, p_, MPFR_RNDN);
    mpfr_abs(q_, q_, MPFR_RNDN);
    mpfr_add(p_, p_, q_, MPFR_RNDN);
    return p_;
  }

 private:
  Exact a_{2200}, b_{2200}, c_{2200}, d_{2200}, p_{4400}, q_{4400}, sum_{4500};
};

TEST(Complex, IsFourDoubles) {
  static_assert(sizeof(dd_complex) == 32 && alignof(dd_complex) == alignof(double));
  static_assert(std::is_trivially_copyable_v<dd_complex> && std::is_standard_layout_v<dd_complex>);
  constexpr dd_complex zero;
  static_assert(zero == 0 && real(zero) == 0 && imag(zero) == 0);
}

TEST(Complex, ConvertsFromRealNumbersAndOtherComplexOnes) {
  static_assert(std::is_convertible_v<int, dd_complex> && std::is_convertible_v<double, dd_complex>);
  static_assert(std::is_convertible_v<long long, dd_complex> && std::is_convertible_v<dd_real, dd_complex>);
  static_assert(std::is_convertible_v<std::complex<float>, dd_complex>);
  static_assert(std::is_convertible_v<std::complex<double>, dd_complex>);
  static_assert(std::is_convertible_v<std::complex<dd_real>, dd_complex>);
  static_assert(std::is_convertible_v<dd_complex, std::complex<dd_real>>);
  static_assert(!std::is_convertible_v<dd_complex, std::complex<double>>);
  static_assert(std::is_constructible_v<std::complex<double>, dd_complex>);
  static_assert(!std::is_convertible_v<dd_complex, dd_real> && !std::is_convertible_v<std::string, dd_complex>);

  dd_complex z = 0x7fffffffffffffff;
  EXPECT_EQ(z.re, 0x7fffffffffffffff);
  z = std::complex<double>(1.5, -2.5);
  EXPECT_TRUE(z == dd_complex(1.5, -2.5) && z.real() == 1.5 && imag(z) == -2.5);
  z.real(dd_real(1, 0x1p-80));
  z.imag(3);
  std::complex<dd_real> same_value = z;
  EXPECT_TRUE(same_value.real() == dd_real(1, 0x1p-80) && same_value.imag() == 3);
  EXPECT_EQ(dd_complex(same_value), z);
  EXPECT_EQ(static_cast<std::complex<double>>(z), std::complex<double>(1, 3));
  EXPECT_EQ(static_cast<std::complex<float>>(dd_complex(1, dd_real(0x1.000001p0, 0x1p-90))),
            std::complex<float>(1, 0x1.000002p0f));
  EXPECT_EQ(z * std::complex<double>(0, 1), dd_complex(-3, dd_real(1, 0x1p-80)));
  EXPECT_EQ(std::complex<double>(0, 1) + z, dd_complex(dd_real(1, 0x1p-80), 4));
  EXPECT_TRUE(z == z && z != dd_complex(1, 3) && dd_complex(2) == 2 && 2.0 == dd_complex(2) && dd_complex(2, 1) != 2);
}

TEST(Complex, AddsAndMultipliesByParts) {
  Inputs in(1);
  for (int i = 0, n = input_count(100'000); i < n; ++i) {
    bool wide = in.below(4) == 0;
    dd_complex x = number(in, wide), y = in.below(4) == 0 ? turned(in, x, wide) : number(in, wide);
    ASSERT_TRUE(same(x + y, dd_complex(x.re + y.re, x.im + y.im)));
    ASSERT_TRUE(same(x - y, dd_complex(x.re - y.re, x.im - y.im)));
    dd_complex product(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re);
    ASSERT_TRUE(same(dd_complex::multiply_finite(x, y), product));
    if (isfinite(product.re) && isfinite(product.im)) {
      ASSERT_TRUE(same(x * y, product));
    }
  }
}

TEST(Complex, MultipliesWithinItsBound) {
  Inputs in(2);
  Terms terms;
  double worst = 0.0;
  for (int i = 0, n = input_count(30'000); i < n; ++i) {
    dd_complex x = number(in, false), y = in.below(4) == 0 ? turned(in, x, false) : number(in, false);
    dd_complex z = x * y;
    for (bool is_re : {true, false}) {
      mpfr_ptr sum = is_re ? terms.sum(x.re, y.re, -x.im, y.im) : terms.sum(x.re, y.im, x.im, y.re);
      Exact error(4600);
      error = is_re ? z.re : z.im;
      mpfr_sub(error, error, sum, MPFR_RNDN);
      mpfr_ptr size = terms.magnitudes();
      if (mpfr_zero_p(size)) continue;
      mpfr_div(error, error, size, MPFR_RNDN);
      worst = std::max(worst, std::fabs(mpfr_get_d(error, MPFR_RNDN)) * 0x1p106);
    }
  }
  EXPECT_LE(worst, 8.0);
  EXPECT_GT(worst, 3.0);
}

// Every part of the result from its exact value, whatever the terms do on the way.
void expect_rounded_product(Terms& terms, dd_complex x, dd_complex y, dd_complex z, double& worst) {
  double re = error_u2(z.re, terms.sum(x.re, y.re, -x.im, y.im), 0.5 + 0x1p-20);
  double im = error_u2(z.im, terms.sum(x.re, y.im, x.im, y.re), 0.5 + 0x1p-20);
  ASSERT_LE(std::max(re, im), 0.5 + 0x1p-7) << words(x) << words(y);
  worst = std::max({worst, re, im});
}

TEST(Complex, MultipliesAccuratelyUnderCancellation) {
  Inputs in(3);
  Terms terms;
  double worst = 0.0;
  for (int i = 0, n = input_count(30'000); i < n; ++i) {
    bool wide = in.below(2) == 0;
    dd_complex x = number(in, wide), y = in.below(2) == 0 ? turned(in, x, wide) : number(in, wide);
    if (!isfinite(y.re) || !isfinite(y.im)) continue;
    expect_rounded_product(terms, x, y, multiply_accurate(x, y), worst);
  }
  EXPECT_GT(worst, 0.49);
  EXPECT_EQ(multiply_accurate(dd_complex(3, 4), {4, 3}), dd_complex(0, 25));
  EXPECT_TRUE(same(multiply_accurate(dd_complex(0.0, -0.0), {1, 1}), dd_complex(0.0, 0.0) * dd_complex(1, 1)));
}

TEST(Complex, MultipliesWithoutOverflowOnTheWay) {
  Inputs in(4);
  Terms terms;
  double worst = 0.0;
  int rescued = 0;
  for (int i = 0, n = input_count(30'000); i < n; ++i) {
    int shift = in.below(1000) + 20;
    dd_complex x = number(in, false), y = in.below(2) == 0 ? turned(in, x, false) : number(in, false);
    x = {ldexp(x.re, shift), ldexp(x.im, shift - in.below(3) * in.below(1000))};
    y = {ldexp(y.re, 1023 - shift), ldexp(y.im, 1023 - shift - in.below(3) * in.below(1000))};
    dd_complex plain = dd_complex::multiply_finite(x, y);
    if (isfinite(plain.re) && isfinite(plain.im)) continue;
    expect_rounded_product(terms, x, y, x * y, worst);
    rescued += isfinite((x * y).re) && isfinite((x * y).im);
  }
  EXPECT_GT(rescued, 10);
  dd_complex z = dd_complex(0x1p1000, 0x1p1000) * dd_complex(0x1p30, 0x1p30);
  EXPECT_TRUE(same(z, dd_complex(0, infinity)));
}

TEST(Complex, DividesEveryPartRounded) {
  Inputs in(5);
  Terms terms, norm;
  Exact quotient(400), numerator(4500);
  double worst = 0.0;
  for (int i = 0, n = input_count(30'000); i < n; ++i) {
    bool wide = in.below(2) == 0;
    dd_complex x = number(in, wide), y = in.below(2) == 0 ? turned(in, conj(x), wide) : number(in, wide);
    if (in.below(8) == 0) x = x.re;
    if (!isfinite(y.re) || !isfinite(y.im) || y == 0) continue;
    dd_complex z = x / y;
    mpfr_ptr divisor = norm.sum(y.re, y.re, y.im, y.im);
    mpfr_div(quotient, terms.sum(x.re, y.re, x.im, y.im), divisor, MPFR_RNDN);
    double re = error_u2(z.re, quotient, 0.5 + 0x1p-20);
    mpfr_div(quotient, terms.sum(x.im, y.re, -x.re, y.im), divisor, MPFR_RNDN);
    double im = error_u2(z.im, quotient, 0.5 + 0x1p-20);
    ASSERT_LE(std::max(re, im), 0.5 + 0x1p-7) << words(x) << words(y);
    worst = std::max({worst, re, im});
    if (x.im == 0) {
      ASSERT_EQ(x.re / y, z) << words(x) << words(y);
    }
  }
  EXPECT_GT(worst, 0.49);
  EXPECT_EQ(dd_complex(limits::max(), limits::max()) / dd_complex(limits::max(), limits::max()), 1);
  EXPECT_EQ(dd_complex(0x1p-1074, 0x1p-1074) / dd_complex(0x1p-1074, -0x1p-1074), dd_complex(0, 1));
  EXPECT_EQ(dd_complex(0x1p-1074) / 0x1p-1074, 1);
}

// As C's double arithmetic has it wherever that gives numbers, infinities or zeros; the signs of zeros of a quotient
// depend on the formula there.
void expect_like(dd_complex z, std::complex<double> expected, bool is_quotient, const std::string& where) {
  EXPECT_TRUE(hilo::testing::is_canonical(z.re) && hilo::testing::is_canonical(z.im));
  bool is_nan = std::isnan(expected.real()) || std::isnan(expected.imag());
  if (std::isinf(expected.real()) || std::isinf(expected.imag())) {
    EXPECT_TRUE(isinf(z.re) || isinf(z.im)) << where;
  } else if (is_nan) {
    EXPECT_TRUE(isnan(z.re) || isnan(z.im)) << where;
    return;
  }
  auto is_like = [&](double a, double b) { return same(a, b) || (is_quotient && ((a == 0.0 && b == 0.0) || is_nan)); };
  EXPECT_TRUE(is_like(z.re.hi, expected.real())) << where << " " << expected.real();
  EXPECT_TRUE(is_like(z.im.hi, expected.imag())) << where << " " << expected.imag();
}

TEST(Complex, TakesInfinitiesNaNsAndZerosAsAnnexG) {
  const double values[] = {0.0, -0.0, 1.0, -2.0, infinity, -infinity, not_a_number};
  for (double a : values) {
    for (double b : values) {
      for (double c : values) {
        for (double d : values) {
          // Not constant, so that the library's arithmetic is asked.
          volatile double re = c, im = d;
          std::complex<double> x(a, b), y(re, im);
          std::string where = words(dd_complex(x)) + words(dd_complex(y));
          expect_like(dd_complex(x) * dd_complex(y), x * y, false, where);
          if (!(isinf(dd_real(a)) && isinf(dd_real(b)))) {
            expect_like(dd_complex(x) / dd_complex(y), x / y, true, where);
          }
        }
      }
    }
  }
}

TEST(Complex, TakesRealOperandsAsReal) {
  Inputs in(6);
  for (int i = 0; i < 2000; ++i) {
    dd_complex z = number(in, false);
    dd_real x = in.number(false);
    double w = in.word(false);
    int k = in.below(1000) - 500;
    ASSERT_TRUE(same(z + x, {z.re + x, z.im}) && same(x + z, z + x) && same(z + w, {z.re + w, z.im}));
    ASSERT_TRUE(same(z - x, {z.re - x, z.im}) && same(x - z, {x - z.re, -z.im}) && same(k - z, {k - z.re, -z.im}));
    ASSERT_TRUE(same(z * x, {z.re * x, z.im * x}) && same(x * z, z * x) && same(z * k, {z.re * k, z.im * k}));
    ASSERT_TRUE(same(z / x, {z.re / x, z.im / x}) && same(z / w, {z.re / w, z.im / w}));
    ASSERT_TRUE(same(w * z, z * w) && same(k + z, z + k) && same(+z, z) && same(-z, {-z.re, -z.im}));
    dd_complex r = z;
    r += 1, r -= x, r *= w, r /= k + 1000, r *= z, r /= z, r += z, r -= 0x7fffffffffffffff;
    ASSERT_TRUE(isfinite(r.re) || z == 0);
  }
  // No imaginary zero takes part, so infinities and signs of zeros stay what they are.
  EXPECT_TRUE(same(dd_complex(infinity, 1) * 2, dd_complex(infinity, 2)));
  EXPECT_TRUE(same(dd_complex(1, infinity) / 2, dd_complex(0.5, infinity)));
  EXPECT_TRUE(same(dd_complex(1, -0.0) + 1, dd_complex(2, -0.0)));
  EXPECT_TRUE(same(1 - dd_complex(1, 0.0), dd_complex(0.0, -0.0)));
  EXPECT_TRUE(same(1 / dd_complex(2, 0.0), dd_complex(0.5, -0.0)));
  EXPECT_TRUE(same(1 / dd_complex(2, -0.0), dd_complex(0.5, 0.0)));
  EXPECT_TRUE(same(dd_real(0.0) / dd_complex(-2, 1), dd_complex(-0.0, -0.0)));
  EXPECT_TRUE(isinf(real(1 / dd_complex(0.0, 0.0))));
  EXPECT_TRUE(same(1 / dd_complex(infinity, 1), dd_complex(0.0, -0.0)));
}

TEST(Complex, IsConstant) {
  static_assert(dd_complex(1, 2) * dd_complex(3, 4) == dd_complex(-5, 10));
  static_assert(dd_complex(-5, 10) / dd_complex(3, 4) == dd_complex(1, 2));
  static_assert(5 / dd_complex(1, 2) == dd_complex(1, -2));
  static_assert(multiply_accurate(dd_complex(1, 1), {1, -1}) == 2);
  static_assert(conj(dd_complex(1, 2)) == dd_complex(1, -2) && conj(dd_real(2)) == 2 && imag(dd_real(2)) == 0);
}

}  // namespace
