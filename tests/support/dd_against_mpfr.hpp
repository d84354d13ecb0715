// What the tests of the number type share: Inputs draws adversarial double-doubles, error_u2 is the error of a result
// against MPFR, Exact an MPFR number, input_count how many inputs a test takes.
#pragma once

#include <mpfr.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <hilo/dd_real.hpp>
#include <limits>
#include <random>

namespace hilo::testing {

/// Inputs of one test: `quick` of them, or 1,000,000 where HILO_LONG_TESTS=1.
inline int input_count(int quick) {
  const char* value = std::getenv("HILO_LONG_TESTS");
  return value != nullptr && value[0] == '1' ? 1'000'000 : quick;
}

/// An MPFR number. 2300 bits hold any dd_real and any sum of two, 4600 any product.
class Exact {
 public:
  explicit Exact(mpfr_prec_t bits) { mpfr_init2(value_, bits); }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;
  ~Exact() { mpfr_clear(value_); }

  operator mpfr_ptr() { return value_; }
  Exact& operator=(dd_real x) {
    mpfr_set_d(value_, x.hi, MPFR_RNDN);
    mpfr_add_d(value_, value_, x.lo, MPFR_RNDN);
    return *this;
  }

 private:
  mpfr_t value_;
};

inline bool is_canonical(dd_real x) {
  if (!(x.hi - x.hi == 0.0) || x.hi == 0.0) return x.lo == 0.0;
  return x.hi + x.lo == x.hi;
}

/// Equal, also in the sign of zero, or both NaN.
inline bool same(dd_real x, dd_real y) {
  return (x == y && std::signbit(x.hi) == std::signbit(y.hi)) || (x.hi != x.hi && y.hi != y.hi);
}

/// |result − exact| in u²|exact|, u² = 2^-106, less `slack` · 2^-1074. Infinity where the result is not canonical, is
/// not finite without reason, or is finite although the exact value overflows; 0 within 2^-50 of the overflow
/// threshold.
inline double error_u2(dd_real result, mpfr_ptr exact, double slack = 0.0) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (!is_canonical(result)) return infinity;
  int limit = mpfr_cmpabs_ui(exact, 0) == 0 ? -5000 : static_cast<int>(mpfr_get_exp(exact));
  if (limit >= 1024) {
    Exact ratio(64);
    mpfr_div_2si(ratio, exact, 1024, MPFR_RNDN);
    double r = std::fabs(mpfr_get_d(ratio, MPFR_RNDN));
    if (r > 1.0 + 0x1p-50) return result.hi == (mpfr_sgn(exact) > 0 ? infinity : -infinity) ? 0.0 : infinity;
    if (r > 1.0 - 0x1p-50) return 0.0;
  }
  if (!(result.hi - result.hi == 0.0)) return infinity;
  static thread_local Exact value(2300), error(4700);
  value = result;
  mpfr_sub(error, value, exact, MPFR_RNDN);
  mpfr_abs(error, error, MPFR_RNDN);
  if (slack > 0.0) {
    Exact allowed(53);
    mpfr_set_d(allowed, slack, MPFR_RNDN);
    mpfr_mul_2si(allowed, allowed, -1074, MPFR_RNDN);
    mpfr_sub(error, error, allowed, MPFR_RNDN);
  }
  if (mpfr_sgn(static_cast<mpfr_ptr>(error)) <= 0) return 0.0;
  if (mpfr_zero_p(exact)) return infinity;
  Exact ratio(64);
  mpfr_div(ratio, error, exact, MPFR_RNDN);
  mpfr_mul_2si(ratio, ratio, 106, MPFR_RNDN);
  return std::fabs(mpfr_get_d(ratio, MPFR_RNDN));
}

/// Doubles and double-doubles that make trouble: few bits, bits at both ends, all exponents or near ones; lo absent,
/// at its largest, anywhere, or far below hi.
class Inputs {
 public:
  explicit Inputs(std::uint64_t seed) : random_(seed) {}

  std::uint64_t bits() { return random_(); }
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }

  /// A mantissa in [1, 2).
  double mantissa() {
    std::uint64_t m = bits() >> 12;
    switch (below(6)) {
      case 0:
        m &= ~std::uint64_t{0} << below(53);
        break;
      case 1:
        m = bits() % 8;
        break;
      case 2:
        m = (std::uint64_t{1} << 52) - 1 - bits() % 8;
        break;
      case 3:
        m = (std::uint64_t{1} << below(52)) + bits() % 4;
        break;
      default:
        break;
    }
    return std::bit_cast<double>(std::uint64_t{1023} << 52 | (m & 0xfffffffffffffu));
  }

  /// Exponents from −1074 to 1023 where `wide`, else from −2 to 2.
  double word(bool wide) {
    int e = below(5) - 2;
    if (wide) {
      switch (below(6)) {
        case 0:
          e = 1023 - below(12);
          break;
        case 1:
          e = -1074 + below(120);
          break;
        default:
          e = below(2098) - 1074;
          break;
      }
    }
    double x = std::ldexp(mantissa(), e);
    return below(2) == 0 ? x : -x;
  }

  /// hi with a lo that keeps it canonical.
  dd_real with_low(double hi) {
    if (hi == 0.0) return dd_real(hi);
    double half = 0.5 * (std::nextafter(std::fabs(hi), std::numeric_limits<double>::infinity()) - std::fabs(hi));
    double lo = 0.0;
    switch (below(6)) {
      case 0:
        break;
      case 1:
        lo = half;
        break;
      case 2:
        lo = 0.5 * half * mantissa();
        break;
      case 3:
        lo = std::ldexp(mantissa(), std::ilogb(hi) - 54 - below(1000));
        break;
      case 4:
        lo = std::ldexp(half * mantissa(), -1 - below(10));
        break;
      default:
        lo = std::nextafter(half, 0.0);
        break;
    }
    if (below(2) == 0) lo = -lo;
    for (int i = 0; i < 3 && hi + lo != hi; ++i) lo = i == 0 ? std::nextafter(lo, 0.0) : 0.5 * lo;
    return dd_real(hi, hi + lo == hi ? lo : 0.0);
  }

  dd_real number(bool wide) { return with_low(word(wide)); }

  /// A number whose sum with x cancels: −x.hi moved by a few units, or of the same exponent.
  dd_real opposite(dd_real x) {
    double hi = -x.hi;
    int moves = below(4);
    double end = below(2) == 0 ? 0.0 : hi;
    for (int i = 0; i < moves; ++i) hi = std::nextafter(hi, end == 0.0 ? 0.0 : 2.0 * end);
    if (below(3) == 0) hi *= below(2) == 0 ? 0.5 : 2.0;
    if (!(hi - hi == 0.0) || hi == 0.0) hi = -x.hi;
    return below(3) == 0 && hi == -x.hi ? dd_real(hi, -x.lo) : with_low(hi);
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace hilo::testing
