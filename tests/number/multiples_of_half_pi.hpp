// Numbers that lie as near as can be to multiples of π/2: the worst arguments of trigonometric functions.
#pragma once

#include "dd_against_mpfr.hpp"

namespace hilo::testing {

/// Bits for any dd_real and what is left of it modulo π/2.
inline constexpr mpfr_prec_t angle_bits = 2600;

inline mpfr_ptr half_pi() {
  static Exact value(angle_bits);
  if (mpfr_nan_p(static_cast<mpfr_ptr>(value))) {
    mpfr_const_pi(value, MPFR_RNDN);
    mpfr_div_2ui(value, value, 1, MPFR_RNDN);
  }
  return value;
}

/// The dd_real nearest to a number.
inline dd_real nearest(mpfr_ptr x) {
  static Exact rest(angle_bits);
  double hi = mpfr_get_d(x, MPFR_RNDN);
  mpfr_sub_d(rest, x, hi, MPFR_RNDN);
  return dd_real::sum(hi, mpfr_get_d(rest, MPFR_RNDN));
}

/// The dd_real with the first word hi that comes nearest to a multiple of π/2.
inline dd_real nearest_to_multiple(double hi) {
  static Exact rest(angle_bits), multiple(angle_bits);
  mpfr_set_d(multiple, hi, MPFR_RNDN);
  mpfr_div(multiple, multiple, half_pi(), MPFR_RNDN);
  mpfr_rint(multiple, multiple, MPFR_RNDN);
  mpfr_mul(multiple, multiple, half_pi(), MPFR_RNDN);
  mpfr_sub_d(rest, multiple, hi, MPFR_RNDN);
  double lo = mpfr_get_d(rest, MPFR_RNDN);
  return hi + lo == hi ? dd_real(hi, lo) : dd_real(hi);
}

/// Denominators q of the convergents of 2^e · 2/π, of at most `bits` bits: q · 2^e lies nearer to a multiple of π/2
/// than any smaller multiple of 2^e.
template <class Use>
void for_convergents(int e, std::size_t bits, Use use) {
  static Exact number(angle_bits);
  mpfr_ui_div(number, 1, half_pi(), MPFR_RNDN);
  mpfr_mul_2si(number, number, e, MPFR_RNDN);
  mpz_t numerator, denominator, quotient, rest, before, q;
  mpz_inits(numerator, denominator, quotient, rest, before, q, nullptr);
  mpz_ui_pow_ui(denominator, 2, 2400);
  mpfr_mul_2ui(number, number, 2400, MPFR_RNDN);
  mpfr_get_z(numerator, number, MPFR_RNDD);
  mpz_set_ui(before, 0);
  mpz_set_ui(q, 1);
  while (mpz_sizeinbase(q, 2) <= bits) {
    use(static_cast<mpz_srcptr>(q));
    mpz_fdiv_qr(quotient, rest, numerator, denominator);
    mpz_swap(numerator, denominator);
    mpz_swap(denominator, rest);
    if (mpz_sgn(denominator) == 0) break;
    mpz_fdiv_q(quotient, numerator, denominator);
    mpz_addmul(before, quotient, q);
    mpz_swap(before, q);
  }
  mpz_clears(numerator, denominator, quotient, rest, before, q, nullptr);
}

}  // namespace hilo::testing
