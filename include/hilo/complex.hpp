// hilo::dd_complex: a complex number of two dd_real.
#pragma once

#include <hilo/dd_real.hpp>

namespace hilo {

/// A complex double-double number, 32 bytes: re.hi, re.lo, im.hi, im.lo.
///
/// Each part of a sum errs by at most 3u² + 13u³ of itself; of a product by at most 8u² + 14u³ of the sum of the
/// magnitudes of its two terms (not of the part itself, which may cancel).
struct dd_complex {
  dd_real re, im;

  constexpr dd_complex() = default;
  constexpr dd_complex(dd_real real, dd_real imag = dd_real(0)) : re(real), im(imag) {}

  friend constexpr dd_complex operator-(dd_complex x) { return {-x.re, -x.im}; }
  friend constexpr dd_complex operator+(dd_complex x, dd_complex y) { return {x.re + y.re, x.im + y.im}; }
  friend constexpr dd_complex operator-(dd_complex x, dd_complex y) { return {x.re - y.re, x.im - y.im}; }
  friend constexpr dd_complex operator*(dd_complex x, dd_complex y) {
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
  }
  constexpr dd_complex& operator+=(dd_complex y) { return *this = *this + y; }
  constexpr dd_complex& operator-=(dd_complex y) { return *this = *this - y; }
  constexpr dd_complex& operator*=(dd_complex y) { return *this = *this * y; }
  friend constexpr bool operator==(dd_complex x, dd_complex y) { return x.re == y.re && x.im == y.im; }
};

constexpr dd_complex conj(dd_complex x) { return {x.re, -x.im}; }
constexpr dd_real real(dd_complex x) { return x.re; }
constexpr dd_real imag(dd_complex x) { return x.im; }

static_assert(sizeof(dd_complex) == 32 && std::is_trivially_copyable_v<dd_complex>);

}  // namespace hilo
