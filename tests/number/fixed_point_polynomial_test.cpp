#include <gtest/gtest.h>

#include <hilo/detail/fixed_point_polynomial.hpp>

#include "wide_against_mpfr.hpp"

namespace {

using hilo::detail::high_word;
using hilo::detail::low_word;
using hilo::detail::make_uint128;
using hilo::detail::uint128;
using hilo::detail::Wide;
using hilo::testing::Exact;
using hilo::testing::input_count;
using hilo::testing::Inputs;

uint128 any(Inputs& in) {
  return make_uint128(hilo::testing::adversarial_word(in), hilo::testing::adversarial_word(in));
}

void set(mpfr_ptr r, uint128 n) {
  mpfr_set_ui_2exp(r, high_word(n), 64, MPFR_RNDN);
  mpfr_add_ui(r, r, low_word(n), MPFR_RNDN);
}

// In units of 2^-126. The constant, between 1 and 3/2, outweighs the other terms.
template <int N>
double worst_error(Inputs& in) {
  Exact exact(4000), t(200), c(200);
  double worst = 0.0;
  for (int i = 0, n = input_count(20'000); i < n; ++i) {
    uint128 coefficient[N];
    coefficient[0] = uint128{1} << 126 | any(in) >> 3;
    for (int k = 1; k < N; ++k) {
      uint128 size = any(in) >> 3;
      coefficient[k] = in.below(2) == 0 ? size : -size;
    }
    uint128 size = in.below(8) == 0 ? uint128{1} << 127 : any(in) >> 1;
    if (in.below(8) == 0) size >>= in.below(128);
    bool is_negative = in.below(2) == 0;
    set(t, size);
    mpfr_mul_2si(t, t, -128, MPFR_RNDN);
    if (is_negative) mpfr_neg(t, t, MPFR_RNDN);
    mpfr_set_zero(exact, 1);
    for (int k = N - 1; k >= 0; --k) {
      bool is_below = coefficient[k] >> 127 != 0;
      set(c, is_below ? -coefficient[k] : coefficient[k]);
      if (is_below) mpfr_neg(c, c, MPFR_RNDN);
      mpfr_mul(exact, exact, t, MPFR_RNDN);
      mpfr_add(exact, exact, c, MPFR_RNDN);
    }
    Wide result = hilo::detail::even_odd_polynomial(coefficient, size, is_negative);
    hilo::testing::set(t, result);
    mpfr_mul_2si(t, t, 126, MPFR_RNDN);
    mpfr_sub(exact, exact, t, MPFR_RNDN);
    worst = std::max(worst, std::fabs(mpfr_get_d(exact, MPFR_RNDN)));
  }
  return worst;
}

TEST(FixedPointPolynomial, KeepsItsBound) {
  Inputs in(1);
  for (double worst : {worst_error<2>(in), worst_error<3>(in), worst_error<6>(in), worst_error<7>(in)}) {
    EXPECT_LE(worst, 5.0);
    EXPECT_GT(worst, 0.9);
  }
}

}  // namespace
