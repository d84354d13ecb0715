// What the tests of complex functions share: MPC numbers, and inputs in the places that make trouble.
#pragma once

#include <mpc.h>

#include <hilo/complex_math.hpp>

#include "function_errors.hpp"

namespace hilo::testing {

/// An MPC number; as an input with just the bits that it takes, since MPC's time grows with them.
class ExactComplex {
 public:
  explicit ExactComplex(mpfr_prec_t bits) { mpc_init2(value_, bits); }
  explicit ExactComplex(dd_complex z) {
    ExactInput re(z.re), im(z.im);
    mpc_init3(value_, mpfr_get_prec(static_cast<mpfr_ptr>(re)), mpfr_get_prec(static_cast<mpfr_ptr>(im)));
    mpc_set_fr_fr(value_, re, im, MPC_RNDNN);
    // The sum of two words has lost the sign of a zero.
    if (z.re.hi == 0.0) mpfr_set_zero(mpc_realref(value_), signbit(z.re) ? -1 : 1);
    if (z.im.hi == 0.0) mpfr_set_zero(mpc_imagref(value_), signbit(z.im) ? -1 : 1);
  }
  ExactComplex(const ExactComplex&) = delete;
  ExactComplex& operator=(const ExactComplex&) = delete;
  ~ExactComplex() { mpc_clear(value_); }
  operator mpc_ptr() { return value_; }
  mpfr_ptr re() { return mpc_realref(value_); }
  mpfr_ptr im() { return mpc_imagref(value_); }

 private:
  mpc_t value_;
};

/// A number for one part; multiples of π/4 among them.
inline dd_real part(Inputs& in, bool wide) {
  switch (in.below(8)) {
    case 0:
      return in.below(2) == 0 ? 0.0 : -0.0;
    case 1:
      return near(in, {-1.0, 1.0, 0.5, 2.0});
    case 2:
      return near(in, dd_real(0x1.921fb54442d18p1, 0x1.1a62633145c07p-53) * (0.25 * (in.below(33) - 16)));
    case 3:
      return in.with_low(std::ldexp(in.mantissa(), in.below(14) - 4)) * (in.below(2) == 0 ? 1 : -1);
    default:
      return in.number(wide);
  }
}

/// Anywhere, on and near the axes, near ±1, ±i, the unit circle and multiples of π/4.
inline dd_complex complex_number(Inputs& in) {
  dd_complex z(part(in, in.below(3) == 0), part(in, in.below(3) == 0));
  if (in.below(4) == 0) {
    dd_real x = between(in, 0.0, 1.0), y = sqrt((1 - x) * (1 + x));
    z = {x, in.below(2) == 0 ? y : near(in, y)};
    if (in.below(2) == 0) z = {z.im, -z.re};
  }
  return isfinite(z.re) && isfinite(z.im) ? z : dd_complex(1, -1);
}

inline std::string words(dd_complex z) { return words(z.re) + " + i " + words(z.im); }

}  // namespace hilo::testing
