// From dd_real to text, exactly: the writer behind to_chars, to_string, << and the formatters. It lays out the digits
// that decimal_digits.hpp finds.
#pragma once

#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <hilo/dd_real.hpp>
#include <hilo/detail/decimal_digits.hpp>
#include <hilo/detail/ratio.hpp>
#include <system_error>

namespace hilo::detail {

// Text is written to anything with put(char) and fill(count, char). This is a range of characters, which stays within
// its bounds and remembers whether it had to.
class bounded_writer {
 public:
  bounded_writer(char* first, char* last) : next_(first), last_(last) {}

  void put(char c) { fill(1, c); }
  void fill(std::int64_t count, char c) {
    if (last_ - next_ < count) {
      is_full_ = true;
      count = last_ - next_;
    }
    for (; count > 0; --count) *next_++ = c;
  }
  std::to_chars_result result() const {
    return is_full_ ? std::to_chars_result{last_, std::errc::value_too_large}
                    : std::to_chars_result{next_, std::errc()};
  }

 private:
  char* next_;
  char* last_;
  bool is_full_ = false;
};

class counting_writer {
 public:
  void put(char) { ++count_; }
  void fill(std::int64_t count, char) { count_ += count > 0 ? count : 0; }
  std::int64_t count() const { return count_; }

 private:
  std::int64_t count_ = 0;
};

template <class Out>
class uppercase_writer {
 public:
  explicit uppercase_writer(Out& out) : out_(out) {}
  void put(char c) { out_.put(c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c); }
  void fill(std::int64_t count, char c) { out_.fill(count, c); }

 private:
  Out& out_;
};

struct number_format {
  std::chars_format notation = std::chars_format();  // none: the shorter of fixed and scientific
  std::int64_t precision = -1;                       // negative: the fewest digits that identify the number
  bool keeps_point = false;                          // even with no digit behind it
  bool keeps_zeros = false;                          // of general notation, at the end
  bool is_limbs = false;                             // hi+lo, each in the fewest digits of a double
  bool is_uppercase = false;
};

inline bool is_negative(dd_real x) { return std::bit_cast<std::uint64_t>(x.hi) >> 63 != 0; }

// Words that a caller made up may not be canonical; they have a value all the same.
inline dd_real canonical(dd_real x) {
  if (x.lo == 0.0) return x;
  if (!(x.hi - x.hi == 0.0) || !(x.lo - x.lo == 0.0)) return from_words({x.hi + x.lo, 0.0});
  return is_canonical(x) ? x : nearest_sum(x.hi, x.lo);
}

// The text of |x|, or the word, without 0x, ready to be written. The sign, which lo has as well, is that of x.
class number_text {
 public:
  number_text(dd_real x, number_format format) : format_(format) {
    x = canonical(x);
    is_negative_ = detail::is_negative(x);
    if (!(x.hi - x.hi == 0.0)) {
      word_ = x.hi == x.hi ? "inf" : "nan";
    } else {
      format.is_limbs ? set_limbs(x) : set_digits(x);
    }
  }

  bool is_negative() const { return is_negative_; }
  /// Whether 0x may stand between the sign and the rest.
  bool is_hex() const { return word_ == nullptr && has_hex_digits(); }
  bool is_finite() const { return word_ == nullptr; }

  /// The length of what write_to writes.
  std::int64_t size() const {
    counting_writer counter;
    write_to(counter);
    return counter.count();
  }

  template <class Out>
  void write_to(Out& out) const {
    if (format_.is_uppercase) {
      uppercase_writer<Out> upper(out);
      write_any_case(upper);
    } else {
      write_any_case(out);
    }
  }
  template <class Out>
  void write_hex_prefix(Out& out) const {
    out.put('0');
    out.put(format_.is_uppercase ? 'X' : 'x');
  }

 private:
  bool has_hex_digits() const { return format_.notation == std::chars_format::hex; }

  void set_digits(dd_real x) {
    const bool is_shortest = format_.precision < 0, is_general = format_.notation == std::chars_format::general;
    is_fixed_ = format_.notation == std::chars_format::fixed;
    std::int64_t precision = format_.precision;
    if (is_general && precision == 0) precision = 1;
    constexpr std::int64_t unlimited = std::int64_t{1} << 40;

    if (x.hi == 0.0) {
      if (!is_fixed_ || is_shortest) digits_.push(0);
    } else {
      digit_source source(x.hi < 0.0 ? -x : x);
      if (is_shortest && !has_hex_digits()) {
        source.shortest(digits_);
      } else {
        std::int64_t count = is_shortest || is_fixed_ ? unlimited : is_general ? precision : precision + 1;
        source.rounded(digits_, count, is_fixed_ ? precision : unlimited, has_hex_digits());
      }
    }
    if (is_shortest || is_general) digits_.strip_zeros();

    const int count = digits_.count, exponent = digits_.exponent;
    if (is_general) {
      is_fixed_ = exponent >= -4 && exponent < (is_shortest ? 6 : precision);
    } else if (format_.notation == std::chars_format()) {
      const int whole = exponent + 1;
      const int fixed_length = exponent < 0 ? count + 1 - exponent : count > whole ? count + 1 : whole;
      const int exponent_length = exponent > 99 || exponent < -99 ? 5 : 4;
      is_fixed_ = fixed_length <= count + (count > 1) + exponent_length;
    }
    if (is_general && format_.keeps_zeros && !is_shortest) {
      decimals_ = is_fixed_ ? precision - 1 - exponent : precision - 1;
    } else if (is_shortest || is_general) {
      decimals_ = count - 1 - (is_fixed_ ? exponent : 0);
    } else {
      decimals_ = precision;
    }
    if (decimals_ < 0) decimals_ = 0;
  }

  void set_limbs(dd_real x) {
    bounded_writer out(limbs_.data(), limbs_.data() + limbs_.size());
    write_limb(out, __builtin_fabs(x.hi));
    out.put(x.lo < 0.0 ? '-' : '+');
    if (has_hex_digits()) write_hex_prefix(out);
    write_limb(out, __builtin_fabs(x.lo));
    limbs_size_ = static_cast<std::size_t>(out.result().ptr - limbs_.data());
  }
  void write_limb(bounded_writer& out, double word) const {
    if (has_hex_digits()) return number_text(word, {std::chars_format::hex}).write_to(out);
    std::array<char, 400> text;
    const auto notation = format_.notation;
    char* const last = text.data() + text.size();
    const auto r = notation == std::chars_format() ? std::to_chars(text.data(), last, word)
                                                   : std::to_chars(text.data(), last, word, notation);
    for (const char* p = text.data(); p != r.ptr; ++p) out.put(*p);
  }

  template <class Out>
  void write_any_case(Out& out) const {
    if (word_ != nullptr) {
      for (const char* p = word_; *p != '\0'; ++p) out.put(*p);
    } else if (format_.is_limbs) {
      for (std::size_t i = 0; i < limbs_size_; ++i) out.put(limbs_[i]);
    } else if (is_fixed_) {
      write_fixed(out);
    } else {
      write_scientific(out);
    }
  }

  // d.ddde±dd
  template <class Out>
  void write_scientific(Out& out) const {
    out.put(digits_[0]);
    if (decimals_ > 0 || format_.keeps_point) out.put('.');
    write_digits(out, 1, decimals_);
    const int exponent = digits_.exponent < 0 ? -digits_.exponent : digits_.exponent;
    out.put(has_hex_digits() ? 'p' : 'e');
    out.put(digits_.exponent < 0 ? '-' : '+');
    int power = has_hex_digits() ? 1 : 10;
    while (exponent / power >= 10) power *= 10;
    for (; power > 0; power /= 10) out.put(static_cast<char>('0' + exponent / power % 10));
  }

  // ddd.ddd
  template <class Out>
  void write_fixed(Out& out) const {
    const std::int64_t exponent = digits_.exponent;
    if (exponent < 0 || digits_.count == 0) {
      out.put('0');
    } else {
      write_digits(out, 0, exponent + 1);
    }
    if (decimals_ > 0 || format_.keeps_point) out.put('.');
    std::int64_t zeros = digits_.count == 0 ? decimals_ : exponent < 0 ? -1 - exponent : 0;
    if (zeros > decimals_) zeros = decimals_;
    out.fill(zeros, '0');
    write_digits(out, exponent + 1 + zeros, decimals_ - zeros);
  }

  // The digits [first, first + count); zeros outside of those that there are.
  template <class Out>
  void write_digits(Out& out, std::int64_t first, std::int64_t count) const {
    for (; count > 0 && first < digits_.count; --count) out.put(digits_[first++]);
    out.fill(count, '0');
  }

  number_format format_;
  digit_string digits_;
  std::int64_t decimals_ = 0;  // after the point
  const char* word_ = nullptr;
  std::array<char, 800> limbs_;  // a limb has at most 343 characters
  std::size_t limbs_size_ = 0;
  bool is_negative_ = false, is_fixed_ = false;
};

inline std::to_chars_result write_number(char* first, char* last, dd_real x, number_format format) {
  const number_text text(x, format);
  bounded_writer out(first, last);
  if (text.is_negative()) out.put('-');
  text.write_to(out);
  return out.result();
}

}  // namespace hilo::detail
