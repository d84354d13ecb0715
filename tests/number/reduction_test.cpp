#include <gtest/gtest.h>

#include <hilo/detail/reduction.hpp>

#include "function_errors.hpp"
#include "multiples_of_half_pi.hpp"
#include "wide_against_mpfr.hpp"

namespace {

using hilo::dd_real;
using hilo::detail::QuadrantRemainder;
using hilo::detail::reduce_to_quadrant;
using hilo::detail::Wide;
using hilo::testing::angle_bits;
using hilo::testing::Exact;
using hilo::testing::for_convergents;
using hilo::testing::half_pi;
using hilo::testing::input_count;
using hilo::testing::Inputs;
using hilo::testing::nearest;
using hilo::testing::nearest_to_multiple;
using hilo::testing::wide_error;
using hilo::testing::words;

// The error of the reduced x in units of 2^-128, huge where the quadrant or the range is wrong. `distance` is the log2
// of the exact remainder.
double reduction_error(dd_real x, double* distance = nullptr) {
  static Exact value(angle_bits), multiple(angle_bits), remainder(angle_bits);
  value = x;
  mpfr_div(multiple, value, half_pi(), MPFR_RNDN);
  mpfr_rint(multiple, multiple, MPFR_RNDN);
  mpfr_mul(remainder, multiple, half_pi(), MPFR_RNDN);
  mpfr_sub(remainder, value, remainder, MPFR_RNDN);
  if (distance != nullptr) *distance = static_cast<double>(mpfr_get_exp(static_cast<mpfr_ptr>(remainder)));
  QuadrantRemainder r = reduce_to_quadrant(x);
  mpz_t n;
  mpz_init(n);
  mpfr_get_z(n, multiple, MPFR_RNDN);
  bool is_right = mpz_fdiv_ui(n, 4) == static_cast<unsigned long>(r.quadrant);
  mpz_clear(n);
  return is_right ? wide_error(r.remainder, remainder) : 1e300;
}

class Reduction : public ::testing::Test {
 protected:
  void check(dd_real x) {
    double distance = 0.0;
    double e = reduction_error(x, &distance);
    ASSERT_LE(e, 8.0) << words(x);
    if (e > worst_) worst_ = e, where_ = x;
    if (std::fabs(x.hi) > 0.75 && distance < nearest_) nearest_ = distance, nearest_where_ = x;
  }
  void TearDown() override {
    if (input_count(0) == 0) return;
    std::printf("error %.2f at %s; nearest 2^%.0f at %s\n", worst_, words(where_).c_str(), nearest_,
                words(nearest_where_).c_str());
  }
  double worst_ = 0.0, nearest_ = 0.0;
  dd_real where_{}, nearest_where_{};
};

TEST_F(Reduction, OfAnyNumber) {
  Inputs in(1);
  for (int i = 0, n = input_count(20'000); i < n; ++i) {
    dd_real x = in.number(in.below(2) == 0);
    if (in.below(3) == 0) x = in.with_low(std::ldexp(in.word(false), in.below(130)));
    check(x);
  }
}

TEST_F(Reduction, NearestToMultiplesOfHalfPi) {
  Inputs in(2);
  Exact multiple(angle_bits);
  for (int i = 0, n = input_count(20'000); i < n; ++i) {
    if (in.below(2) == 0) {
      // n · π/2 for n of up to 64 bits, scaled by a power of two to any size; multiples of π/4 lie between quadrants.
      mpfr_set_si(multiple, static_cast<long>(in.bits() >> in.below(63)), MPFR_RNDN);
      mpfr_mul(multiple, multiple, half_pi(), MPFR_RNDN);
      mpfr_mul_2si(multiple, multiple, in.below(3) == 0 ? in.below(950) : 0, MPFR_RNDN);
      if (in.below(4) == 0) mpfr_div_2ui(multiple, multiple, 1, MPFR_RNDN);
      check(nearest(multiple));
    } else {
      check(nearest_to_multiple(in.word(in.below(2) == 0)));
    }
  }
}

// First words that lie nearest to a multiple of π/2 among the doubles of their exponent, and second words that fill
// what is left: a gap between the two.
TEST_F(Reduction, OfTheWorstDoubles) {
  int step = input_count(0) > 0 ? 1 : 16;
  for (int e = -53; e <= 971; e += step) {
    for_convergents(e, 53, [&](mpz_srcptr q) {
      if (mpz_sizeinbase(q, 2) < 40) return;
      double m = mpz_get_d(q);
      for (double k = 1.0; k * m < 0x1p53; k += k < 32.0 ? 1.0 : k) {
        double hi = std::ldexp(k * m, e);
        check(dd_real(hi));
        dd_real x = nearest_to_multiple(hi);
        check(x);
        check(dd_real(-x.hi, -x.lo));
        check(dd_real(x.hi, -x.lo));
        check(dd_real(x.hi, std::nextafter(x.lo, 0.0)));
        check(dd_real(x.hi, x.lo * 0x1p-200));
      }
    });
  }
}

// Numbers of 107 bits that lie nearest to a multiple of π/2.
TEST_F(Reduction, OfTheWorstNumbersWithoutGap) {
  int step = input_count(0) > 0 ? 1 : 16;
  Exact value(angle_bits);
  for (int e = -106; e <= 917; e += step) {
    for_convergents(e, 107, [&](mpz_srcptr q) {
      if (mpz_sizeinbase(q, 2) < 90) return;
      mpfr_set_z_2exp(value, q, e, MPFR_RNDN);
      dd_real x = nearest(value);
      check(x);
      check(-x);
    });
  }
  EXPECT_LE(nearest_, -110.0);
}

TEST_F(Reduction, OfSmallAngles) {
  EXPECT_EQ(reduce_to_quadrant(dd_real(0)).quadrant, 0);
  EXPECT_TRUE(reduce_to_quadrant(dd_real(0)).remainder.is_zero());
  EXPECT_EQ(reduce_to_quadrant(dd_real(0x1p-1074)).remainder, Wide(0x1p-1074));
  EXPECT_EQ(reduce_to_quadrant(dd_real(-0.75)).remainder, Wide(-0.75));
  EXPECT_EQ(reduce_to_quadrant(dd_real(0.8)).quadrant, 1);
  EXPECT_EQ(reduce_to_quadrant(dd_real(-0.8)).quadrant, 3);
  static_assert(reduce_to_quadrant(dd_real(0x1p1000)).quadrant >= 0);
}

}  // namespace
