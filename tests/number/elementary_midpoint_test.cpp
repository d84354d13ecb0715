// exp, log, sin and cos where the value lies beside the middle of two doubles: lo is half a unit of hi there, and its
// own unit doubles just beyond, so that only the other choice of hi leaves half a unit of error.
#include <gtest/gtest.h>

#include <hilo/math/elementary.hpp>

#include "function_errors.hpp"

namespace {

using hilo::dd_real;
using hilo::testing::Exact;
using hilo::testing::ExactInput;
using hilo::testing::function_error;
using hilo::testing::input_count;
using hilo::testing::Inputs;
using hilo::testing::MpfrUnary;
using hilo::testing::words;
using hilo::testing::Worst;

constexpr double bound = 0.51;

dd_real nearest(mpfr_ptr x) {
  static Exact rest(400);
  double hi = mpfr_get_d(x, MPFR_RNDN);
  mpfr_sub_d(rest, x, hi, MPFR_RNDN);
  return dd_real::sum(hi, mpfr_get_d(rest, MPFR_RNDN));
}

// A double, mostly just above a power of two, where a unit of lo counts most.
double head(Inputs& in, int least, int greatest) {
  double m = in.below(4) == 0 ? in.mantissa() : 1.0 + std::ldexp(in.mantissa(), -5 - in.below(47));
  return std::ldexp(m, least + in.below(greatest - least + 1));
}

struct Function {
  const char* name;
  dd_real (*function)(dd_real);
  MpfrUnary exact, inverse;
  // The exponents of the results that are tried, and whether they have signs.
  int least, greatest;
  bool has_negative_results;
  // Found by the search below.
  dd_real known[8];
};

void PrintTo(const Function& f, std::ostream* out) { *out << f.name; }

class Midpoint : public ::testing::TestWithParam<Function> {};

TEST_P(Midpoint, KnownInputsAreRoundedWell) {
  const Function& f = GetParam();
  for (dd_real x : f.known) EXPECT_LE(function_error(f.function, f.exact, x), bound) << words(x);
}

// Arguments of values within a few u² of the middle of two doubles.
TEST_P(Midpoint, FoundInputsAreRoundedWell) {
  const Function& f = GetParam();
  Inputs in(7);
  Worst worst(f.name);
  static Exact value(400), x(400);
  for (int i = 0, n = input_count(2'000); i < n; ++i) {
    double hi = head(in, f.least, f.greatest);
    if (f.has_negative_results && in.below(2) == 0) hi = -hi;
    double half = std::ldexp(hi > 0.0 ? 1.0 : -1.0, std::ilogb(hi) - 53);
    double beyond = (static_cast<double>(in.bits() >> 11) * 0x1p-53 - 0.25) * 4.0 * half * 0x1p-53;
    mpfr_set_d(value, hi, MPFR_RNDN);
    mpfr_add_d(value, value, half, MPFR_RNDN);
    mpfr_add_d(value, value, beyond, MPFR_RNDN);
    f.inverse(x, value, MPFR_RNDN);
    dd_real argument = nearest(x);
    double e = function_error(f.function, f.exact, argument);
    worst.add(e, argument);
    ASSERT_LE(e, bound) << words(argument);
  }
}

INSTANTIATE_TEST_SUITE_P(Math, Midpoint,
                         ::testing::Values(Function{"exp",
                                                    hilo::exp,
                                                    mpfr_exp,
                                                    mpfr_log,
                                                    -3,
                                                    3,
                                                    false,
                                                    {{0x1p-53, 0x1.fffffffffffe2p-108},
                                                     {0x1.6392b86339122p+0, -0x1.3190c360efe9cp-58},
                                                     {0x1.62e42fefa3a3p+0, -0x1.2a1b0e263606p-54},
                                                     {0x1.633423723dad9p+0, -0x1.7d351c052af96p-55},
                                                     {0x1.62e42fefa79fp+0, -0x1.2a1b10263bfep-54},
                                                     {-0x1.62b76d35e6fc4p+0, 0x1.7b7589f18beefp-54},
                                                     {0x1.62e43087c4025p+0, -0x1.dba94bf5110b9p-56},
                                                     {0x1.63e3f004f4f59p-1, -0x1.1f48b08fee385p-55}}},
                                           Function{"log",
                                                    hilo::log,
                                                    mpfr_log,
                                                    mpfr_exp,
                                                    -8,
                                                    8,
                                                    true,
                                                    {{0x1.21485c976f5ap+372, 0.0},
                                                     {0x1.e0e63a819e481p-1, 0x1.be2c8dc765ee5p-55},
                                                     {0x1.35aaafc84f6c4p-1, 0x1.c78c256683298p-55},
                                                     {0x1.c84646470bd07p-47, 0x1.09b9a48978394p-101},
                                                     {0x1.78b56317b63f2p-2, -0x1.559d456fd7c8p-56},
                                                     {0x1.c3d631593dab5p-1, 0x1.765997e2ead64p-58},
                                                     {0x1.9755956ad45dcp-370, -0x1.6c66dfbc2699dp-424},
                                                     {0x1.0100802ab5b7ep+0, -0x1.fd57736a3e3bfp-54}}},
                                           Function{"sin",
                                                    hilo::sin,
                                                    mpfr_sin,
                                                    mpfr_asin,
                                                    -30,
                                                    -1,
                                                    true,
                                                    {{-0x1.02p-52, 0x1p-105},
                                                     {0x1.0002ab7de4951p-6, 0x1.1b8d75f9ecc8dp-62},
                                                     {0x1.00000059c28e7p-15, 0x1.af06d2d6fd431p-70},
                                                     {-0x1.0c152382e0813p-1, -0x1.55ae8cd06c002p-55},
                                                     {0x1.0000800000aabp-19, 0x1.d55595ef0319cp-74},
                                                     {-0x1.00080000000abp-21, -0x1.d55955609a31cp-76},
                                                     {0x1.00002aabbdde7p-8, 0x1.4c008140c1c42p-64},
                                                     {-0x1.0000000004002p-26, 0x1.555555554d553p-80}}},
                                           Function{"cos",
                                                    hilo::cos,
                                                    mpfr_cos,
                                                    mpfr_acos,
                                                    -3,
                                                    -1,
                                                    true,
                                                    {{0x1.0c152382d73d5p+1, 0x1.711e54bb75f85p-55},
                                                     {0x1.0c148fb584679p+0, -0x1.5cef693eea38p-55},
                                                     {0x1.0c1523828d4fbp+0, 0x1.a46abb32bc715p-54},
                                                     {0x1.720a392ad1931p+0, 0x1.a2aeccdc56be6p-56},
                                                     {0x1.51700e0aa9d3fp+0, 0x1.7eda0d2a3fd8ap-56},
                                                     {0x1.0c15237e38cc8p+0, 0x1.1ede46c98c13fp-55},
                                                     {0x1.720a39261561fp+0, 0x1.de163ed443426p-56},
                                                     {0x1.0c1539e22c00cp+1, 0x1.a88e2cf467e5bp-54}}}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
