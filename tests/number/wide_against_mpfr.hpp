// Adversarial numbers of 128 bits, and their error against MPFR.
#pragma once

#include <hilo/detail/wide.hpp>

#include "dd_against_mpfr.hpp"

namespace hilo::testing {

inline void set(mpfr_ptr r, detail::Wide x) {
  mpfr_set_ui_2exp(r, detail::high_word(x.mantissa), 64, MPFR_RNDN);
  mpfr_add_ui(r, r, detail::low_word(x.mantissa), MPFR_RNDN);
  mpfr_mul_2si(r, r, x.exponent - 127, MPFR_RNDN);
  if (x.is_negative) mpfr_neg(r, r, MPFR_RNDN);
}

/// |x − exact| / |exact| in units of 2^-128; huge where x is not normalized.
inline double wide_error(detail::Wide x, mpfr_ptr exact) {
  static Exact value(512), difference(512);
  if (x.mantissa != 0 && x.mantissa >> 127 == 0) return 1e300;
  set(value, x);
  mpfr_sub(difference, value, exact, MPFR_RNDN);
  if (mpfr_zero_p(static_cast<mpfr_ptr>(difference))) return 0.0;
  mpfr_div(difference, difference, exact, MPFR_RNDN);
  mpfr_mul_2si(difference, difference, 128, MPFR_RNDN);
  return std::fabs(mpfr_get_d(difference, MPFR_RNDN));
}

inline std::uint64_t adversarial_word(Inputs& in) {
  switch (in.below(5)) {
    case 0:
      return 0;
    case 1:
      return ~std::uint64_t{0};
    case 2:
      return std::uint64_t{1} << in.below(64);
    default:
      return in.bits();
  }
}

/// Exponents from `lowest` to `highest`.
inline detail::Wide wide(Inputs& in, int lowest, int highest) {
  std::uint64_t high = adversarial_word(in) | std::uint64_t{1} << 63, low = adversarial_word(in);
  return {detail::make_uint128(high, low), lowest + in.below(highest - lowest + 1), in.below(2) == 0};
}

}  // namespace hilo::testing
