// Boost.Multiprecision's numbers and hilo's: conversions with correct rounding, whatever the backend.
#pragma once

#include <bit>
#include <boost/multiprecision/number.hpp>
#include <cstdint>
#include <hilo/dd_real.hpp>
#include <hilo/error.hpp>
#include <hilo/math/basic.hpp>
#include <hilo/text.hpp>
#include <ios>
#include <limits>
#include <string>
#include <type_traits>

namespace hilo {

namespace detail {

template <class T>
concept boost_number = ::boost::multiprecision::is_number<T>::value;
template <class T>
concept boost_expression = ::boost::multiprecision::is_number_expression<T>::value;
template <class Number>
inline constexpr int boost_kind = ::boost::multiprecision::number_category<Number>::value;

// hi + lo rounded once to `bits` >= 1 bits, ties to even, so that all that Boost does with the words is exact: its own
// sums and conversions are not always rounded to nearest (1.74). Inf for 2^1024. Precondition: x is finite.
constexpr dd_real rounded_to_bits(dd_real x, long bits) {
  if (x.hi == 0.0 || bits >= 2098) return x;
  int unit = exponent(x) - static_cast<int>(bits) + 1;
  if (bits > 53) {
    // hi is an even multiple of the unit, and lo decides. From 2^52 units on it has no fraction.
    double units = scale_double(x.lo, -unit);
    if (!(__builtin_fabs(units) < 0x1p52)) return x;
    return dd_real::sum(x.hi, scale_double(rint(dd_real(units)).hi, unit));
  }
  // hi/2^unit has at most 53 bits, of which those behind the point and lo are what is rounded.
  double units = scale_double(x.hi, -unit);
  double lower = scale_double(x.lo, -unit);
  if (lower == 0.0) lower = x.lo > 0.0 ? 0x1p-1074 : x.lo < 0.0 ? -0x1p-1074 : 0.0;
  return dd_real(scale_double(rint(dd_real(units, lower)).hi, unit));
}

// The bits of r, a binary floating-point number; more than any dd_real needs where only the number itself knows.
template <class Number>
constexpr long boost_bits(const Number& r) {
  if constexpr (requires { r.backend().data()->_mpfr_prec; }) {
    return static_cast<long>(r.backend().data()->_mpfr_prec);
  } else {
    constexpr long digits = std::numeric_limits<Number>::digits;
    return digits > 0 ? digits : 2098;  // mpf_float has 0
  }
}

inline std::string boost_text(dd_real x, std::chars_format format, int precision) {
  std::string text(350 + static_cast<std::size_t>(precision), '\0');
  text.resize(static_cast<std::size_t>(to_chars(text.data(), text.data() + text.size(), x, format, precision).ptr -
                                       text.data()));
  return text;
}

// The digits of |x|, nearest first, in groups of 32 bits; ldexp, the conversion of the integer part and the subtraction
// are exact.
template <class Number>
std::string boost_hex_digits(const Number& x) {
  typename Number::backend_type::exponent_type exponent;
  Number rest = frexp(x, &exponent);
  if (rest < 0) rest = -rest;
  std::string text = "0.";
  while (rest != 0) {
    rest = ldexp(rest, 32);
    auto digits = rest.template convert_to<std::uint32_t>();
    rest -= digits;
    for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[digits >> shift & 15];
  }
  return text + "p" + std::to_string(exponent);
}

// The digits of |x|, rational: 1140 bits behind the point, then a digit that tells whether that is all. The last bit of
// a dd_real has the weight 2^-1074.
template <class Number>
std::string boost_quotient_digits(const Number& x) {
  auto divisor = denominator(x);
  decltype(divisor) dividend = numerator(x);
  if (dividend < 0) dividend = -dividend;
  dividend <<= 1140;
  decltype(divisor) quotient = dividend / divisor;
  dividend %= divisor;
  return quotient.str(0, std::ios_base::hex) + (dividend == 0 ? "0" : "1") + "p-1144";
}

// The value of text, Inf where it is out of range.
inline dd_real boost_value(const std::string& text, std::chars_format format) {
  dd_real value{};
  auto r = from_chars(text.data(), text.data() + text.size(), value, format);
  return r.ec == std::errc::result_out_of_range ? std::numeric_limits<dd_real>::infinity() : value;
}

}  // namespace detail

/// x as a number<…>, say to_boost<boost::multiprecision::cpp_bin_float_100>(x).
///
/// Binary floating-point numbers (cpp_bin_float, mpfr_float, float128, …) are exact where their precision suffices and
/// rounded once where it does not, ties to even; mpf_float, whose precision is a lower bound, truncates. Decimal ones
/// (cpp_dec_float) get max_digits10 correctly rounded digits. Integers are truncated, rational numbers exact; both, and
/// GMP's floating-point numbers, throw hilo::error (invalid_argument) for Inf and NaN.
template <detail::boost_number Number>
Number to_boost(dd_real x) {
  namespace multiprecision = ::boost::multiprecision;
  using limits = std::numeric_limits<Number>;
  if constexpr (detail::boost_kind<Number> != multiprecision::number_kind_floating_point) {
    static_assert(
        detail::boost_kind<Number> == multiprecision::number_kind_integer ||
            detail::boost_kind<Number> == multiprecision::number_kind_rational,
        "hilo::to_boost: real numbers, integers and rational numbers only; convert the parts of complex ones");
    if (!isfinite(x)) throw error(errc::invalid_argument, "to_boost: x = " + to_string(x) + " is not finite");
    if constexpr (detail::boost_kind<Number> == multiprecision::number_kind_integer) {
      const dd_real whole = trunc(x);
      // Of zero the sign is no number's.
      return whole == dd_real(0) ? Number(0) : Number(detail::boost_text(whole, std::chars_format::fixed, 0));
    } else {
      Number r(x.hi);
      r += Number(x.lo);
      return r;
    }
  } else if constexpr (limits::is_specialized && limits::radix == 10) {
    if (isnan(x)) return limits::quiet_NaN();
    if (isinf(x)) return signbit(x) ? Number(-limits::infinity()) : limits::infinity();
    return Number(detail::boost_text(x, std::chars_format::scientific, limits::max_digits10 - 1));
  } else {
    // Those of MPFR with a precision of their own have no limits.
    constexpr bool is_mpfr = requires(const Number& n) { n.backend().data()->_mpfr_prec; };
    if constexpr (!limits::has_infinity && !is_mpfr) {
      if (!isfinite(x)) throw error(errc::invalid_argument, "to_boost: x = " + to_string(x) + " is not finite");
    }
    Number r(x.hi);
    if (!isfinite(x)) return r;
    bool is_negative = signbit(x);
    x = detail::rounded_to_bits(x, detail::boost_bits(r));
    if (isinf(x)) return ldexp(Number(is_negative ? -1 : 1), 1024);
    r = Number(x.hi);
    if (x.lo != 0.0) r += Number(x.lo);
    return r;
  }
}

/// hi = RN(x), lo = RN(x − hi), ties to even, of any real number<…>: floating-point, integer or rational; exact where x
/// is a dd_real. Where lo comes to half a unit of an odd hi, the same sum is stored with the even neighbour as hi.
/// Numbers beyond max() become Inf, those below the least subnormal double round to it or to a zero of their sign.
template <detail::boost_number Number>
dd_real from_boost(const Number& x) {
  namespace multiprecision = ::boost::multiprecision;
  dd_real magnitude{};
  bool is_negative = x < 0;
  if constexpr (detail::boost_kind<Number> == multiprecision::number_kind_integer) {
    std::string text = x.str();
    magnitude = detail::boost_value(text.substr(is_negative), std::chars_format::general);
  } else if constexpr (detail::boost_kind<Number> == multiprecision::number_kind_rational) {
    magnitude = detail::boost_value(detail::boost_quotient_digits(x), std::chars_format::hex);
  } else {
    static_assert(detail::boost_kind<Number> == multiprecision::number_kind_floating_point,
                  "hilo::from_boost: real numbers only; convert the parts of complex ones");
    using limits = std::numeric_limits<Number>;
    is_negative = signbit(x) != 0;
    if (isnan(x)) return std::numeric_limits<dd_real>::quiet_NaN();
    if (isinf(x)) {
      magnitude = std::numeric_limits<dd_real>::infinity();
    } else if constexpr (limits::is_specialized && limits::radix == 10) {
      std::string text = x.str(limits::max_digits10, std::ios_base::scientific);
      magnitude = detail::boost_value(text.substr(text[0] == '-'), std::chars_format::general);
    } else {
      magnitude = detail::boost_value(detail::boost_hex_digits(x), std::chars_format::hex);
    }
  }
  return is_negative ? -magnitude : magnitude;
}

/// The same of an expression template, such as a * b.
template <detail::boost_expression Expression>
dd_real from_boost(const Expression& x) {
  return from_boost(typename Expression::result_type(x));
}

}  // namespace hilo
