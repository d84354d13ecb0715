// A number of MPFR, with 256 bits unless it is given more, and the exact conversions to it.
#pragma once

#include <mpfr.h>

#include <hilo/dd_real.hpp>

namespace hilo::accuracy {

/// 256 bits at first; rounding to nearest. A thread that has used one calls mpfr_free_cache before it ends.
class Number {
 public:
  static constexpr mpfr_prec_t precision = 256;

  Number() {
    mpfr_init2(value_, precision);
    mpfr_set_zero(value_, 1);
  }
  ~Number() { mpfr_clear(value_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;

  /// The value becomes NaN.
  void set_precision(mpfr_prec_t bits) { mpfr_set_prec(value_, bits); }

  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }

  void set(double x) { mpfr_set_d(value_, x, MPFR_RNDN); }
  void set(dd_real x) {
    set(x.hi);
    add(x.lo);
  }
  void add(double x) { mpfr_add_d(value_, value_, x, MPFR_RNDN); }
  void subtract(dd_real x) {
    mpfr_sub_d(value_, value_, x.hi, MPFR_RNDN);
    mpfr_sub_d(value_, value_, x.lo, MPFR_RNDN);
  }
  void add_product(const Number& x, const Number& y) { mpfr_fma(value_, x.value_, y.value_, value_, MPFR_RNDN); }
  void subtract_product(const Number& x, const Number& y) {
    mpfr_fms(value_, x.value_, y.value_, value_, MPFR_RNDN);
    mpfr_neg(value_, value_, MPFR_RNDN);
  }
  void set_magnitude(const Number& re, const Number& im) { mpfr_hypot(value_, re.value_, im.value_, MPFR_RNDN); }

  /// Rounded; its exponents reach well past those of a product of two doubles.
  long double to_long_double() const { return mpfr_get_ld(value_, MPFR_RNDN); }

 private:
  mpfr_t value_;
};

}  // namespace hilo::accuracy
