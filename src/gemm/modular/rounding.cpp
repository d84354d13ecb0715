#include "gemm/modular/rounding.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace hilo::modular {
namespace {

// An integer by sign and magnitude, below 2^384.
struct Integer {
  std::array<std::uint64_t, 6> word{};
  bool is_negative = false;

  bool is_zero() const {
    return std::all_of(word.begin(), word.end(), [](std::uint64_t w) { return w == 0; });
  }
  int bit_length() const {
    for (std::size_t i = word.size(); i-- > 0;) {
      if (word[i]) return static_cast<int>(64 * i) + 64 - std::countl_zero(word[i]);
    }
    return 0;
  }
  bool bit(int n) const { return word[static_cast<std::size_t>(n / 64)] >> (n % 64) & 1; }
  // Whether one of the lowest n bits is set.
  bool any_below(int n) const {
    for (int i = 0; i < n; ++i) {
      if (bit(i)) return true;
    }
    return false;
  }
  // The magnitude's bits from n on, which are at most 64.
  std::uint64_t from(int n) const {
    std::uint64_t x = 0;
    for (int i = bit_length(); i-- > n;) x = x << 1 | (bit(i) ? 1 : 0);
    return x;
  }
};

// Σ digit · 2^(41 j).
Integer integer_of(const std::array<double, max_digits>& digit) {
  Integer x;
  int top = max_digits - 1;
  while (top > 0 && digit[static_cast<std::size_t>(top)] == 0.0) --top;
  x.is_negative = digit[static_cast<std::size_t>(top)] < 0.0;
  constexpr auto base = std::int64_t{1} << digit_bits;
  std::int64_t carry = 0;
  for (int j = 0; j < max_digits; ++j) {
    auto d = static_cast<std::int64_t>(digit[static_cast<std::size_t>(j)]);
    std::int64_t v = (x.is_negative ? -d : d) + carry;
    carry = v < 0 ? -1 : v >= base ? 1 : 0;
    v -= carry * base;
    int place = digit_bits * j;
    auto i = static_cast<std::size_t>(place / 64);
    x.word[i] |= static_cast<std::uint64_t>(v) << place % 64;
    if (place % 64 > 64 - digit_bits && i + 1 < x.word.size()) {
      x.word[i + 1] |= static_cast<std::uint64_t>(v) >> (64 - place % 64);
    }
  }
  return x;
}

// The double nearest to x · 2^shift, ties to even; x becomes what is left of it.
double take_double(Integer& x, std::int64_t shift) {
  if (x.is_zero()) return 0.0;
  double sign = x.is_negative ? -1.0 : 1.0;
  std::int64_t least = std::max<std::int64_t>({x.bit_length() - 53, -1074 - shift, 0});
  if (least > x.bit_length()) return sign * 0.0;  // below half of 2^-1074
  int unit = static_cast<int>(least);
  std::uint64_t kept = x.from(unit);
  bool goes_out = unit > 0 && x.bit(unit - 1) && (kept % 2 || x.any_below(unit - 1));
  double result = sign * std::ldexp(static_cast<double>(kept + goes_out), static_cast<int>(shift) + unit);
  // The magnitude modulo 2^unit, or what it lacks to 2^unit.
  for (int i = unit; i < 64 * static_cast<int>(x.word.size()); ++i) {
    x.word[static_cast<std::size_t>(i / 64)] &= ~(std::uint64_t{1} << i % 64);
  }
  if (goes_out) {
    bool borrows = true;
    for (int i = 0; i < unit; ++i) {
      auto& w = x.word[static_cast<std::size_t>(i / 64)];
      bool was = w >> i % 64 & 1;
      bool becomes = borrows ? was : !was;
      if (borrows && was) borrows = false;
      w = (w & ~(std::uint64_t{1} << i % 64)) | std::uint64_t{becomes} << i % 64;
    }
    x.is_negative = !x.is_negative;
  }
  return result;
}

}  // namespace

dd_real rebuild_entry(const Basis& basis, const std::int8_t* residues, std::int64_t plane_stride, std::int64_t shift,
                      int words) {
  std::array<double, max_digits> digit{};
  for (int l = 0; l < basis.count; ++l) {
    for (std::size_t j = 0; j < digit.size(); ++j) digit[j] += residues[l * plane_stride] * basis.cofactor[l][j];
  }
  double sum = 0.0;
  for (std::size_t j = digit.size(); j-- > 0;) sum = sum * 0x1p41 + digit[j];
  double quotient = std::nearbyint(sum * basis.inverse_product);
  for (std::size_t j = 0; j < digit.size(); ++j) digit[j] -= quotient * basis.product[j];
  for (std::size_t j = 0; j + 1 < digit.size(); ++j) {
    double carry = std::nearbyint(digit[j] * 0x1p-41);
    digit[j] -= carry * 0x1p41;
    digit[j + 1] += carry;
  }
  Integer x = integer_of(digit);
  dd_real r{0.0};
  r.hi = take_double(x, shift);
  if (words == 1 || std::isinf(r.hi)) return r;
  double lo = take_double(x, shift);
  double hi = r.hi + lo;
  r.lo = lo - (hi - r.hi);
  r.hi = hi;
  if (std::isinf(hi) || hi == 0.0) r.lo = 0.0;
  return r;
}

}  // namespace hilo::modular
