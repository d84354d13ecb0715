#include <gtest/gtest.h>

#include <hilo/numbers.hpp>

#include "dd_against_mpfr.hpp"

namespace {

using hilo::dd_real;
using hilo::testing::Exact;

// Both words are those of the exact value: hi = RN(c), lo = RN(c − hi).
void expect_nearest(dd_real constant, mpfr_ptr exact) {
  EXPECT_EQ(constant.hi, mpfr_get_d(exact, MPFR_RNDN));
  Exact rest(2000);
  mpfr_sub_d(rest, exact, constant.hi, MPFR_RNDN);
  EXPECT_EQ(constant.lo, mpfr_get_d(rest, MPFR_RNDN));
}

TEST(Numbers, AreCorrectlyRounded) {
  namespace numbers = hilo::numbers;
  Exact x(2000);
  auto set = [&](unsigned long n) {
    mpfr_set_ui(x, n, MPFR_RNDN);
    return static_cast<mpfr_ptr>(x);
  };
  auto expect = [&](dd_real constant) { expect_nearest(constant, x); };

  mpfr_exp(x, set(1), MPFR_RNDN);
  expect(numbers::e);
  mpfr_log2(x, x, MPFR_RNDN);
  expect(numbers::log2e);
  mpfr_log(x, set(10), MPFR_RNDN);
  expect(numbers::ln10);
  mpfr_ui_div(x, 1, x, MPFR_RNDN);
  expect(numbers::log10e);
  mpfr_const_pi(x, MPFR_RNDN);
  expect(numbers::pi);
  mpfr_ui_div(x, 1, x, MPFR_RNDN);
  expect(numbers::inv_pi);
  mpfr_sqrt(x, x, MPFR_RNDN);
  expect(numbers::inv_sqrtpi);
  mpfr_log(x, set(2), MPFR_RNDN);
  expect(numbers::ln2);
  mpfr_sqrt(x, set(2), MPFR_RNDN);
  expect(numbers::sqrt2);
  mpfr_sqrt(x, set(3), MPFR_RNDN);
  expect(numbers::sqrt3);
  mpfr_rec_sqrt(x, set(3), MPFR_RNDN);
  expect(numbers::inv_sqrt3);
  mpfr_const_euler(x, MPFR_RNDN);
  expect(numbers::egamma);
  mpfr_sqrt(x, set(5), MPFR_RNDN);
  mpfr_add_ui(x, x, 1, MPFR_RNDN);
  mpfr_div_ui(x, x, 2, MPFR_RNDN);
  expect(numbers::phi);
}

template <class T>
constexpr T circle(T radius) {
  return std::numbers::pi_v<T> * radius * radius;
}

TEST(Numbers, AreTheTemplatesOfTheStandard) {
  using namespace std::numbers;
  namespace numbers = hilo::numbers;
  static_assert(e_v<dd_real> == numbers::e && log2e_v<dd_real> == numbers::log2e);
  static_assert(log10e_v<dd_real> == numbers::log10e && std::numbers::pi_v<dd_real> == numbers::pi);
  static_assert(inv_pi_v<dd_real> == numbers::inv_pi && inv_sqrtpi_v<dd_real> == numbers::inv_sqrtpi);
  static_assert(ln2_v<dd_real> == numbers::ln2 && ln10_v<dd_real> == numbers::ln10);
  static_assert(sqrt2_v<dd_real> == numbers::sqrt2 && sqrt3_v<dd_real> == numbers::sqrt3);
  static_assert(inv_sqrt3_v<dd_real> == numbers::inv_sqrt3 && egamma_v<dd_real> == numbers::egamma);
  static_assert(phi_v<dd_real> == numbers::phi);
  static_assert(circle(dd_real(2)) == 4 * numbers::pi);
  EXPECT_EQ(circle(2.0), circle(dd_real(2)).hi);
}

}  // namespace
