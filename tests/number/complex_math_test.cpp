#include <gtest/gtest.h>

#include <complex>

#include "exact_complex.hpp"

namespace {

using hilo::dd_complex;
using hilo::dd_real;
using hilo::testing::complex_number;
using hilo::testing::Exact;
using hilo::testing::ExactComplex;
using hilo::testing::ExactInput;
using hilo::testing::function_error;
using hilo::testing::input_count;
using hilo::testing::Inputs;
using hilo::testing::part;
using hilo::testing::words;
using hilo::testing::Worst;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

using Function = dd_complex (*)(dd_complex);
using MpcFunction = int (*)(mpc_ptr, mpc_srcptr, mpc_rnd_t);

// The larger of the errors of the two parts, each in u² of itself. Zeros must have the right sign.
double parts_error(dd_complex r, ExactComplex& exact) {
  for (auto [part, value] : {std::pair(r.re, exact.re()), std::pair(r.im, exact.im())}) {
    if (mpfr_zero_p(value) && (part.hi != 0.0 || signbit(part) != (mpfr_signbit(value) != 0))) return HUGE_VAL;
  }
  return std::max(function_error(r.re, exact.re(), 1.0), function_error(r.im, exact.im(), 1.0));
}

// mpc_log loses digits of the real part near the unit circle (MPC 1.3.1).
int exact_log(mpc_ptr r, mpc_srcptr z, mpc_rnd_t rounding) {
  mpc_log(r, z, rounding);
  if (!mpfr_zero_p(mpc_realref(r)) && mpfr_get_exp(mpc_realref(r)) > -8) return 0;
  Exact sum(4700), square(4400);
  mpfr_sqr(sum, mpc_realref(z), MPFR_RNDN);
  mpfr_sub_ui(sum, sum, 1, MPFR_RNDN);
  mpfr_sqr(square, mpc_imagref(z), MPFR_RNDN);
  mpfr_add(sum, sum, square, MPFR_RNDN);
  mpfr_log1p(mpc_realref(r), sum, MPFR_RNDN);
  mpfr_div_2ui(mpc_realref(r), mpc_realref(r), 1, MPFR_RNDN);
  return 0;
}
int exact_log10(mpc_ptr r, mpc_srcptr z, mpc_rnd_t rounding) {
  exact_log(r, z, rounding);
  Exact ln10(300);
  mpfr_log_ui(ln10, 10, MPFR_RNDN);
  mpc_div_fr(r, r, ln10, rounding);
  return 0;
}

// mpc_tanh takes all digits that make the real part differ from ±1. Beyond 200 none of them counts.
int exact_tanh(mpc_ptr r, mpc_srcptr z, mpc_rnd_t rounding) {
  if (mpfr_cmpabs_ui(mpc_realref(z), 200) < 0) return mpc_tanh(r, z, rounding);
  Exact sine(300), cosine(300);
  mpfr_sin_cos(sine, cosine, mpc_imagref(z), MPFR_RNDN);
  mpfr_mul(sine, sine, cosine, MPFR_RNDN);
  mpfr_mul_2ui(sine, sine, 2, MPFR_RNDN);
  mpfr_mul_si(cosine, mpc_realref(z), mpfr_signbit(mpc_realref(z)) ? 2 : -2, MPFR_RNDN);
  mpfr_exp(cosine, cosine, MPFR_RNDN);
  mpfr_mul(mpc_imagref(r), sine, cosine, MPFR_RNDN);
  mpfr_set_si(mpc_realref(r), mpfr_signbit(mpc_realref(z)) ? -1 : 1, MPFR_RNDN);
  return 0;
}
int exact_tan(mpc_ptr r, mpc_srcptr z, mpc_rnd_t rounding) {
  ExactComplex swapped(mpfr_prec_t{2300});
  mpc_set_fr_fr(swapped, mpc_imagref(z), mpc_realref(z), rounding);
  exact_tanh(r, swapped, rounding);
  mpfr_swap(mpc_realref(r), mpc_imagref(r));
  return 0;
}

double error(Function f, MpcFunction g, dd_complex z) {
  static ExactComplex exact(mpfr_prec_t{240});
  ExactComplex input(z);
  g(exact, input, MPC_RNDNN);
  return parts_error(f(z), exact);
}

// MPC takes a millisecond a call: 100,000 inputs in the long form.
void expect_accurate(const char* name, Function f, MpcFunction g, int quick) {
  Inputs in(1);
  Worst worst(name);
  for (int i = 0, n = input_count(10 * quick) / 10; i < n; ++i) {
    dd_complex z = complex_number(in);
    worst.add(error(f, g, z), z.re, z.im);
  }
  EXPECT_LE(worst.error(), 0.505) << name << " " << worst.where();
  EXPECT_GT(worst.error(), 0.4) << name;
}

TEST(ComplexMath, SqrtIsAccurate) { expect_accurate("sqrt", hilo::sqrt, mpc_sqrt, 3000); }
TEST(ComplexMath, ExpIsAccurate) { expect_accurate("exp", hilo::exp, mpc_exp, 2000); }
TEST(ComplexMath, LogIsAccurate) { expect_accurate("log", hilo::log, exact_log, 1000); }
TEST(ComplexMath, Log10IsAccurate) { expect_accurate("log10", hilo::log10, exact_log10, 800); }
TEST(ComplexMath, SinhIsAccurate) { expect_accurate("sinh", hilo::sinh, mpc_sinh, 2000); }
TEST(ComplexMath, CoshIsAccurate) { expect_accurate("cosh", hilo::cosh, mpc_cosh, 2000); }
TEST(ComplexMath, TanhIsAccurate) { expect_accurate("tanh", hilo::tanh, exact_tanh, 1000); }
TEST(ComplexMath, SinIsAccurate) { expect_accurate("sin", hilo::sin, mpc_sin, 2000); }
TEST(ComplexMath, CosIsAccurate) { expect_accurate("cos", hilo::cos, mpc_cos, 2000); }
TEST(ComplexMath, TanIsAccurate) { expect_accurate("tan", hilo::tan, exact_tan, 500); }
TEST(ComplexMath, AsinIsAccurate) { expect_accurate("asin", hilo::asin, mpc_asin, 500); }
TEST(ComplexMath, AcosIsAccurate) { expect_accurate("acos", hilo::acos, mpc_acos, 400); }
TEST(ComplexMath, AtanIsAccurate) { expect_accurate("atan", hilo::atan, mpc_atan, 800); }
TEST(ComplexMath, AsinhIsAccurate) { expect_accurate("asinh", hilo::asinh, mpc_asinh, 500); }
TEST(ComplexMath, AcoshIsAccurate) { expect_accurate("acosh", hilo::acosh, mpc_acosh, 400); }
TEST(ComplexMath, AtanhIsAccurate) { expect_accurate("atanh", hilo::atanh, mpc_atanh, 800); }

// ---- magnitude and angle --------------------------------------------------------------------------------------------

TEST(ComplexPolar, AbsNormAndArgAreAccurate) {
  Inputs in(5);
  Worst worst("norm");
  Exact exact(240);
  for (int i = 0, n = input_count(4000); i < n; ++i) {
    dd_complex z = complex_number(in);
    ExactComplex input(z);
    mpc_norm(exact, input, MPFR_RNDN);
    worst.add(function_error(norm(z), exact, 1.0), z.re, z.im);
    mpc_abs(exact, input, MPFR_RNDN);
    ASSERT_LE(function_error(abs(z), exact, 1.0), 0.505) << words(z);
    mpc_arg(exact, input, MPFR_RNDN);
    ASSERT_LE(function_error(arg(z), exact, 1.0), 0.505) << words(z);
  }
  EXPECT_LE(worst.error(), 0.505) << worst.where();
  EXPECT_EQ(abs(dd_complex(3, 4)), 5);
  EXPECT_EQ(norm(dd_complex(3, 4)), 25);
  EXPECT_EQ(norm(dd_complex(infinity, not_a_number)), infinity);
  EXPECT_TRUE(isnan(norm(dd_complex(1, not_a_number))));
  EXPECT_TRUE(arg(dd_real(-1)) == arg(dd_complex(-1)) && hilo::arg(2) == 0 && hilo::norm(-3) == 9 &&
              proj(dd_real(-infinity)) == infinity);
}

TEST(ComplexPolar, PolarIsAccurateInEveryPart) {
  Inputs in(6);
  Exact sine(240), cosine(240);
  for (int i = 0, n = input_count(4000); i < n; ++i) {
    dd_real size = in.number(in.below(2) == 0), angle = part(in, in.below(4) == 0);
    if (angle == 0 || !isfinite(angle)) continue;
    dd_complex z = polar(size, angle);
    ExactInput a(angle), s(size);
    mpfr_sin_cos(sine, cosine, a, MPFR_RNDN);
    mpfr_mul(sine, sine, s, MPFR_RNDN);
    mpfr_mul(cosine, cosine, s, MPFR_RNDN);
    ASSERT_LE(function_error(z.re, cosine, 1.0), 0.505) << words(size) << words(angle);
    ASSERT_LE(function_error(z.im, sine, 1.0), 0.505) << words(size) << words(angle);
  }
  EXPECT_EQ(polar(dd_real(2)), 2);
  EXPECT_EQ(hilo::polar(2.0, 0.0), 2);
  EXPECT_TRUE(signbit(polar(dd_real(2), -0.0).im));
  EXPECT_EQ(polar(dd_real(infinity), 1), dd_complex(infinity, infinity));
  EXPECT_EQ(polar(dd_real(infinity), 0), infinity);
  EXPECT_TRUE(isnan(polar(dd_real(1), infinity).re));
}

// ---- special values and branch cuts ---------------------------------------------------------------------------------

// Where the one part is NaN, the sign of the other is not specified.
bool is_like(dd_real part, double expected, double other) {
  if (!hilo::testing::is_canonical(part)) return false;
  if (expected != expected) return isnan(part);
  double sign = other != other && std::signbit(expected) != signbit(part) ? -1.0 : 1.0;
  if (std::isinf(expected)) return part.hi == sign * expected;
  // glibc truncates some subnormal parts to zero.
  bool is_near = std::fabs(part.hi - sign * expected) <= 1e-13 * std::fabs(expected) + 1e-322;
  return is_near && (std::signbit(part.hi) == std::signbit(sign * expected));
}

void expect_as_double(const char* name, Function f, std::complex<double> (*g)(const std::complex<double>&)) {
  const double values[] = {0.0, 1.0, 0.5, 2.0, 1e300, 1e-300, 0x1p-1074, 1000.0, infinity, not_a_number};
  for (double a : values) {
    for (double b : values) {
      for (double x : {a, -a}) {
        for (double y : {b, -b}) {
          std::complex<double> expected = g({x, y});
          dd_complex r = f({x, y});
          EXPECT_TRUE(is_like(r.re, expected.real(), expected.imag()) &&
                      is_like(r.im, expected.imag(), expected.real()))
              << name << "(" << x << ", " << y << ") = (" << r.re.hi << ", " << r.im.hi << "), as double " << expected;
        }
      }
    }
  }
}

TEST(ComplexMath, SpecialValuesAndCutsAreThoseOfDoubles) {
  expect_as_double("sqrt", hilo::sqrt, std::sqrt);
  expect_as_double("exp", hilo::exp, std::exp);
  expect_as_double("log", hilo::log, std::log);
  expect_as_double("log10", hilo::log10, std::log10);
  expect_as_double("sinh", hilo::sinh, std::sinh);
  expect_as_double("cosh", hilo::cosh, std::cosh);
  expect_as_double("tanh", hilo::tanh, std::tanh);
  expect_as_double("sin", hilo::sin, std::sin);
  expect_as_double("cos", hilo::cos, std::cos);
  expect_as_double("tan", hilo::tan, std::tan);
  expect_as_double("asin", hilo::asin, std::asin);
  expect_as_double("acos", hilo::acos, std::acos);
  expect_as_double("atan", hilo::atan, std::atan);
  expect_as_double("asinh", hilo::asinh, std::asinh);
  expect_as_double("acosh", hilo::acosh, std::acosh);
  expect_as_double("atanh", hilo::atanh, std::atanh);
  expect_as_double("proj", hilo::proj, std::proj);
  expect_as_double(
      "abs, arg", [](dd_complex z) { return dd_complex(abs(z), arg(z)); },
      [](const std::complex<double>& z) { return std::complex<double>(std::abs(z), std::arg(z)); });
}

TEST(ComplexMath, IsExactWhereItCanBe) {
  EXPECT_EQ(sqrt(dd_complex(-7, 24)), dd_complex(3, 4));
  EXPECT_EQ(sqrt(dd_complex(-4, -0.0)), dd_complex(0, -2));
  EXPECT_EQ(exp(dd_complex(0)), 1);
  EXPECT_EQ(log10(dd_complex(1000)), 3);
  EXPECT_EQ(log(dd_complex(0, 1)).re, 0);
  EXPECT_EQ(log(dd_complex(1, 0x1p-300)), dd_complex(0x1p-601, 0x1p-300));
}

TEST(ComplexMath, IsConstant) {
  static_assert(sqrt(dd_complex(-4)) == dd_complex(0, 2));
  static_assert(pow(dd_complex(1, 1), 2) == dd_complex(0, 2));
  static_assert(exp(dd_complex(0, 1)) != 0 && log(dd_complex(1, 2)) != 0 && tanh(dd_complex(1, 2)) != 0);
  static_assert(asin(dd_complex(2, 1)) != 0 && atan(dd_complex(2, 1)) != 0 && acosh(dd_complex(0.5)).re == 0);
}

// Functions of real numbers stay so, although numbers convert to complex ones.
TEST(ComplexMath, LeavesRealNumbersReal) {
  static_assert(std::same_as<decltype(hilo::sqrt(2.0)), dd_real>);
  static_assert(std::same_as<decltype(sqrt(dd_real(2))), dd_real> &&
                std::same_as<decltype(pow(dd_real(2), 2)), dd_real>);
  static_assert(std::same_as<decltype(abs(dd_complex(2))), dd_real> &&
                std::same_as<decltype(abs(dd_real(2))), dd_real>);
  static_assert(std::same_as<decltype(conj(dd_real(2))), dd_real>);
}

}  // namespace
