// Text of dd_real, correctly rounded both ways and independent of the locale: from_chars, to_chars, parse, to_string,
// to_hex_string, to_limb_string, stream operators, and the literal 1.1_dd. docs/text.md tells the rules; fmt.hpp and
// format.hpp have the formatters. A std::string that finds no memory throws std::bad_alloc; nothing else allocates.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <hilo/dd_real.hpp>
#include <hilo/detail/decimal_reader.hpp>
#include <hilo/detail/decimal_writer.hpp>
#include <hilo/error.hpp>
#include <iosfwd>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

namespace hilo {

struct dd_complex;

/// Reads the longest number at the start of [first, last) as std::from_chars does: no leading white space, no +;
/// inf, infinity and nan in either case; format hex reads hexadecimal digits without 0x. The value is hi = RN(x),
/// lo = RN(x − hi) of the exact x, ties to even, for any number of digits and any exponent. Numbers below the
/// least subnormal round to it or to zero.
///
/// ec: invalid_argument where there is no number; result_out_of_range where hi or lo would overflow. In both cases
/// value is unchanged. Time is linear in the length.
constexpr std::from_chars_result from_chars(const char* first, const char* last, dd_real& value,
                                            std::chars_format format = std::chars_format::general) {
  return detail::read_number(first, last, value, format, false);
}

/// Writes the fewest digits from which from_chars gets the same number back, in the shorter of fixed and scientific
/// notation. Numbers with a gap between hi and lo need many: 1 + 2^-1000 has 318.
/// ec: value_too_large where the text does not fit; [first, last) is then unspecified.
inline std::to_chars_result to_chars(char* first, char* last, dd_real value) {
  return detail::write_number(first, last, value, {});
}

/// The same in a given notation; hex writes the exact value, as %a of printf without 0x.
inline std::to_chars_result to_chars(char* first, char* last, dd_real value, std::chars_format format) {
  return detail::write_number(first, last, value, {format});
}

/// What printf would write with %.*e, %.*f, %.*g or %.*a (without 0x): the exact value hi + lo rounded to nearest,
/// ties to even. A negative precision means 6.
inline std::to_chars_result to_chars(char* first, char* last, dd_real value, std::chars_format format, int precision) {
  return detail::write_number(first, last, value, {format, precision < 0 ? 6 : precision});
}

/// The number that the whole of text denotes: what from_chars reads, also with a leading +; after 0x, in hexadecimal;
/// and hi+lo as to_limb_string writes it. Throws error(errc::parse), naming the text and what is wrong with it.
inline dd_real parse(std::string_view text) {
  auto fail = [&](const char* reason) {
    constexpr std::size_t shown = 40;
    std::string excerpt(text.substr(0, shown));
    for (char& c : excerpt)
      if (static_cast<unsigned char>(c) < 32 || c == 127) c = '?';
    if (text.size() > shown) excerpt += "... (" + std::to_string(text.size()) + " characters)";
    throw error(errc::parse, "not a number: \"" + excerpt + "\": " + reason);
  };
  if (text.empty()) fail("the text is empty");
  const char* const last = text.data() + text.size();
  const char* first = text.data();
  if (*first == '+' && text.size() > 1 && text[1] != '-') ++first;
  dd_real value{};
  auto r = detail::read_prefixed(first, last, value);
  if (r.ec == std::errc::invalid_argument) fail("it does not begin with a number");
  if (r.ptr != last && (*r.ptr == '+' || *r.ptr == '-'))
    if (const auto limbs = detail::read_limbs(first, last, value); limbs.ec != std::errc::invalid_argument) {
      r = limbs;
      if (r.ptr == last && r.ec == std::errc() && !detail::is_canonical(value))
        fail("as hi+lo its words overlap: hi is not the double nearest to their sum");
    }
  if (r.ptr != last) fail(*r.ptr == ',' ? "a comma; the decimal point is a point" : "characters after the number");
  if (r.ec != std::errc()) fail("it is out of the range of double-double numbers, about 1.8e308");
  return value;
}

/// The fewest digits from which parse gets the same number back, as to_chars writes them.
inline std::string to_string(dd_real x) {
  // At most 1383 digits, leading zeros or an exponent, point and sign.
  char text[1500];
  return {text, to_chars(text, text + sizeof text, x).ptr};
}

/// x rounded to so many significant digits, at least 1, without trailing zeros: %.*g of printf.
inline std::string to_string(dd_real x, int significant_digits) {
  char text[1500];
  const int digits = significant_digits < 1 ? 1 : significant_digits;
  return {text, to_chars(text, text + sizeof text, x, std::chars_format::general, digits).ptr};
}

/// The exact value in hexadecimal: 0x and what to_chars writes. parse reads it back.
inline std::string to_hex_string(dd_real x) {
  // At most 525 digits.
  char text[600];
  const detail::number_text digits(x, {std::chars_format::hex});
  detail::bounded_writer out(text, text + sizeof text);
  if (digits.is_negative()) out.put('-');
  if (digits.is_finite()) digits.write_hex_prefix(out);
  digits.write_to(out);
  return {text, out.result().ptr};
}

/// The two words as hi+lo or hi-lo, as in 1+1e-300, each in the fewest digits from which it is read back as a double,
/// in a given notation or, without one, in the shorter of fixed and scientific. Short however far lo lies below hi.
/// parse reads it back; other readers round the decimal sum differently, but not the hexadecimal one.
inline std::string to_limb_string(dd_real x, std::chars_format format = {}) {
  char text[900];
  const detail::number_text limbs(x, {.notation = format, .is_limbs = true});
  detail::bounded_writer out(text, text + sizeof text);
  if (limbs.is_negative()) out.put('-');
  if (limbs.is_hex()) limbs.write_hex_prefix(out);
  limbs.write_to(out);
  return {text, out.result().ptr};
}

namespace detail {

// What an exception on the way makes of a stream, called where it is caught: badbit, and the exception goes on only
// where stream.exceptions() asks for it.
template <class Stream>
void set_bad(Stream& stream) {
  try {
    stream.setstate(Stream::badbit);
  } catch (...) {
    // Its own exception, of which the one that is being handled takes the place.
  }
  if ((stream.exceptions() & Stream::badbit) != 0) throw;
}

// Text goes to a stream buffer, until that takes no more or throws.
template <class Buffer>
class stream_writer {
 public:
  explicit stream_writer(Buffer& buffer) : buffer_(buffer) {}
  void put(char c) { fill(1, c); }
  void fill(std::int64_t count, char c) {
    using traits = typename Buffer::traits_type;
    try {
      for (; count > 0 && !has_failed_; --count) has_failed_ = traits::eq_int_type(buffer_.sputc(c), traits::eof());
    } catch (...) {
      has_failed_ = true;
    }
  }
  bool has_failed() const { return has_failed_; }

 private:
  Buffer& buffer_;
  bool has_failed_ = false;
};

// What the stream's flags and precision ask of a number.
template <class Traits>
number_format format_of(const std::basic_ostream<char, Traits>& stream) {
  using base = std::basic_ostream<char, Traits>;
  const auto flags = stream.flags();
  const auto notation = flags & base::floatfield;
  number_format format{.notation = std::chars_format::general, .precision = stream.precision()};
  format.keeps_point = format.keeps_zeros = (flags & base::showpoint) != 0;
  format.is_uppercase = (flags & base::uppercase) != 0;
  if (notation == base::fixed) format.notation = std::chars_format::fixed;
  if (notation == base::scientific) format.notation = std::chars_format::scientific;
  if (notation == base::floatfield) format.notation = std::chars_format::hex;
  if (format.precision < 0) format.precision = 6;
  if (constexpr std::int64_t most = std::int64_t{1} << 40; format.precision > most) format.precision = most;
  if (format.notation == std::chars_format::hex) format.precision = -1;
  return format;
}

// A number's sign, or 0 where none is written.
inline char sign_of(const number_text& text, bool shows_plus) {
  return text.is_negative() ? '-' : shows_plus ? '+' : '\0';
}
inline std::int64_t size_of(const number_text& text, char sign) {
  return (sign != '\0') + 2 * std::int64_t{text.is_hex()} + text.size();
}

}  // namespace detail

/// What the stream would write for a double of this value: precision, width, fill, adjustment and all flags of
/// floating-point numbers; always with a point and without groups of digits, whatever the locale.
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& stream, dd_real x) {
  using base = std::basic_ostream<char, Traits>;
  typename base::sentry is_ready(stream);
  if (!is_ready) return stream;
  const detail::number_text text(x, detail::format_of(stream));
  const char sign = detail::sign_of(text, (stream.flags() & base::showpos) != 0);
  const auto adjustment = stream.flags() & base::adjustfield;
  const std::int64_t padding = std::int64_t{stream.width(0)} - detail::size_of(text, sign);
  detail::stream_writer out(*stream.rdbuf());
  const char fill = stream.fill();
  if (adjustment != base::left && adjustment != base::internal) out.fill(padding, fill);
  if (sign != '\0') out.put(sign);
  // The standard puts internal padding behind the sign, and behind 0x only where there is no sign.
  if (adjustment == base::internal && (sign != '\0' || !text.is_hex())) out.fill(padding, fill);
  if (text.is_hex()) text.write_hex_prefix(out);
  if (adjustment == base::internal && sign == '\0' && text.is_hex()) out.fill(padding, fill);
  text.write_to(out);
  if (adjustment == base::left) out.fill(padding, fill);
  if (out.has_failed()) stream.setstate(base::badbit);
  return stream;
}

/// (re,im), the width being that of the whole, as for std::complex.
template <class Traits, std::same_as<dd_complex> Complex>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& stream, const Complex& z) {
  using base = std::basic_ostream<char, Traits>;
  typename base::sentry is_ready(stream);
  if (!is_ready) return stream;
  const bool shows_plus = (stream.flags() & base::showpos) != 0;
  const detail::number_text re(z.re, detail::format_of(stream)), im(z.im, detail::format_of(stream));
  const char re_sign = detail::sign_of(re, shows_plus), im_sign = detail::sign_of(im, shows_plus);
  const std::int64_t padding =
      std::int64_t{stream.width(0)} - 3 - detail::size_of(re, re_sign) - detail::size_of(im, im_sign);
  const bool is_left = (stream.flags() & base::adjustfield) == base::left;
  detail::stream_writer out(*stream.rdbuf());
  auto write = [&](const detail::number_text& text, char sign) {
    if (sign != '\0') out.put(sign);
    if (text.is_hex()) text.write_hex_prefix(out);
    text.write_to(out);
  };
  if (!is_left) out.fill(padding, stream.fill());
  out.put('(');
  write(re, re_sign);
  out.put(',');
  write(im, im_sign);
  out.put(')');
  if (is_left) out.fill(padding, stream.fill());
  if (out.has_failed()) stream.setstate(base::badbit);
  return stream;
}

/// Skips white space and reads what from_chars reads, also with a leading +, up to the first character that cannot
/// continue it; the point is a point, whatever the locale. On failure failbit is set and x is 0 where there is no
/// number, ±numeric_limits::max() where it is out of range, as for double. An exception, of the buffer or for want of
/// memory, sets badbit and leaves x; it goes on where the stream's exceptions() say so.
template <class Traits>
std::basic_istream<char, Traits>& operator>>(std::basic_istream<char, Traits>& stream, dd_real& x) {
  using base = std::basic_istream<char, Traits>;
  typename base::sentry is_ready(stream);
  if (!is_ready) return stream;
  auto* const buffer = stream.rdbuf();
  std::string token;
  auto state = base::goodbit;
  int c = 0;
  auto next_is = [&](auto&& accepts) {
    auto got = buffer->sgetc();
    if (Traits::eq_int_type(got, Traits::eof())) {
      state |= base::eofbit;
      return false;
    }
    c = static_cast<unsigned char>(Traits::to_char_type(got));
    return static_cast<bool>(accepts(detail::lower(static_cast<char>(c))));
  };
  auto take_while = [&](auto&& accepts, std::size_t most) {
    std::size_t taken = 0;
    for (; taken < most && next_is(accepts); ++taken) {
      token += static_cast<char>(c);
      buffer->sbumpc();
    }
    return taken;
  };
  auto is_sign = [](char ch) { return ch == '+' || ch == '-'; };
  auto is_digit = [](char ch) { return ch >= '0' && ch <= '9'; };
  auto is_letter = [](char ch) { return ch >= 'a' && ch <= 'z'; };

  constexpr auto unlimited = static_cast<std::size_t>(-1);
  try {
    take_while(is_sign, 1);
    if (take_while(is_letter, 8) == 0) {
      take_while(is_digit, unlimited);
      if (take_while([](char ch) { return ch == '.'; }, 1) != 0) take_while(is_digit, unlimited);
      if (take_while([](char ch) { return ch == 'e'; }, 1) != 0) {
        take_while(is_sign, 1);
        take_while(is_digit, unlimited);
      }
    }
  } catch (...) {
    detail::set_bad(stream);
    return stream;
  }

  const char* const last = token.data() + token.size();
  const char* const first = token.data() + token.starts_with('+');
  dd_real value{};
  auto r = token.starts_with("+-") ? std::from_chars_result{first, std::errc::invalid_argument}
                                   : from_chars(first, last, value);
  if (r.ptr != last || r.ec != std::errc()) {
    state |= base::failbit;
    value = {};
    if (r.ptr == last && r.ec == std::errc::result_out_of_range) {
      value = std::numeric_limits<dd_real>::max();
      if (*first == '-') value = -value;
    }
  }
  x = value;
  stream.setstate(state);
  return stream;
}

inline namespace literals {

/// 1.1_dd: the number nearest to 1.1, ties to even, found while compiling. Decimal or hexadecimal, with digit
/// separators; binary and octal literals, and those out of range, do not compile.
consteval dd_real operator""_dd(const char* text) {
  const std::string_view s(text);
  const bool is_hex = s.starts_with("0x") || s.starts_with("0X");
  if (s.starts_with("0b") || s.starts_with("0B")) throw "_dd takes decimal and hexadecimal literals, not binary ones";
  if (s.size() > 1 && s[0] == '0' && s.find_first_not_of("01234567'") == s.npos)
    throw "_dd takes decimal and hexadecimal literals, not octal ones";
  dd_real value{};
  auto r = detail::read_number(text + (is_hex ? 2 : 0), text + s.size(), value,
                               is_hex ? std::chars_format::hex : std::chars_format::general, true);
  if (r.ec == std::errc::result_out_of_range) throw "the literal is out of the range of double-double numbers";
  if (r.ec != std::errc() || r.ptr != text + s.size()) throw "the literal is not a number";
  return value;
}

}  // namespace literals

}  // namespace hilo
