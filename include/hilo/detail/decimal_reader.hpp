// From text to the nearest dd_real, exactly: the reader behind from_chars, parse, >> and literals in text.hpp.
//
// A number is a quotient of two integers times a power of two. hi is its rounding to double, lo the rounding of
// what is left, which is again such a quotient (ratio.hpp). No floating-point operation decides a bit.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <hilo/dd_real.hpp>
#include <hilo/detail/big_integer.hpp>
#include <hilo/detail/ratio.hpp>
#include <limits>
#include <system_error>

namespace hilo::detail {

// A double as it is: dd_real(a) makes −0 of 0 where the rounding mode is down.
template <class T>
constexpr T word(double a) {
  if constexpr (std::same_as<T, double>) {
    return a;
  } else {
    return from_words({a, 0.0});
  }
}

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// The value of a digit, or 16.
constexpr unsigned digit_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  c = lower(c);
  return c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a' + 10) : 16u;
}

// first after the word, in either case, or first itself.
constexpr const char* skip_word(const char* first, const char* last, const char* word) {
  const char* p = first;
  for (; *word != '\0'; ++word, ++p)
    if (p == last || lower(*p) != *word) return first;
  return p;
}

// Collects digits into an integer: exactly up to 1400 of them (600 hexadecimal) after the leading zeros. The
// midpoints of adjacent dd_real are multiples of 2^-1075 below 2^1024 and have at most 1384 (525) digits, so that
// of the digits beyond only whether one is not zero matters.
class digit_collector {
 public:
  constexpr explicit digit_collector(unsigned base) : base_(base) {}

  constexpr void push(unsigned digit) {
    if (kept_ == 0 && digit == 0) return;
    if (kept_ == (base_ == 10 ? 1400 : 600)) {
      ++dropped_;
      is_inexact_ |= digit != 0;
      return;
    }
    ++kept_;
    chunk_ = chunk_ * base_ + digit;
    factor_ *= base_;
    if (factor_ >= 0xffffffffu / base_) flush();
  }

  /// The integer so far is value() · base^dropped(); up to the bits that do not matter.
  constexpr const big_integer& finish() {
    if (is_inexact_) {
      kept_ = 0;
      flush();
      push(1);
      --dropped_;
    }
    flush();
    return value_;
  }
  constexpr std::int64_t dropped() const { return dropped_; }

 private:
  constexpr void flush() {
    value_.multiply_add(factor_, chunk_);
    chunk_ = 0;
    factor_ = 1;
  }

  big_integer value_;
  unsigned base_;
  std::uint32_t chunk_ = 0, factor_ = 1;
  int kept_ = 0;
  std::int64_t dropped_ = 0;
  bool is_inexact_ = false;
};

// A signed decimal exponent at *p, saturated; p is left behind it, or where it was if there is none.
constexpr std::int64_t read_exponent(const char*& p, const char* last) {
  const char* q = p;
  bool negative = false;
  if (q != last && (*q == '+' || *q == '-')) negative = *q++ == '-';
  if (q == last || digit_value(*q) > 9) return 0;
  std::int64_t exponent = 0;
  for (; q != last && digit_value(*q) <= 9; ++q)
    if (exponent < 1000000000000000) exponent = exponent * 10 + digit_value(*q);
  p = q;
  return negative ? -exponent : exponent;
}

// integer · base^scale · 2^shift, where base is 10 or 16.
template <class T>
constexpr T scaled(const big_integer& integer, bool negative, bool is_hex, std::int64_t scale, std::int64_t shift) {
  const T zero = word<T>(negative ? -0.0 : 0.0);
  if (integer.is_zero()) return zero;
  ratio x{integer, big_integer(1), 0, negative};
  if (is_hex) shift += 4 * scale, scale = 0;
  // Both tests keep away what is surely out of range, before the integers outgrow their size.
  std::int64_t length = integer.bit_length();
  std::int64_t log_2 = length + shift + (scale < -100000 || scale > 100000 ? 4 * scale : scale * 33219 / 10000);
  if (log_2 > 1100) return word<T>(negative ? -infinite_double : infinite_double);
  if (log_2 < -1200) return zero;
  if (scale >= 0) {
    x.numerator.multiply_power_of_5(static_cast<int>(scale));
  } else {
    x.denominator.multiply_power_of_5(static_cast<int>(-scale));
  }
  x.exponent = static_cast<int>(shift + scale);
  const T value = nearest<T>(x);
  return value == zero ? zero : value;
}

// std::from_chars for T, a dd_real or a double; accepts a single ' between two digits where has_separators. Numbers
// below the least subnormal are rounded.
template <class T>
constexpr std::from_chars_result read_number(const char* first, const char* last, T& value, std::chars_format format,
                                             bool has_separators) {
  const bool is_hex = format == std::chars_format::hex;
  const char* p = first;
  bool negative = p != last && *p == '-';
  if (negative) ++p;

  if (p != last && (lower(*p) == 'i' || lower(*p) == 'n')) {
    if (const char* end = skip_word(p, last, "inf"); end != p) {
      value = word<T>(negative ? -infinite_double : infinite_double);
      return {skip_word(end, last, "inity"), std::errc()};
    }
    const char* end = skip_word(p, last, "nan");
    if (end == p) return {first, std::errc::invalid_argument};
    double nan = std::numeric_limits<double>::quiet_NaN();
    value = word<T>(negative ? -nan : nan);
    if (end != last && *end == '(') {
      const char* q = end + 1;
      auto is_tag = [](char c) { return digit_value(c) <= 9 || c == '_' || (lower(c) >= 'a' && lower(c) <= 'z'); };
      while (q != last && is_tag(*q)) ++q;
      if (q != last && *q == ')') end = q + 1;
    }
    return {end, std::errc()};
  }

  const unsigned base = is_hex ? 16 : 10;
  digit_collector digits(base);
  std::int64_t scale = 0;
  bool has_digits = false, has_point = false;
  for (; p != last; ++p) {
    if (unsigned d = digit_value(*p); d < base) {
      digits.push(d);
      has_digits = true;
      scale -= has_point;
    } else if (*p == '.' && !has_point) {
      has_point = true;
    } else if (!(has_separators && *p == '\'')) {
      break;
    }
  }
  if (!has_digits) return {first, std::errc::invalid_argument};

  std::int64_t exponent = 0;
  bool has_exponent = false;
  if (format != std::chars_format::fixed && p != last && lower(*p) == (is_hex ? 'p' : 'e')) {
    const char* q = p + 1;
    exponent = read_exponent(q, last);
    has_exponent = q != p + 1;
    if (has_exponent) p = q;
  }
  if (format == std::chars_format::scientific && !has_exponent) return {first, std::errc::invalid_argument};

  const big_integer& integer = digits.finish();
  scale += digits.dropped();
  const T x = is_hex ? scaled<T>(integer, negative, true, scale, exponent)
                     : scaled<T>(integer, negative, false, scale + exponent, 0);
  const double leading = static_cast<double>(x);
  if (leading == infinite_double || leading == -infinite_double) return {p, std::errc::result_out_of_range};
  value = x;
  return {p, std::errc()};
}

// [-] and a number, hexadecimal after 0x.
template <class T>
constexpr std::from_chars_result read_prefixed(const char* first, const char* last, T& value) {
  const bool negative = first != last && *first == '-';
  const char* const digits = first + negative;
  const char* const hex_digits = skip_word(digits, last, "0x");
  if (hex_digits == digits) return read_number(first, last, value, std::chars_format::general, false);
  if (hex_digits == last || !(*hex_digits == '.' || digit_value(*hex_digits) < 16))
    return {first, std::errc::invalid_argument};
  auto r = read_number(hex_digits, last, value, std::chars_format::hex, false);
  if (r.ec == std::errc::invalid_argument) r.ptr = first;
  if (r.ec == std::errc() && negative) value = -value;
  return r;
}

// hi+lo or hi-lo, each word as read_prefixed has it and rounded to the nearest double.
constexpr std::from_chars_result read_limbs(const char* first, const char* last, dd_real& value) {
  double hi = 0.0, lo = 0.0;
  const auto high = read_prefixed(first, last, hi);
  if (high.ec == std::errc::invalid_argument || high.ptr == last || !(*high.ptr == '+' || *high.ptr == '-'))
    return {first, std::errc::invalid_argument};
  const char* const sign = high.ptr;
  const char* const low_first = sign + (*sign == '+');
  if (low_first != last && *sign == '+' && *low_first == '-') return {first, std::errc::invalid_argument};
  const auto low = read_prefixed(low_first, last, lo);
  if (low.ec == std::errc::invalid_argument || !(hi - hi == 0.0) || !(lo - lo == 0.0))
    return {first, std::errc::invalid_argument};
  if (high.ec == std::errc() && low.ec == std::errc()) value = from_words({hi, lo});
  return {low.ptr, high.ec == std::errc() ? low.ec : high.ec};
}

}  // namespace hilo::detail
