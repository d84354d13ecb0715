#include <gtest/gtest.h>

#include <hilo/math/elementary.hpp>

#include "function_errors.hpp"
#include "multiples_of_half_pi.hpp"

namespace {

using hilo::dd_real;
using hilo::testing::angle_bits;
using hilo::testing::between;
using hilo::testing::Exact;
using hilo::testing::function_error;
using hilo::testing::half_pi;
using hilo::testing::input_count;
using hilo::testing::Inputs;
using hilo::testing::near;
using hilo::testing::nearest;
using hilo::testing::nearest_to_multiple;
using hilo::testing::words;
using hilo::testing::Worst;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest = std::numeric_limits<double>::max();

constexpr double bound = 0.51;

bool same(double x, double y) {
  return x != x ? y != y : std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
}
bool same(dd_real x, double y) { return same(x.hi, y) && x.lo == 0.0; }
bool same(dd_real x, dd_real y) { return same(x.hi, y.hi) && (x.lo == y.lo || x.hi != x.hi); }

// x with a value just above a power of two, where half a unit is most: beside x0, where the value is that power.
dd_real beside_power(Inputs& in, double x0) {
  double step = std::ldexp(in.mantissa(), -14 - in.below(8));
  return in.with_low(in.below(2) == 0 ? x0 + x0 * step : x0 - x0 * step);
}

// Any exponent of lo, and hi with many or few bits.
dd_real beside(Inputs& in, dd_real x) {
  if (in.below(3) == 0) return in.with_low(x.hi);
  return near(in, x);
}

// The breakpoints of the reduction, the ends of the range, and results near 1.
dd_real exp_input(Inputs& in) {
  switch (in.below(9)) {
    case 8:
      return beside_power(in, (in.below(2000) - 970) * 0x1.62e42fefa39efp-1);
    case 0:
      return in.number(true);
    case 1:
      return beside(in, dd_real((in.below(270'000) - 135'000 + 0.5) * (0x1.62e42fefa39efp-1 / 128)));
    case 2:
      return near(in, {0.0, 709.782712893384, -708.3964185322641, -745.1332191019411, -671.3, 746.0, -746.0});
    case 3:
      return between(in, -746.0, -660.0);
    case 4:
      return in.number(false);
    case 5:
      return dd_real(std::ldexp(in.mantissa(), -50 - in.below(20)), 0.0) * in.number(false);
    default:
      return between(in, -746.0, 710.0);
  }
}

dd_real log_input(Inputs& in) {
  switch (in.below(9)) {
    case 8:
      return beside_power(in, std::exp(std::ldexp(in.below(2) == 0 ? 1.0 : -1.0, in.below(20) - 10)));
    case 0:
      return abs(in.number(true));
    case 1:
      return abs(beside(in, ldexp(dd_real((180.5 - in.below(92)) / 128), in.below(5) - 2)));
    case 2:
      return near(in, {1.0, 1.4142135623730951, 0.7071067811865476, 0x1p-900, 0x1p900});
    case 3:
      return near(in, dd_real(1));
    case 4:
      return between(in, 0.99, 1.01);
    case 5:
      return abs(in.number(false));
    default:
      return between(in, 0.5, 2.0);
  }
}

// The breakpoints of the reduction, the least distances to multiples of π/2, and where the reduction changes its kind.
dd_real angle(Inputs& in) {
  static Exact multiple(angle_bits);
  switch (in.below(11)) {
    case 10:
      return beside_power(in, (in.below(2) == 0 ? 0.0 : 0x1.921fb54442d18p0) + std::asin(std::exp2(-in.below(12))));
    case 0:
      return in.number(true);
    case 1:
      return nearest_to_multiple(in.word(in.below(2) == 0));
    case 2:
      return nearest_to_multiple(std::ldexp(in.word(false), in.below(24)));
    case 3:
    case 4:
      mpfr_mul_si(multiple, half_pi(), static_cast<long>(in.bits()) >> in.below(64), MPFR_RNDN);
      mpfr_div_2ui(multiple, multiple, static_cast<unsigned>(in.below(2) * 6), MPFR_RNDN);
      if (mpfr_zero_p(static_cast<mpfr_ptr>(multiple))) return dd_real(0);
      if (in.below(2) == 0) return near(in, nearest(multiple));
      return nearest(multiple) * (1.0 + std::ldexp(in.word(false), -30 - in.below(8)));
    case 5:
      return near(in, {0.0, 0x1p20, -0x1p20, 0x1.921fb54442d18p-6, 0x1p-6});
    case 6:
      return in.number(false);
    case 7:
      return between(in, -0x1p21, 0x1p21);
    default:
      return between(in, -7.0, 7.0);
  }
}

struct Function {
  const char* name;
  dd_real (*function)(dd_real);
  hilo::testing::MpfrUnary exact;
  dd_real (*input)(Inputs&);
  double (*of_double)(double);
  // The worst of 1,000,000 inputs.
  dd_real worst;
  double worst_error;
};

void PrintTo(const Function& f, std::ostream* out) { *out << f.name; }

class Elementary : public ::testing::TestWithParam<Function> {};

TEST_P(Elementary, KeepsItsBound) {
  const Function& f = GetParam();
  Inputs in(1);
  Worst worst(f.name);
  for (int i = 0, n = input_count(20'000); i < n; ++i) {
    dd_real x = f.input(in);
    if (!isfinite(x)) continue;
    double e = function_error(f.function, f.exact, x, 1.0);
    ASSERT_LE(e, bound) << words(x);
    worst.add(e, x);
  }
  EXPECT_GT(worst.error(), 0.48);
}

TEST_P(Elementary, KeepsItsBoundForAnyBitsOfLo) {
  const Function& f = GetParam();
  Inputs in(2);
  Worst worst("any lo");
  for (int i = 0, n = input_count(20'000); i < n; ++i) {
    dd_real x = f.input(in);
    // Bits of lo that no structure of the input reaches.
    x = dd_real::sum(x.hi, std::ldexp(x.hi, -53) * (static_cast<double>(in.bits() >> 11) * 0x1p-53 - 0.5));
    if (!isfinite(x)) continue;
    double e = function_error(f.function, f.exact, x, 1.0);
    ASSERT_LE(e, bound) << words(x);
    worst.add(e, x);
  }
}

TEST_P(Elementary, ErrsNoMoreThanTheWorstKnown) {
  const Function& f = GetParam();
  double e = function_error(f.function, f.exact, f.worst);
  EXPECT_LE(e, f.worst_error);
  EXPECT_GT(e, f.worst_error - 0.001);
}

TEST_P(Elementary, SpecialValues) {
  const Function& f = GetParam();
  for (double x : {0.0, -0.0, 1.0, -1.0, -0x1p-1074, -largest, infinity, -infinity, std::nan("")}) {
    double y = f.of_double(x);
    if (x != 0.0 && y - y == 0.0 && y != 0.0) continue;
    EXPECT_TRUE(same(f.function(dd_real(x)), y)) << x << ": " << f.function(dd_real(x)).hi;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Math, Elementary,
    ::testing::Values(
        Function{
            "exp", hilo::exp, mpfr_exp, exp_input, std::exp, {0x1.0a986ffc99a06p+1, -0x1.6384e8a37293bp-53}, 0.504},
        Function{
            "log", hilo::log, mpfr_log, log_input, std::log, {0x1.0100802ab5b7ep+0, -0x1.fd57736a3e3bfp-54}, 0.504},
        Function{"sin", hilo::sin, mpfr_sin, angle, std::sin, {0x1.00abe0f0fd43bp-3, 0x1.1b1ae2d4f054cp-57}, 0.508},
        Function{"cos", hilo::cos, mpfr_cos, angle, std::cos, {0x1.720a39261561fp+0, 0x1.de163ed443426p-56}, 0.507}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Exp, OverflowsAndUnderflowsWhereTheValueDoes) {
  EXPECT_TRUE(same(exp(dd_real(710.0)), infinity));
  EXPECT_TRUE(same(exp(dd_real(745.9)), infinity));
  EXPECT_TRUE(same(exp(dd_real(largest)), infinity));
  EXPECT_TRUE(same(exp(dd_real(-745.2)), 0.0));
  EXPECT_TRUE(same(exp(dd_real(-largest)), 0.0));
  EXPECT_TRUE(same(exp(dd_real(-745.13)), 0x1p-1074));
  dd_real x = exp(dd_real(0x1.62e42fefa39efp9));
  EXPECT_GT(x.hi, 0x1.fffffffffff00p1023);
  EXPECT_LE(x.hi, largest);
  EXPECT_TRUE(same(exp(dd_real(0x1.62e42fefa39f0p9)), infinity));
}

TEST(Exp, KeepsTheTermBelowOne) {
  for (int e = 110; e < 1070; e += 7) {
    EXPECT_TRUE(same(exp(dd_real(std::ldexp(1.0, -e))), dd_real(1.0, std::ldexp(1.0, -e))));
    EXPECT_TRUE(same(exp(dd_real(-std::ldexp(1.0, -e))), dd_real(1.0, -std::ldexp(1.0, -e))));
  }
}

TEST(Log, KeepsWhatIsLeftOfOne) {
  for (dd_real x : {dd_real(1.0, 0x1p-300), dd_real(1.0, -0x1p-1074), dd_real(1.0, 0x1.8p-1060),
                    dd_real(1.0 + 0x1p-52, -0x1p-53), dd_real(1.0, -0x1p-54)}) {
    EXPECT_LE(function_error(hilo::log, mpfr_log, x, 0.0), bound) << words(x);
    EXPECT_EQ(log(x).hi, (x - 1).hi);
  }
}

TEST(Log, CoversAllExponents) {
  for (int e = -1074; e < 1024; ++e) {
    for (double m : {1.0, 0x1.6a09e667f3bcdp0, 0x1.fffffffffffffp0}) {
      dd_real x(std::ldexp(m, e));
      if (x.hi > largest) continue;
      ASSERT_LE(function_error(hilo::log, mpfr_log, x), bound) << words(x);
    }
  }
}

// Convergents of 2/π give the numbers whose remainders are the least of all.
TEST(Sin, HoldsAtTheNearestMultiplesOfHalfPi) {
  int count = 0;
  for (int e = -110; e < 970; e += e < 60 ? 1 : 7) {
    hilo::testing::for_convergents(e, 106, [&](mpz_srcptr q) {
      if (mpz_sizeinbase(q, 2) < 100) return;
      Exact x(angle_bits);
      mpfr_set_z_2exp(x, q, e, MPFR_RNDN);
      dd_real a = nearest(x);
      if (!isfinite(a)) return;
      ASSERT_LE(function_error(hilo::sin, mpfr_sin, a), bound) << words(a);
      ASSERT_LE(function_error(hilo::cos, mpfr_cos, a), bound) << words(a);
      ++count;
    });
  }
  EXPECT_GT(count, 500);
}

TEST(Sin, IsOddAndCosIsEven) {
  Inputs in(3);
  for (int i = 0, n = input_count(20'000); i < n; ++i) {
    dd_real x = angle(in);
    ASSERT_TRUE(same(sin(-x), -sin(x))) << words(x);
    ASSERT_TRUE(same(cos(-x), cos(x))) << words(x);
  }
}

TEST(Sin, SincosHasTheBitsOfBoth) {
  Inputs in(4);
  for (int i = 0, n = input_count(20'000); i < n; ++i) {
    dd_real x = angle(in), sine, cosine;
    sincos(x, &sine, &cosine);
    ASSERT_TRUE(same(sine, sin(x)) && same(cosine, cos(x))) << words(x);
  }
}

// Small and large numbers, whose sine is the number itself, and whose lo may lie anywhere below.
TEST(Sin, OfSmallNumbersIsTheNumber) {
  Inputs in(5);
  for (int i = 0; i < 20'000; ++i) {
    dd_real x = in.number(true);
    if (std::fabs(x.hi) > 0x1p-500) continue;
    ASSERT_TRUE(same(sin(x), x)) << words(x);
    ASSERT_EQ(cos(x).hi, 1.0) << words(x);
  }
}

// The text on another two_prod.
template <bool HasFma>
struct Text;
#define HILO_FN static constexpr
#define HILO_TEXT(has_fma)                                                                                      \
  template <>                                                                                                   \
  struct Text<has_fma> : hilo::dd_ops<double, has_fma>, hilo::detail::elementary_tables {                       \
    HILO_FN real nearest_integer(real a) { return hilo::detail::elementary_ops::nearest_integer(a); }           \
    HILO_FN real low_bits(real n, int k) { return hilo::detail::elementary_ops::low_bits(n, k); }               \
    HILO_FN real power_of_two(real k) { return hilo::detail::elementary_ops::power_of_two(k); }                 \
    HILO_FN real exponent_of(real a) { return hilo::detail::elementary_ops::exponent_of(a); }                   \
    HILO_FN real lookup(const double* table, real i) { return hilo::detail::elementary_ops::lookup(table, i); } \
    HILO_FN bool any(mask m) { return m; }
HILO_TEXT(true)
#include <hilo/detail/elementary.clh>
HILO_FN angle reduce_large(dd x, mask is_wanted) {
  auto r = hilo::detail::elementary_ops::reduce_large({x.hi, x.lo}, is_wanted);
  return {r.index, r.hi, r.lo, r.rest};
}
};
HILO_TEXT(false)
#include <hilo/detail/elementary.clh>
HILO_FN angle reduce_large(dd x, mask is_wanted) {
  auto r = hilo::detail::elementary_ops::reduce_large({x.hi, x.lo}, is_wanted);
  return {r.index, r.hi, r.lo, r.rest};
}
}
;
#undef HILO_TEXT
#undef HILO_FN

TEST(ElementaryText, FusedAndPlainHaveTheSameBits) {
  using fused = Text<true>;
  using plain = Text<false>;
  auto equal = [](auto x, auto y) { return same(x.hi, y.hi) && (x.lo == y.lo || x.hi != x.hi); };
  Inputs in(6);
  for (int i = 0, n = input_count(20'000); i < n; ++i) {
    dd_real x = exp_input(in), y = log_input(in), z = angle(in);
    ASSERT_TRUE(equal(fused::exponential({x.hi, x.lo}), plain::exponential({x.hi, x.lo}))) << words(x);
    ASSERT_TRUE(equal(fused::logarithm({y.hi, y.lo}), plain::logarithm({y.hi, y.lo}))) << words(y);
    ASSERT_TRUE(equal(fused::sine({z.hi, z.lo}), plain::sine({z.hi, z.lo}))) << words(z);
    ASSERT_TRUE(equal(fused::cosine({z.hi, z.lo}), plain::cosine({z.hi, z.lo}))) << words(z);
  }
}

// The tables' words do not overlap, and the products that the text takes for exact are.
TEST(ElementaryTables, FitTheirUses) {
  using tables = hilo::detail::elementary_tables;
  auto is_close = [](double hi, double lo, int bits) {
    return hi == 0.0 ? lo == 0.0 : std::fabs(lo) <= std::ldexp(1.0, std::ilogb(hi) - 53 - bits);
  };
  for (int i = 0; i < 128; ++i) EXPECT_TRUE(is_close(tables::exp_hi[i], tables::exp_lo[i], 10)) << i;
  for (int i = 0; i < 91; ++i) EXPECT_TRUE(is_close(tables::log_hi[i], tables::log_lo[i], 10)) << i;
  for (int i = 0; i < 192; ++i) EXPECT_TRUE(is_close(tables::sine_hi[i], tables::sine_lo[i], 8)) << i;
  for (double n : {137'999.0, -137'999.0})
    for (int i = 0; i < 2; ++i) EXPECT_EQ(std::fma(n, tables::exp_step[i], -(n * tables::exp_step[i])), 0.0);
  for (double e : {1023.0, -1075.0})
    for (int i = 0; i < 2; ++i) EXPECT_EQ(std::fma(e, tables::log_two[i], -(e * tables::log_two[i])), 0.0);
  for (int i = 0; i < 128; ++i) {
    EXPECT_EQ(std::fmod(tables::exp_shift[i], 0x1p-61), 0.0) << i;
    EXPECT_EQ(std::fmod(tables::sine_shift[i], 0x1p-58), 0.0) << i;
    EXPECT_TRUE(i % 32 != 0 || tables::sine_shift[i] == 0.0) << i;
    EXPECT_TRUE(tables::sine_hi[i] == 0.0 || std::fabs(tables::sine_hi[i]) > 0x1p-4 * 0.7) << i;
  }
  EXPECT_EQ(tables::log_factor[37], 1.0);
  EXPECT_EQ(tables::log_hi[37], 0.0);
}

static_assert(exp(dd_real(0)) == 1 && log(dd_real(1)) == 0 && sin(dd_real(0)) == 0 && cos(dd_real(0)) == 1);
static_assert(exp(dd_real(1)).hi == 0x1.5bf0a8b145769p1 && log(dd_real(2)).hi == 0x1.62e42fefa39efp-1);
static_assert(sin(dd_real(1e22)).hi == -0.8522008497671888 && cos(dd_real(1)).hi == 0.5403023058681398);

}  // namespace
