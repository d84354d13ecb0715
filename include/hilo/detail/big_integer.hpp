// Natural numbers of bounded size, without allocation and constexpr: what exact conversion between binary and
// decimal needs, and no more. Used by decimal_reader.hpp and decimal_digits.hpp.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace hilo::detail {

/// A natural number below 2^4800. The caller warrants that no result is larger.
class big_integer {
 public:
  // The limbs beyond size_ are never read, and stay uninitialised because clearing them would cost more than
  // converting a typical number.
  constexpr big_integer() {}
  constexpr explicit big_integer(std::uint64_t x) {
    for (; x != 0; x >>= 32) limbs_[size_++] = static_cast<std::uint32_t>(x);
  }
  constexpr big_integer(const big_integer& other) { *this = other; }
  constexpr big_integer& operator=(const big_integer& other) {
    size_ = other.size_;
    for (std::size_t i = 0; i < size_; ++i) limbs_[i] = other.limbs_[i];
    return *this;
  }

  constexpr bool is_zero() const { return size_ == 0; }

  /// The least n with *this < 2^n.
  constexpr int bit_length() const {
    return size_ == 0 ? 0 : static_cast<int>(32 * size_) - std::countl_zero(limbs_[size_ - 1]);
  }

  constexpr void multiply_add(std::uint32_t factor, std::uint32_t addend) {
    std::uint64_t carry = addend;
    for (std::size_t i = 0; i < size_; ++i) {
      carry += std::uint64_t{limbs_[i]} * factor;
      limbs_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) limbs_[size_++] = static_cast<std::uint32_t>(carry);
  }

  constexpr void multiply_power_of_5(int exponent) {
    constexpr std::uint32_t power_13 = 1220703125;  // the largest power of 5 in a limb
    for (; exponent >= 13; exponent -= 13) multiply_add(power_13, 0);
    std::uint32_t rest = 1;
    for (; exponent > 0; --exponent) rest *= 5;
    multiply_add(rest, 0);
  }

  constexpr void shift_left(int bits) {
    if (size_ == 0 || bits == 0) return;
    std::size_t whole = static_cast<std::size_t>(bits) / 32;
    int part = bits % 32;
    // One limb more than there is, so that the bits shifted out of the top have a place.
    limbs_[size_] = 0;
    for (std::size_t i = size_ + 1; i-- > 0;) {
      std::uint64_t pair = std::uint64_t{limbs_[i]} << 32 | (i == 0 ? 0 : limbs_[i - 1]);
      limbs_[i + whole] = static_cast<std::uint32_t>(pair << part >> 32);
    }
    for (std::size_t i = 0; i < whole; ++i) limbs_[i] = 0;
    size_ += whole + 1;
    trim();
  }

  constexpr void add(const big_integer& other) {
    while (size_ < other.size_) limbs_[size_++] = 0;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      carry += std::uint64_t{limbs_[i]} + (i < other.size_ ? other.limbs_[i] : 0);
      limbs_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) limbs_[size_++] = static_cast<std::uint32_t>(carry);
  }

  /// *this −= factor · other. Precondition: the result is not negative.
  constexpr void subtract(const big_integer& other, std::uint32_t factor = 1) {
    std::uint64_t carry = 0;
    std::uint32_t borrow = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      if (i < other.size_) carry += std::uint64_t{other.limbs_[i]} * factor;
      std::uint64_t difference = std::uint64_t{limbs_[i]} - static_cast<std::uint32_t>(carry) - borrow;
      limbs_[i] = static_cast<std::uint32_t>(difference);
      borrow = difference >> 32 != 0;
      carry >>= 32;
    }
    trim();
  }

  /// floor(*this / divisor); *this becomes the remainder. Precondition: the quotient is below 2^32.
  constexpr std::uint32_t divide_digit(const big_integer& divisor) {
    std::size_t n = divisor.size_;
    if (size_ < n) return 0;
    // The 32 leading bits of the divisor, and the bits of *this that stand above them.
    int shift = std::countl_zero(divisor.limbs_[n - 1]);
    auto limb = [](const big_integer& x, std::size_t i) { return i < x.size_ ? x.limbs_[i] : 0u; };
    auto leading = [&](const big_integer& x, std::size_t i) {
      std::uint64_t pair = std::uint64_t{limb(x, i)} << 32 | (i == 0 ? 0u : limb(x, i - 1));
      return static_cast<std::uint32_t>(pair << shift >> 32);
    };
    std::uint64_t top = std::uint64_t{leading(*this, n)} << 32 | leading(*this, n - 1);
    // Rounding the divisor up makes the estimate at most 3 too small, and never too large.
    auto quotient = static_cast<std::uint32_t>(top / (std::uint64_t{leading(divisor, n - 1)} + 1));
    if (quotient != 0) subtract(divisor, quotient);
    for (; *this >= divisor; ++quotient) subtract(divisor);
    return quotient;
  }

  friend constexpr std::strong_ordering operator<=>(const big_integer& x, const big_integer& y) {
    if (x.size_ != y.size_) return x.size_ <=> y.size_;
    for (std::size_t i = x.size_; i-- > 0;)
      if (x.limbs_[i] != y.limbs_[i]) return x.limbs_[i] <=> y.limbs_[i];
    return std::strong_ordering::equal;
  }
  friend constexpr bool operator==(const big_integer& x, const big_integer& y) { return (x <=> y) == 0; }

 private:
  constexpr void trim() {
    while (size_ > 0 && limbs_[size_ - 1] == 0) --size_;
  }

  std::array<std::uint32_t, 152> limbs_;
  std::size_t size_ = 0;
};

}  // namespace hilo::detail
