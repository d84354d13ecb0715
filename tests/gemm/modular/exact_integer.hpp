// Exact integers (GMP), and by definition what the modular engine makes of them: residues, and roundings of them.
#pragma once

#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <hilo/dd_real.hpp>

namespace hilo::testing {

using Integer = mpz_class;

inline Integer power_of_two(long n) { return Integer(1) << static_cast<unsigned long>(n); }

inline long bit_length(const Integer& x) { return x == 0 ? 0 : static_cast<long>(mpz_sizeinbase(x.get_mpz_t(), 2)); }

/// x · 2^n, which is an integer.
inline Integer scaled(const Integer& x, long n) {
  Integer result;
  if (n >= 0) {
    mpz_mul_2exp(result.get_mpz_t(), x.get_mpz_t(), static_cast<mp_bitcnt_t>(n));
  } else {
    mpz_tdiv_q_2exp(result.get_mpz_t(), x.get_mpz_t(), static_cast<mp_bitcnt_t>(-n));
  }
  return result;
}

/// The integer nearest to x / 2^n, n > 0, ties to even.
inline Integer nearest(const Integer& x, long n) {
  auto bits = static_cast<mp_bitcnt_t>(n);
  Integer floor, rest, half = power_of_two(n - 1);
  mpz_fdiv_q_2exp(floor.get_mpz_t(), x.get_mpz_t(), bits);
  mpz_fdiv_r_2exp(rest.get_mpz_t(), x.get_mpz_t(), bits);
  if (rest > half || (rest == half && mpz_odd_p(floor.get_mpz_t()))) floor += 1;
  return floor;
}

/// A finite double in units of 2^-1074.
inline Integer in_least_units(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (x == 0.0) return 0;
  auto bits = static_cast<std::int64_t>(std::ldexp(mantissa, 53));
  return scaled(Integer(static_cast<long>(bits)), exponent - 53 + 1074);
}

/// The integer nearest to (hi + lo) · 2^shift, ties to even.
inline Integer nearest_integer(double hi, double lo, long shift) {
  Integer x = in_least_units(hi) + in_least_units(lo);
  long n = 1074 - shift;
  return n > 0 ? nearest(x, n) : scaled(x, -n);
}

/// The double nearest to x · 2^shift, ties to even, and x · 2^shift itself less that, in units of 2^shift. Multiples of
/// 2^-1074 below the normal range; Inf, less nothing, beyond the largest double.
inline double take_double(Integer& x, long shift) {
  long unit = std::max({bit_length(x) - 53, -1074 - shift, 0L});
  Integer kept = unit > 0 ? nearest(x, unit) : x;
  double result = std::ldexp(kept.get_d(), static_cast<int>(shift + unit));
  if (std::isinf(result)) {
    x = 0;
  } else {
    x -= scaled(kept, unit);
  }
  return result;
}

/// hi = RN(x · 2^shift), lo = RN(x · 2^shift − hi), made canonical; Inf where hi or their sum overflows.
inline dd_real nearest_pair(Integer x, long shift) {
  double hi = take_double(x, shift);
  double lo = take_double(x, shift);
  double sum = hi + lo;
  dd_real result{sum};
  if (std::isfinite(sum)) result.lo = lo - (sum - hi);
  return result;
}

/// 0 … m − 1.
inline int residue(const Integer& x, int m) {
  return static_cast<int>(mpz_fdiv_ui(x.get_mpz_t(), static_cast<unsigned long>(m)));
}

/// The one nearest to zero; −m/2 rather than m/2.
inline int symmetric_residue(const Integer& x, int m) {
  int r = residue(x, m);
  return 2 * r >= m ? r - m : r;
}

}  // namespace hilo::testing
