// hilo::dd_complex: a complex number of two dd_real, its operators and its conversions. Functions are in
// complex_math.hpp.
#pragma once

#include <hilo/detail/sum_of_products.hpp>

namespace hilo {

struct dd_complex;

namespace detail {

// What takes part in complex arithmetic as a real number.
template <class T>
concept real_operand = std::same_as<T, dd_real> || real_scalar<T>;

// std::complex, and what looks like it.
template <class T>
concept other_complex = !std::same_as<T, dd_complex> && requires(const T& z) {
  typename T::value_type;
  { z.real() } -> std::convertible_to<dd_real>;
  { z.imag() } -> std::convertible_to<dd_real>;
};

}  // namespace detail

/// A complex double-double number, 32 bytes: re.hi, re.lo, im.hi, im.lo.
///
/// Each part of a sum errs by at most 3u² + 13u³ of itself; of a product by at most 8u² + 14u³ of the sum of the
/// magnitudes of its two terms (not of the part itself, which may cancel: multiply_accurate); of a quotient by at most
/// u²/2 + 2^-7 u² of itself, or 2^-1075, and exact where its value has at most 106 bits. A real operand takes part as
/// one, without an imaginary zero.
///
/// Nothing overflows on the way: a part of a product or quotient of finite numbers is infinite only where its own value
/// is beyond the range. Infinities behave as C's Annex G asks: what has an infinite part is infinite, even if the other
/// part is NaN, and times a number that is not zero it stays so.
struct dd_complex {
  dd_real re, im;

  using value_type = dd_real;

  /// Zero.
  constexpr dd_complex() = default;
  constexpr dd_complex(dd_real real_part, dd_real imaginary_part = dd_real(0)) : re(real_part), im(imaginary_part) {}
  template <detail::real_scalar T>
  constexpr dd_complex(T x) : re(x), im(0) {}

  /// From std::complex<double>, std::complex<dd_real> and their like: exact.
  template <detail::other_complex T>
  constexpr dd_complex(const T& z) : re(z.real()), im(z.imag()) {}
  /// To std::complex<dd_real>, and explicitly, each part rounded, to std::complex<double> and their like.
  template <detail::other_complex T>
  requires std::constructible_from<T, typename T::value_type, typename T::value_type>
  explicit(!std::same_as<typename T::value_type, dd_real>) constexpr operator T() const {
    return T(static_cast<typename T::value_type>(re), static_cast<typename T::value_type>(im));
  }

  /// x · y with the bits of the operator where these are finite; NaN or Inf where a term overflows or an operand is not
  /// finite. Free of branches, so that loops vectorise, which the operator prevents.
  static constexpr dd_complex multiply_finite(dd_complex x, dd_complex y) {
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
  }

  constexpr dd_real real() const { return re; }
  constexpr dd_real imag() const { return im; }
  constexpr void real(dd_real x) { re = x; }
  constexpr void imag(dd_real x) { im = x; }

  friend constexpr dd_complex operator+(dd_complex x) { return x; }
  friend constexpr dd_complex operator-(dd_complex x) { return {-x.re, -x.im}; }

  friend constexpr dd_complex operator+(dd_complex x, dd_complex y) { return {x.re + y.re, x.im + y.im}; }
  friend constexpr dd_complex operator-(dd_complex x, dd_complex y) { return {x.re - y.re, x.im - y.im}; }
  friend constexpr dd_complex operator*(dd_complex x, dd_complex y);
  friend constexpr dd_complex operator/(dd_complex x, dd_complex y);
  friend constexpr bool operator==(dd_complex x, dd_complex y) { return x.re == y.re && x.im == y.im; }

  template <detail::real_operand T>
  friend constexpr dd_complex operator+(dd_complex x, T y) {
    return {x.re + y, x.im};
  }
  template <detail::real_operand T>
  friend constexpr dd_complex operator+(T x, dd_complex y) {
    return {x + y.re, y.im};
  }
  template <detail::real_operand T>
  friend constexpr dd_complex operator-(dd_complex x, T y) {
    return {x.re - y, x.im};
  }
  template <detail::real_operand T>
  friend constexpr dd_complex operator-(T x, dd_complex y) {
    return {x - y.re, -y.im};
  }
  template <detail::real_operand T>
  friend constexpr dd_complex operator*(dd_complex x, T y) {
    return {x.re * y, x.im * y};
  }
  template <detail::real_operand T>
  friend constexpr dd_complex operator*(T x, dd_complex y) {
    return {x * y.re, x * y.im};
  }
  template <detail::real_operand T>
  friend constexpr dd_complex operator/(dd_complex x, T y) {
    return {x.re / y, x.im / y};
  }
  template <detail::real_operand T>
  friend constexpr dd_complex operator/(T x, dd_complex y) {
    return divide(dd_real(x), y);
  }
  template <detail::real_operand T>
  friend constexpr bool operator==(dd_complex x, T y) {
    return x.re == y && x.im == dd_real(0);
  }

  constexpr dd_complex& operator+=(const auto& y) { return *this = *this + y; }
  constexpr dd_complex& operator-=(const auto& y) { return *this = *this - y; }
  constexpr dd_complex& operator*=(const auto& y) { return *this = *this * y; }
  constexpr dd_complex& operator/=(const auto& y) { return *this = *this / y; }

  // clang-format off
  HILO_IN_COMPLEX_MATH(sqrt) HILO_IN_COMPLEX_MATH(exp) HILO_IN_COMPLEX_MATH(log) HILO_IN_COMPLEX_MATH(abs)
  HILO_IN_COMPLEX_MATH(arg) HILO_IN_COMPLEX_MATH(norm) HILO_IN_COMPLEX_MATH(sin) HILO_IN_COMPLEX_MATH(cos)
  HILO_IN_COMPLEX_MATH(tan) HILO_IN_COMPLEX_MATH(sinh) HILO_IN_COMPLEX_MATH(cosh) HILO_IN_COMPLEX_MATH(tanh)
  HILO_STREAMS_IN_TEXT(dd_complex);
  // clang-format on

 private:
  // With the imaginary part of x zero, but without its sign.
  static constexpr dd_complex divide(dd_real x, dd_complex y);
};

static_assert(sizeof(dd_complex) == 32 && std::is_trivially_copyable_v<dd_complex>);

constexpr dd_complex conj(dd_complex x) { return {x.re, -x.im}; }
constexpr dd_real real(dd_complex x) { return x.re; }
constexpr dd_real imag(dd_complex x) { return x.im; }
/// x itself. (std::conj of a real number is complex; Eigen, and generic code over both, needs the number.)
constexpr dd_real conj(dd_real x) { return x; }
// Of a real number, as in <complex>.
template <detail::real_operand T>
constexpr dd_real real(T x) {
  return x;
}
template <detail::real_operand T>
constexpr dd_real imag(T) {
  return 0;
}

namespace detail {

constexpr bool is_finite(dd_real x) { return is_finite(x.hi); }
constexpr bool is_finite(dd_complex x) { return is_finite(x.re.hi) && is_finite(x.im.hi); }
constexpr bool is_infinite(dd_real x) { return isinf(x); }
constexpr bool is_infinite(dd_complex x) { return isinf(x.re) || isinf(x.im); }
constexpr bool is_nan(dd_real x) { return isnan(x); }
constexpr bool is_nan(dd_complex x) { return isnan(x.re) && isnan(x.im); }
constexpr bool is_zero(dd_complex x) { return x.re.hi == 0.0 && x.im.hi == 0.0; }

// ±1 for infinite words, ±0 for others: an infinite number's direction.
constexpr dd_real direction(dd_real x) { return copysign(dd_real(isinf(x) ? 1 : 0), x); }
constexpr dd_complex direction(dd_complex x) { return {direction(x.re), direction(x.im)}; }
// NaN becomes a zero of the same sign.
constexpr dd_complex without_nan(dd_complex x) {
  return {isnan(x.re) ? copysign(dd_real(0), x.re) : x.re, isnan(x.im) ? copysign(dd_real(0), x.im) : x.im};
}

constexpr dd_complex multiply_by_terms(dd_complex x, dd_complex y) { return dd_complex::multiply_finite(x, y); }
constexpr dd_complex multiply_by_terms(dd_real x, dd_complex y) { return x * y; }

constexpr dd_complex round_products(dd_complex x, dd_complex y) {
  Wide re = sum_of_products(x.re, y.re, -x.im, y.im), im = sum_of_products(x.re, y.im, x.im, y.re);
  if (re.is_zero()) re.is_negative = is_negative_zero(x.re, y.re, -x.im, y.im);
  if (im.is_zero()) im.is_negative = is_negative_zero(x.re, y.im, x.im, y.re);
  return {to_dd_real(re), to_dd_real(im)};
}

// x · y where its parts by terms are not both finite: C23, Annex G.5.1.
[[gnu::noinline, gnu::cold]] constexpr dd_complex multiply_special(dd_complex x, dd_complex y) {
  if (is_finite(x) && is_finite(y)) return round_products(x, y);
  dd_complex r = dd_complex::multiply_finite(x, y);
  if (!isnan(r.re) || !isnan(r.im) || !(is_infinite(x) || is_infinite(y))) return r;
  if (is_infinite(x)) x = direction(x), y = without_nan(y);
  if (is_infinite(y)) y = direction(y), x = without_nan(x);
  constexpr dd_real infinity = std::numeric_limits<dd_real>::infinity();
  return infinity * dd_complex::multiply_finite(x, y);
}

// conj(y) / |y|², on 128 bits, whose exponents do not overflow: |y|^-2, by which the parts of x · conj(y) are
// multiplied.
constexpr Wide inverse_norm(dd_complex y) {
  Wide c(y.re), d(y.im);
  return Wide(1) / (c * c + d * d);
}

constexpr dd_complex divide_finite(dd_complex x, dd_complex y) {
  Wide inverse = inverse_norm(y), re = sum_of_products(x.re, y.re, x.im, y.im) * inverse;
  Wide im = sum_of_products(x.im, y.re, -x.re, y.im) * inverse;
  if (re.is_zero()) re.is_negative = is_negative_zero(x.re, y.re, x.im, y.im);
  if (im.is_zero()) im.is_negative = is_negative_zero(x.im, y.re, -x.re, y.im);
  return {to_dd_real(without_noise(re)), to_dd_real(without_noise(im))};
}
constexpr dd_complex divide_finite(dd_real x, dd_complex y) {
  Wide inverse = inverse_norm(y), re = Wide(x) * Wide(y.re) * inverse, im = Wide(x) * Wide(y.im) * inverse;
  re.is_negative = signbit(x) != signbit(y.re);
  im.is_negative = signbit(x) == signbit(y.im);
  return {to_dd_real(without_noise(re)), to_dd_real(without_noise(im))};
}

// x / y where y is zero or a part is not finite: C23, Annex G.5.1.
template <class Number>
[[gnu::noinline, gnu::cold]] constexpr dd_complex divide_special(Number x, dd_complex y) {
  constexpr dd_real infinity = std::numeric_limits<dd_real>::infinity();
  if (is_zero(y) && !is_nan(x)) {
    dd_real pole = copysign(infinity, y.re);
    return pole * dd_complex(x);
  }
  dd_real scale = 1;
  if (is_infinite(x) && is_finite(y)) {
    x = direction(x);
    scale = infinity;
  } else if (is_infinite(y) && is_finite(x)) {
    y = direction(y);
    scale = 0;
  } else if (is_infinite(x)) {
    scale = std::numeric_limits<dd_real>::quiet_NaN();
  }
  return scale * multiply_by_terms(x, conj(y));
}

template <class Number>
constexpr dd_complex divide(Number x, dd_complex y) {
  return is_finite(x) && is_finite(y) && !is_zero(y) ? divide_finite(x, y) : divide_special(x, y);
}

}  // namespace detail

constexpr dd_complex operator*(dd_complex x, dd_complex y) {
  dd_complex r = dd_complex::multiply_finite(x, y);
  if (!detail::is_finite(r)) [[unlikely]]
    return detail::multiply_special(x, y);
  return r;
}
constexpr dd_complex operator/(dd_complex x, dd_complex y) { return detail::divide(x, y); }
constexpr dd_complex dd_complex::divide(dd_real x, dd_complex y) { return detail::divide(x, y); }

/// x · y with each part rounded from its exact value, under any cancellation: u²/2 + 2^-7 u² of the part, or 2^-1075.
constexpr dd_complex multiply_accurate(dd_complex x, dd_complex y) {
  return detail::is_finite(x) && detail::is_finite(y) ? detail::round_products(x, y) : x * y;
}

}  // namespace hilo
