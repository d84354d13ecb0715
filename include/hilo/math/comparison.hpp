// What depends on the order of two numbers: the quiet comparisons, fdim, and C23's maxima and minima.
#pragma once

#include <hilo/math/basic.hpp>

namespace hilo {

constexpr bool isgreater(dd_real x, dd_real y) { return x > y; }
constexpr bool isgreaterequal(dd_real x, dd_real y) { return x >= y; }
constexpr bool isless(dd_real x, dd_real y) { return x < y; }
constexpr bool islessequal(dd_real x, dd_real y) { return x <= y; }
constexpr bool islessgreater(dd_real x, dd_real y) { return x < y || x > y; }
constexpr bool isunordered(dd_real x, dd_real y) { return isnan(x) || isnan(y); }

/// x − y where x > y, else +0: 3u² + 13u³ as the difference, NaN where either is.
constexpr dd_real fdim(dd_real x, dd_real y) {
  if (isunordered(x, y)) return std::numeric_limits<dd_real>::quiet_NaN();
  return x > y ? x - y : dd_real(0);
}

/// The larger, with −0 < +0; NaN where either is. (fmax gives the other one.)
constexpr dd_real fmaximum(dd_real x, dd_real y) {
  if (isunordered(x, y)) return std::numeric_limits<dd_real>::quiet_NaN();
  return x > y || (x == y && !signbit(x)) ? x : y;
}
/// The smaller, with −0 < +0; NaN where either is.
constexpr dd_real fminimum(dd_real x, dd_real y) { return -fmaximum(-x, -y); }

/// The larger, with −0 < +0; the other one where one is NaN.
constexpr dd_real fmaximum_num(dd_real x, dd_real y) { return isnan(x) ? y : isnan(y) ? x : fmaximum(x, y); }
/// The smaller, with −0 < +0; the other one where one is NaN.
constexpr dd_real fminimum_num(dd_real x, dd_real y) { return isnan(x) ? y : isnan(y) ? x : fminimum(x, y); }

/// The one of larger magnitude, of equal magnitude the larger; NaN where either is.
constexpr dd_real fmaximum_mag(dd_real x, dd_real y) {
  return abs(x) > abs(y) ? x : abs(x) < abs(y) ? y : fmaximum(x, y);
}
/// The one of smaller magnitude, of equal magnitude the smaller; NaN where either is.
constexpr dd_real fminimum_mag(dd_real x, dd_real y) {
  return abs(x) < abs(y) ? x : abs(x) > abs(y) ? y : fminimum(x, y);
}

/// The nearest integer, halves to even, C23's name of rint.
constexpr dd_real roundeven(dd_real x) { return rint(x); }

}  // namespace hilo
