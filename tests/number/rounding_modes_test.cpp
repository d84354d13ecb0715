// The operators and functions of dd_real where the caller has set another rounding mode than to nearest: bounds of
// docs/number.md and docs/functions.md, and the bits of rounding to nearest for functions that are computed in
// integers.
#include "rounding_modes.hpp"

#include <gtest/gtest.h>

#include <climits>
#include <hilo/complex_math.hpp>
#include <hilo/math.hpp>
#include <hilo/pack.hpp>

#include "function_errors.hpp"

namespace {

using hilo::dd_real;
using hilo::testing::between;
using hilo::testing::Exact;
using hilo::testing::ExactInput;
using hilo::testing::input_count;
using hilo::testing::Inputs;
using hilo::testing::near;
using hilo::testing::rounded_by;
using hilo::testing::rounding_modes;
using hilo::testing::RoundingMode;
using hilo::testing::words;
using hilo::testing::Worst;

using Three = dd_real (*)(dd_real, dd_real, dd_real);

dd_real in_mode(RoundingMode mode, Three f, dd_real x, dd_real y, dd_real z) {
  return rounded_by(mode, [&] { return f(x, y, z); });
}

// |r - exact| in u²|exact|, less 8 · 2^-1074, whether or not r is canonical.
double error_of_words(dd_real r, mpfr_ptr exact) {
  static Exact value(2300), error(4700), slack(53);
  value = r;
  mpfr_sub(error, value, exact, MPFR_RNDN);
  mpfr_abs(error, error, MPFR_RNDN);
  mpfr_set_ui_2exp(slack, 8, -1074, MPFR_RNDN);
  mpfr_sub(error, error, slack, MPFR_RNDN);
  if (mpfr_sgn(static_cast<mpfr_ptr>(error)) <= 0) return 0.0;
  mpfr_div(error, error, exact, MPFR_RNDN);
  mpfr_mul_2si(error, error, 106, MPFR_RNDN);
  return std::fabs(mpfr_get_d(error, MPFR_RNDN));
}

struct Rounded {
  const char* name;
  // In u², of rounding to another mode than to nearest.
  double bound;
  Three function;
  void (*exact)(mpfr_ptr, mpfr_ptr, mpfr_ptr);
  dd_real (*first)(Inputs&);
  dd_real (*second)(Inputs&);
};
void PrintTo(const Rounded& f, std::ostream* out) { *out << f.name; }

class RoundedInAnyMode : public ::testing::TestWithParam<Rounded> {};

TEST_P(RoundedInAnyMode, KeepsItsBound) {
  const Rounded& f = GetParam();
  static Exact exact(4700), x(2300), y(2300);
  for (RoundingMode mode : rounding_modes) {
    Inputs in(5);
    Worst worst(mode.name);
    for (int i = 0, n = input_count(1'500); i < n; ++i) {
      dd_real a = f.first(in), b = f.second(in);
      x = a;
      y = b;
      f.exact(exact, x, y);
      // Near the overflow a rounding mode decides between the largest number and Inf.
      if (!mpfr_number_p(exact) || (mpfr_regular_p(static_cast<mpfr_ptr>(exact)) && mpfr_get_exp(exact) > 1023))
        continue;
      double e = error_of_words(in_mode(mode, f.function, a, b, 1), exact);
      ASSERT_LE(e, f.bound) << mode.name << " " << words(a) << " " << words(b);
      worst.add(e, a, b);
    }
  }
}

dd_real wide(Inputs& in) { return in.number(true); }
dd_real narrow(Inputs& in) { return in.number(false); }
dd_real word(Inputs& in) { return dd_real(in.word(false)); }
dd_real positive(Inputs& in) { return abs(in.number(in.below(2) == 0)); }
dd_real angle(Inputs& in) {
  switch (in.below(6)) {
    case 0:
      return in.number(true);
    case 1:
      return near(in, dd_real((in.below(4001) - 2000) * 0x1.921fb54442d18p-5));
    case 2:
      return between(in, -0x1p21, 0x1p21);
    default:
      return between(in, -7.0, 7.0);
  }
}
dd_real exponent(Inputs& in) {
  if (in.below(3) == 0) return near(in, dd_real((in.below(250'000) - 125'000 + 0.5) * (0x1.62e42fefa39efp-1 / 128)));
  return in.below(3) == 0 ? in.number(false) : between(in, -746.0, 710.0);
}
dd_real for_log(Inputs& in) {
  if (in.below(3) == 0) return abs(near(in, dd_real((180.5 - in.below(92)) / 128)));
  return in.below(3) == 0 ? between(in, 0.9, 1.1) : positive(in);
}

#define HILO_OPERATOR(name, bound, expression, mpfr, first, second)                         \
  Rounded {                                                                                 \
    name, bound, [](dd_real x, dd_real y, dd_real) { return expression; },                  \
        [](mpfr_ptr r, mpfr_ptr x, mpfr_ptr y) { mpfr(r, x, y, MPFR_RNDN); }, first, second \
  }
#define HILO_FUNCTION(name, bound, expression, mpfr, input)              \
  Rounded {                                                              \
    name, bound, [](dd_real x, dd_real, dd_real) { return expression; }, \
        [](mpfr_ptr r, mpfr_ptr x, mpfr_ptr) {                           \
          static Exact value(320);                                       \
          mpfr(value, x, MPFR_RNDN);                                     \
          mpfr_set(r, value, MPFR_RNDN);                                 \
        },                                                               \
        input, word                                                      \
  }
#define HILO_PACK(f) f(hilo::dd_pack<4>(x))[1]

INSTANTIATE_TEST_SUITE_P(Number, RoundedInAnyMode,
                         ::testing::Values(HILO_OPERATOR("add", 8.0, x + y, mpfr_add, wide, wide),
                                           HILO_OPERATOR("add_near", 8.0, x + y, mpfr_add, narrow, narrow),
                                           HILO_OPERATOR("subtract_near", 8.0, x - y, mpfr_sub, narrow, narrow),
                                           HILO_OPERATOR("add_word", 4.0, x + y.hi, mpfr_add, narrow, word),
                                           HILO_OPERATOR("multiply", 8.0, x* y, mpfr_mul, wide, wide),
                                           HILO_OPERATOR("multiply_near", 8.0, x* y, mpfr_mul, narrow, narrow),
                                           HILO_OPERATOR("multiply_word", 8.0, x* y.hi, mpfr_mul, narrow, word),
                                           HILO_OPERATOR("divide", 16.0, x / y, mpfr_div, wide, wide),
                                           HILO_OPERATOR("divide_near", 16.0, x / y, mpfr_div, narrow, narrow),
                                           HILO_OPERATOR("divide_word", 16.0, x / y.hi, mpfr_div, narrow, word),
                                           HILO_FUNCTION("sqrt", 12.0, sqrt(x), mpfr_sqrt, positive),
                                           HILO_FUNCTION("exp", 6.0, exp(x), mpfr_exp, exponent),
                                           HILO_FUNCTION("log", 6.0, log(x), mpfr_log, for_log),
                                           HILO_FUNCTION("sin", 8.0, sin(x), mpfr_sin, angle),
                                           HILO_FUNCTION("cos", 8.0, cos(x), mpfr_cos, angle),
                                           HILO_FUNCTION("pack_exp", 6.0, HILO_PACK(exp), mpfr_exp, exponent),
                                           HILO_FUNCTION("pack_log", 6.0, HILO_PACK(log), mpfr_log, for_log),
                                           HILO_FUNCTION("pack_sin", 8.0, HILO_PACK(sin), mpfr_sin, angle),
                                           HILO_FUNCTION("pack_cos", 8.0, HILO_PACK(cos), mpfr_cos, angle)),
                         [](const auto& test) { return std::string(test.param.name); });

// Functions of integer arithmetic. A zero may be -0 downward, where 0 + -0 is.
struct Same {
  const char* name;
  Three function;
};
void PrintTo(const Same& f, std::ostream* out) { *out << f.name; }

class SameInAnyMode : public ::testing::TestWithParam<Same> {};

dd_real argument(Inputs& in) {
  switch (in.below(6)) {
    case 0:
      return in.number(true);
    case 1:
      return near(in, dd_real(in.below(61) - 30));
    case 2:
      return near(in, dd_real((in.below(61) - 30) * 0.25));
    case 3:
      return between(in, -180.0, 180.0);
    default:
      return between(in, -1.0, 1.0);
  }
}

TEST_P(SameInAnyMode, HasTheBitsOfRoundingToNearest) {
  const Same& f = GetParam();
  Inputs in(6);
  for (int i = 0, n = input_count(2'000) / 10 + 300; i < n; ++i) {
    dd_real x = argument(in), y = in.below(2) == 0 ? argument(in) : near(in, x), z = argument(in);
    dd_real expected = in_mode(rounding_modes[0], f.function, x, y, z);
    for (RoundingMode mode : rounding_modes) {
      dd_real r = in_mode(mode, f.function, x, y, z);
      ASSERT_TRUE(r == expected || (isnan(r) && isnan(expected)))
          << mode.name << " " << words(x) << " " << words(y) << " " << words(z) << ": " << words(r) << ", to nearest "
          << words(expected);
    }
  }
}

// Whether no part of a product of such numbers underflows.
bool is_middling(dd_real x) {
  return std::fabs(x.hi) < 0x1p200 && std::fabs(x.hi) > 0x1p-200 && (x.lo == 0.0 || std::fabs(x.lo) > 0x1p-300);
}

dd_real middling_fma(dd_real x, dd_real y, dd_real z) {
  return is_middling(x) && is_middling(y) && is_middling(z) ? fma(x, y, z) : dd_real(0);
}

#define HILO_UNARY(f)                                             \
  Same {                                                          \
#f, [](dd_real x, dd_real, dd_real) { return dd_real(f(x)); } \
  }
#define HILO_BINARY(f)                                                 \
  Same {                                                               \
#f, [](dd_real x, dd_real y, dd_real) { return dd_real(f(x, y)); } \
  }
#define HILO_TERNARY(name, f)                                                 \
  Same {                                                                      \
    name, [](dd_real x, dd_real y, dd_real z) { return dd_real(f(x, y, z)); } \
  }
#define HILO_COMPLEX(f)                                  \
  Same {                                                 \
    "complex_" #f, [](dd_real x, dd_real y, dd_real z) { \
      auto w = f(hilo::dd_complex(x, y));                \
      return signbit(z) ? w.re : w.im;                   \
    }                                                    \
  }

INSTANTIATE_TEST_SUITE_P(Math, SameInAnyMode,
                         ::testing::Values(HILO_UNARY(exp2), HILO_UNARY(exp10), HILO_UNARY(expm1), HILO_UNARY(log2),
                                           HILO_UNARY(log10), HILO_UNARY(log1p), HILO_UNARY(cbrt), HILO_UNARY(sinh),
                                           HILO_UNARY(cosh), HILO_UNARY(tanh), HILO_UNARY(asinh), HILO_UNARY(acosh),
                                           HILO_UNARY(atanh), HILO_UNARY(tan), HILO_UNARY(sinpi), HILO_UNARY(cospi),
                                           HILO_UNARY(tanpi), HILO_UNARY(asin), HILO_UNARY(acos), HILO_UNARY(atan),
                                           HILO_UNARY(asinpi), HILO_UNARY(acospi), HILO_UNARY(atanpi), HILO_UNARY(erf),
                                           HILO_UNARY(erfc), HILO_UNARY(tgamma), HILO_UNARY(lgamma)),
                         [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(Rounding, SameInAnyMode,
                         ::testing::Values(HILO_UNARY(floor), HILO_UNARY(ceil), HILO_UNARY(trunc), HILO_UNARY(round),
                                           HILO_UNARY(roundeven), HILO_UNARY(rint), HILO_UNARY(nearbyint),
                                           HILO_UNARY(nextup), HILO_UNARY(nextdown), HILO_UNARY(logb), HILO_UNARY(abs),
                                           HILO_UNARY(ilogb)),
                         [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Binary, SameInAnyMode,
    ::testing::Values(HILO_BINARY(pow), HILO_BINARY(hypot), HILO_BINARY(atan2), HILO_BINARY(atan2pi), HILO_BINARY(fmod),
                      HILO_BINARY(remainder), HILO_BINARY(nextafter), HILO_BINARY(midpoint), HILO_BINARY(copysign),
                      HILO_BINARY(fmin), HILO_BINARY(fmax), HILO_BINARY(fmaximum), HILO_BINARY(fminimum_mag),
                      HILO_TERNARY("fma", middling_fma), HILO_TERNARY("lerp", lerp), HILO_TERNARY("hypot3", hypot),
                      Same{"modf",
                           [](dd_real x, dd_real y, dd_real) {
                             dd_real whole, rest = modf(x, &whole);
                             return signbit(y) ? whole : rest;
                           }},
                      Same{"frexp",
                           [](dd_real x, dd_real, dd_real) {
                             int e = 0;
                             return is_middling(x) ? frexp(x, &e) : x;
                           }},
                      Same{"ldexp",
                           [](dd_real x, dd_real, dd_real) { return is_middling(x) ? ldexp(ldexp(x, 77), -99) : x; }},
                      Same{"remquo",
                           [](dd_real x, dd_real y, dd_real z) {
                             int quotient = 0;
                             dd_real r = remquo(x, y, &quotient);
                             return signbit(z) ? dd_real(quotient) : r;
                           }},
                      Same{"lgamma_r",
                           [](dd_real x, dd_real, dd_real) {
                             int sign = 0;
                             dd_real r = lgamma_r(x, &sign);
                             return sign < 0 ? -r : r;
                           }}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(Complex, SameInAnyMode,
                         ::testing::Values(HILO_COMPLEX(exp), HILO_COMPLEX(log), HILO_COMPLEX(log10),
                                           HILO_COMPLEX(sqrt), HILO_COMPLEX(sin), HILO_COMPLEX(cos), HILO_COMPLEX(tan),
                                           HILO_COMPLEX(asin), HILO_COMPLEX(acos), HILO_COMPLEX(atan),
                                           HILO_COMPLEX(sinh), HILO_COMPLEX(cosh), HILO_COMPLEX(tanh),
                                           HILO_COMPLEX(asinh), HILO_COMPLEX(acosh), HILO_COMPLEX(atanh)),
                         [](const auto& test) { return std::string(test.param.name); });

// Whether two results are as near as the results of neighbouring arguments are, or both no number.
bool is_about(double found, double expected) {
  return found == expected || (std::isnan(found) && std::isnan(expected)) ||
         std::fabs(found - expected) <= 1e-12 * std::fmax(1.0, std::fabs(expected));
}

// What arithmetic in such a mode gives, with a lo of up to a whole unit of hi, and words that no arithmetic gives:
// every table is read inside, as the sanitizers see (preset asan), and where lo is small it changes little.
TEST(RoundingModes, TakeAnyWords) {
  const double largest = std::numeric_limits<double>::max();
  const struct {
    const char* name;
    Three function;
    double (*of_double)(double);
  } functions[] = {
      {"exp", [](dd_real y, dd_real, dd_real) { return exp(y); }, std::exp},
      {"log", [](dd_real y, dd_real, dd_real) { return log(y); }, std::log},
      {"sin", [](dd_real y, dd_real, dd_real) { return sin(y); }, std::sin},
      {"cos", [](dd_real y, dd_real, dd_real) { return cos(y); }, std::cos},
      {"exp of a pack", [](dd_real y, dd_real, dd_real) { return exp(hilo::dd_pack<4>(y))[1]; }, std::exp},
      {"sin of a pack", [](dd_real y, dd_real, dd_real) { return sin(hilo::dd_pack<4>(y))[1]; }, std::sin},
  };
  for (RoundingMode mode : rounding_modes) {
    Inputs in(7);
    for (int i = 0; i < 2'000; ++i) {
      dd_real x;
      x.hi = in.below(20) == 0 ? largest : in.word(in.below(2) == 0);
      const bool is_any = in.below(3) == 0;
      x.lo = is_any ? in.word(true) : x.hi * 0x1p-52 * (in.below(2) == 0 ? 1.0 : -0.9);
      for (const auto& f : functions) {
        const dd_real r = in_mode(mode, f.function, x, 0, 0);
        if (is_any || std::fabs(x.hi) > 700.0) continue;
        ASSERT_TRUE(is_about(r.hi, f.of_double(x.hi))) << f.name << ", " << mode.name << ": " << words(x) << words(r);
      }
    }
  }
}

// The worst inputs of hill climbing: near the bounds of docs/functions.md, and beyond what random inputs reach.
TEST(RoundingModes, SinesAndCosinesErrByLessThan8) {
  const struct {
    const char* name;
    int mode;
    dd_real x;
    Three function;
    int (*exact)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  } worst[] = {
      {"sin",
       FE_TOWARDZERO,
       {0x1.4b238edd7e52fp+19, 0x1.af41514538db9p-35},
       [](dd_real x, dd_real, dd_real) { return sin(x); },
       mpfr_sin},
      {"cos",
       FE_DOWNWARD,
       {0x1.85da1d8c1d878p+12, -0x1.c3b3d75ab308p-46},
       [](dd_real x, dd_real, dd_real) { return cos(x); },
       mpfr_cos},
  };
  for (const auto& w : worst) {
    Exact x(2300), exact(320);
    x = w.x;
    w.exact(exact, x, MPFR_RNDN);
    const double error = error_of_words(in_mode({w.mode, w.name}, w.function, w.x, 0, 0), exact);
    EXPECT_GT(error, 5.9) << w.name;
    EXPECT_LT(error, 8.0) << w.name;
  }
}

TEST(RoundingModes, ScalingThatOverflowsIsInfinite) {
  const double infinity = std::numeric_limits<double>::infinity(), largest = std::numeric_limits<double>::max();
  for (RoundingMode mode : rounding_modes) {
    for (double lo : {-0x1p-54, 0.0, 0x1p-53, 0x1p-1074}) {
      for (int n : {1024, 1100, 2200, INT_MAX}) {
        const dd_real x = hilo::detail::from_words({1.0, lo});
        EXPECT_EQ(rounded_by(mode, [&] { return ldexp(x, n); }), infinity) << mode.name << words(x) << n;
        EXPECT_EQ(rounded_by(mode, [&] { return ldexp(-x, n); }), -infinity) << mode.name << words(x) << n;
      }
    }
    const dd_real top = hilo::detail::from_words({largest, -0x1p969});
    EXPECT_EQ(rounded_by(mode, [&] { return ldexp(ldexp(top, -40), 40); }), top) << mode.name;
    EXPECT_EQ(rounded_by(mode, [&] { return ldexp(top, 1); }), infinity) << mode.name;
    EXPECT_EQ(rounded_by(mode, [&] { return ldexp(dd_real(-infinity), 1); }), -infinity) << mode.name;
  }
}

TEST(RoundingModes, QuotientsByZeroHaveItsSign) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (RoundingMode mode : rounding_modes) {
    for (double one : {1.0, -1.0, 0x1p-1074, 0x1p1000}) {
      for (double zero : {0.0, -0.0}) {
        const dd_real x = hilo::detail::from_words({one, 0.0}), y = hilo::detail::from_words({zero, 0.0});
        const double expected = std::signbit(one) == std::signbit(zero) ? infinity : -infinity;
        EXPECT_EQ(rounded_by(mode, [&] { return x / y; }), expected) << mode.name << words(x) << words(y);
        EXPECT_EQ(rounded_by(mode, [&] { return one / y; }), expected) << mode.name << words(x) << words(y);
        EXPECT_EQ(rounded_by(mode, [&] { return (hilo::dd_pack<4>(x) / hilo::dd_pack<4>(y))[1]; }), expected)
            << mode.name << words(x) << words(y);
      }
      const dd_real x = hilo::detail::from_words({one, 0.0});
      const int zero = 0;
      EXPECT_EQ(rounded_by(mode, [&] { return x / zero; }), std::copysign(infinity, one)) << mode.name << words(x);
    }
  }
}

TEST(RoundingModes, AWholeUnitInLoCounts) {
  dd_real x;
  x.hi = 2.0 - 0x1p-52;
  x.lo = 0x1p-52;
  EXPECT_EQ(exp2(x), 4);
  EXPECT_EQ(cbrt(x * 4), 2);
}

}  // namespace
