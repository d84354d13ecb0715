// Errors of functions of dd_real against MPFR: where to look for them, and the worst one found.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <hilo/math/basic.hpp>
#include <initializer_list>
#include <string>

#include "dd_against_mpfr.hpp"

namespace hilo::testing {

/// Numbers from a to b, evenly or by exponent, with every kind of lo. Precondition: a <= b, finite.
inline dd_real between(Inputs& in, double a, double b) {
  double hi = a;
  if (a > 0.0 && b / a > 16.0 && in.below(2) == 0) {
    double fraction = static_cast<double>(in.bits() >> 11) * 0x1p-53;
    hi = std::exp2(std::log2(a) + fraction * (std::log2(b) - std::log2(a)));
  } else {
    double fraction = static_cast<double>(in.bits() >> 11) * 0x1p-53;
    hi = a * (1.0 - fraction) + b * fraction;
  }
  if (in.below(8) == 0) hi = std::ldexp(std::nearbyint(std::ldexp(hi, 8)), -8);
  hi = std::clamp(hi, a, b);
  return hi == 0.0 ? dd_real(hi) : in.with_low(hi);
}

/// A number near x: some units of lo away, or 2^-1 to 2^-1000 of it (of 1 where it is 0).
inline dd_real near(Inputs& in, dd_real x) {
  double scale = x.hi == 0.0 ? 1.0 : x.hi;
  switch (in.below(4)) {
    case 0:
      return in.with_low(x.hi == 0.0 ? 0x1p-1000 : std::nextafter(x.hi, in.below(2) == 0 ? 1e308 : -1e308));
    case 1:
      return x + dd_real(std::ldexp(scale * in.word(false), -100 - in.below(10)));
    case 2:
      return x + in.with_low(std::ldexp(scale * in.word(false), -1 - in.below(110)));
    default:
      return x + dd_real(std::ldexp(scale * in.word(false), -1 - in.below(1000)));
  }
}

inline dd_real near(Inputs& in, std::initializer_list<double> centers) {
  return near(in, dd_real(centers.begin()[in.below(static_cast<int>(centers.size()))]));
}

using MpfrUnary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
using MpfrBinary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

/// An MPFR number of x with just the bits that it takes, since MPFR's time grows with them.
class ExactInput {
 public:
  explicit ExactInput(dd_real x) : value_(x.lo == 0.0 ? 53 : std::min(2200, std::ilogb(x.hi) - std::ilogb(x.lo) + 64)) {
    value_ = x;
  }
  operator mpfr_ptr() { return value_; }

 private:
  Exact value_;
};

/// The error of `result` in u² of the exact value, less `slack` · 2^-1074. NaN for NaN is right; Inf is judged by
/// error_u2.
inline double function_error(dd_real result, mpfr_ptr exact, double slack = 4.0) {
  if (mpfr_nan_p(exact)) return result.hi != result.hi && result.lo == 0.0 ? 0.0 : HUGE_VAL;
  if (mpfr_inf_p(exact)) {
    bool is_right = std::isinf(result.hi) && result.lo == 0.0 && std::signbit(result.hi) == (mpfr_signbit(exact) != 0);
    return is_right ? 0.0 : HUGE_VAL;
  }
  if (result.hi != result.hi) return HUGE_VAL;
  return error_u2(result, exact, slack);
}

inline double function_error(dd_real (*f)(dd_real), MpfrUnary g, dd_real x, double slack = 4.0) {
  static Exact exact(320);
  ExactInput input(x);
  g(exact, input, MPFR_RNDN);
  return function_error(f(x), exact, slack);
}

inline double function_error(dd_real (*f)(dd_real, dd_real), MpfrBinary g, dd_real x, dd_real y, double slack = 4.0) {
  static Exact exact(320);
  ExactInput first(x), second(y);
  g(exact, first, second, MPFR_RNDN);
  return function_error(f(x, y), exact, slack);
}

inline std::string words(dd_real x) {
  char text[64];
  std::snprintf(text, sizeof text, "{%a, %a}", x.hi, x.lo);
  return text;
}

/// The worst of many inputs; prints it in the long form, for docs/functions.md and for the regressions.
class Worst {
 public:
  explicit Worst(const char* name) : name_(name) {}
  ~Worst() {
    if (input_count(0) > 0) std::printf("%-10s %.4f u2 at %s\n", name_, error_, where_.c_str());
  }
  void add(double error, dd_real x) {
    if (error > error_) error_ = error, where_ = words(x);
  }
  void add(double error, dd_real x, dd_real y) {
    if (error > error_) error_ = error, where_ = words(x) + ", " + words(y);
  }
  double error() const { return error_; }
  const std::string& where() const { return where_; }

 private:
  const char* name_;
  double error_ = 0.0;
  std::string where_;
};

}  // namespace hilo::testing
