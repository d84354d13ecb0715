// The digits of a dd_real, exactly: what decimal_writer.hpp lays out.
//
// They come from the exact value hi + lo as a quotient of integers: a given number of them, or, after Steele and
// White (PLDI 1990), the fewest that identify the number.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <hilo/dd_real.hpp>
#include <hilo/detail/big_integer.hpp>
#include <hilo/detail/ratio.hpp>

namespace hilo::detail {

// The digits of d₀.d₁d₂… · base^exponent, or · 2^exponent in base 16. No dd_real has more than 1383.
struct digit_string {
  std::array<char, 1400> digits;
  int count = 0;
  int exponent = 0;
  bool is_negative = false;

  void push(std::uint32_t digit) { digits[static_cast<std::size_t>(count++)] = "0123456789abcdef"[digit]; }
  char operator[](std::int64_t i) const { return i >= 0 && i < count ? digits[static_cast<std::size_t>(i)] : '0'; }
  void strip_zeros() {
    while (count > 1 && (*this)[count - 1] == '0') --count;
  }
};

// A positive finite dd_real v as remainder / unit, scaled so that 1 <= remainder / unit < base.
class digit_source {
 public:
  explicit digit_source(dd_real v) : high_(v.hi), low_(v.lo) {
    grid_ = v.lo == 0.0 ? high_.exponent : low_.exponent;
    set_value();
  }

  /// Half the distance to the neighbours of v: the numbers between are those that read as v.
  void set_neighbours() {
    // The grid of lo ends at half an ulp of hi, where the finer grid of the next hi begins; below a power of two
    // the grid is finer too. The least spacing is 2^-1074.
    const bool is_double = low_.significand == 0;
    const bool at_end = !is_double && is_end();
    const bool is_power = low_.significand == std::uint64_t{1} << 52 && low_.exponent > -1074;
    int away = low_.exponent - 1 - (is_power && at_end), toward = low_.exponent - 1 - is_power;
    grid_ = away < toward ? away : toward;
    // Ties go to even. Where lo is 0 the ends have hundreds of digits more than what lies between them.
    includes_ends_ = low_.significand % 2 == 0;
    set_value();
    const bool lo_negative = low_.is_negative && !is_double;
    above_ = big_integer(1), below_ = big_integer(1);
    above_.shift_left((lo_negative ? toward : away) - grid_);
    below_.shift_left((lo_negative ? away : toward) - grid_);
  }

  /// The fewest digits that read as v, and the closest to v among those.
  void shortest(digit_string& out) {
    set_neighbours();
    scale_to_decimal();
    // An end of the interval at or beyond the next power of ten: that power has one digit.
    big_integer ten_units = unit_;
    ten_units.multiply_add(10, 0);
    if (reaches(ten_units)) {
      unit_ = ten_units;
      ++exponent_;
    }
    out.exponent = exponent_;
    while (true) {
      std::uint32_t digit = remainder_.divide_digit(unit_);
      auto to_below = remainder_ <=> below_;
      bool down = to_below < 0 || (to_below == 0 && includes_ends_);
      bool up = reaches(unit_);
      if (down && up) {
        big_integer complement = unit_;
        complement.subtract(remainder_);
        down = remainder_ < complement || (remainder_ == complement && digit % 2 == 0);
      }
      if (down || up) return out.push(down ? digit : digit + 1);
      out.push(digit);
      remainder_.multiply_add(10, 0);
      below_.multiply_add(10, 0);
      above_.multiply_add(10, 0);
    }
  }

  /// The digits down to base^-places, or `count` digits, whichever are fewer; rounded to nearest, ties to even.
  void rounded(digit_string& out, std::int64_t count, std::int64_t places, bool is_hex) {
    is_hex ? scale_to_hex() : scale_to_decimal();
    const std::uint32_t base = is_hex ? 16 : 10;
    out.exponent = exponent_;
    if (!is_hex && count > places + exponent_ + 1) count = places + exponent_ + 1;
    if (count < 0) return;
    for (std::int64_t i = 0; i < count && !remainder_.is_zero(); ++i) {
      out.push(remainder_.divide_digit(unit_));
      if (i + 1 < count) remainder_.multiply_add(base, 0);
    }
    // With no digit at all the number itself is what is left, a tenth of what the comparison below takes it for.
    if (count == 0) unit_.multiply_add(base, 0);
    big_integer complement = unit_;
    complement.subtract(remainder_);
    auto side = remainder_ <=> complement;
    char last = out.count == 0 ? '0' : out[out.count - 1];
    bool is_odd = (last >= 'a' ? last - 'a' : last - '0') % 2 != 0;
    if (side > 0 || (side == 0 && is_odd)) increment(out, is_hex ? 'f' : '9');
  }

 private:
  // Whether the upper end of the interval reaches the limit.
  bool reaches(const big_integer& limit) const {
    big_integer end = remainder_;
    end.add(above_);
    auto order = end <=> limit;
    return order > 0 || (order == 0 && includes_ends_);
  }

  // Whether lo is half the distance from hi to the next double on its side.
  bool is_end() const {
    bool is_finer_below = high_.significand == std::uint64_t{1} << 52 && high_.exponent > -1074;
    int half = high_.exponent - 1 - (low_.is_negative && is_finer_below);
    return std::has_single_bit(low_.significand) && low_.exponent + std::countr_zero(low_.significand) == half;
  }

  // remainder_ = v · 2^-grid_.
  void set_value() {
    remainder_ = big_integer(high_.significand);
    remainder_.shift_left(high_.exponent - grid_);
    if (low_.significand == 0) return;
    big_integer low(low_.significand);
    low.shift_left(low_.exponent - grid_);
    low_.is_negative ? remainder_.subtract(low) : remainder_.add(low);
  }

  void scale_to_decimal() {
    int log_2 = remainder_.bit_length() - 1 + grid_;
    exponent_ = log_2 * 315653 >> 20;  // floor(log_2 · log10(2)), at most one below floor(log10(v))
    unit_ = big_integer(1);
    if (exponent_ >= 0) {
      unit_.multiply_power_of_5(exponent_);
    } else {
      for (auto* x : {&remainder_, &above_, &below_}) x->multiply_power_of_5(-exponent_);
    }
    int shift = exponent_ - grid_;
    if (shift >= 0) {
      unit_.shift_left(shift);
    } else {
      for (auto* x : {&remainder_, &above_, &below_}) x->shift_left(-shift);
    }
    big_integer next = unit_;
    next.multiply_add(10, 0);
    if (remainder_ < next) return;
    unit_ = next;
    ++exponent_;
  }

  void scale_to_hex() {
    exponent_ = remainder_.bit_length() - 1 + grid_;
    unit_ = big_integer(1);
    unit_.shift_left(exponent_ - grid_);
  }

  // One more in the last digit, or the digit 1 where there is none.
  static void increment(digit_string& out, char largest) {
    int i = out.count;
    while (i > 0 && out[i - 1] == largest) --i;
    if (i > 0) {
      char& digit = out.digits[static_cast<std::size_t>(i - 1)];
      digit = digit == '9' ? 'a' : static_cast<char>(digit + 1);
      out.count = i;
    } else {
      // Only nines, as hexadecimal digits begin with 1.
      out.count = 0;
      out.push(1);
      ++out.exponent;
    }
  }

  binary_double high_, low_;
  int grid_ = 0;      // all integers here count 2^grid_
  int exponent_ = 0;  // of the first digit
  big_integer remainder_, unit_;
  big_integer above_, below_;
  bool includes_ends_ = false;
};

}  // namespace hilo::detail
