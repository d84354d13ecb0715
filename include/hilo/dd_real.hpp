// hilo::dd_real: a number of about 106 bits, the unevaluated sum of two doubles.
// Operators, comparisons, limits and hash; functions are in math.hpp, text is in text.hpp.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <hilo/detail/conversion.hpp>
#include <hilo/detail/dd_ops.hpp>
#include <hilo/detail/elsewhere.hpp>
#include <limits>
#include <typeindex>

namespace hilo {

struct dd_real;

namespace detail {

// The integers and floating-point types that a dd_real holds exactly.
template <class T>
concept exact_word = std::same_as<T, float> || std::same_as<T, double> ||(std::integral<T> && sizeof(T) <= 4);
template <class T>
concept exact_pair = (std::integral<T> && sizeof(T) == 8) ||
                     (std::same_as<T, long double> && std::numeric_limits<long double>::digits <= 64);

// What takes part in arithmetic as a real number.
template <class T>
concept real_scalar = exact_word<T> || exact_pair<T> || integer_128<T>;

// A floating-point y may be a caller's product.
template <exact_word T>
constexpr double to_word(T y) {
  if constexpr (std::integral<T>) return static_cast<double>(y);
  return rounded(static_cast<double>(y));
}

// Not constexpr, so that a constant dd_real{hi, lo} with such words stops the compiler at this name.
inline void words_are_not_canonical_use_dd_real_sum() {}

}  // namespace detail

/// A double-double number: the value hi + lo with hi = RN(hi + lo), and lo = 0 where hi is 0, Inf or NaN.
///
/// 16 bytes, trivially copyable, the memory layout of QD's dd_real. Relative error bounds, u = 2^-53: + and −
/// 3u² + 13u³; × 5u²; ÷ 15u² + 56u³; with one operand of a single word + − 2u², × 1.5u² + 4u³, ÷ by it 3u²; and
/// 8·2^-1074 more for products and quotients below 2^-960. The same bits from every compiler, optimisation level and
/// instruction set. Sources: core.clh; what is promised and what is not: docs/number.md.
///
/// Writing the words themselves is safe only with values that are already rounded: for r.hi = x·y of doubles the
/// compiler may contract the product into what follows, which dd_real(x * y) and dd_real{hi, lo} prevent.
struct dd_real {
  double hi = 0.0, lo = 0.0;

  /// Zero.
  constexpr dd_real() = default;

  /// Two words as they are; the caller warrants that they are canonical, and in constants the compiler checks it.
  /// dd_real::sum takes any two.
  constexpr dd_real(double high, double low) : hi(detail::rounded(high)), lo(detail::rounded(low)) {
    if (std::is_constant_evaluated() && low != 0.0 && !(high != 0.0 && high + low == high)) {
      detail::words_are_not_canonical_use_dd_real_sum();
    }
  }

  /// Exact.
  template <detail::exact_word T>
  constexpr dd_real(T x) : hi(detail::to_word(x)), lo(0.0) {}

  /// Exact. Integers of 64 bits, and long double where it has at most 64.
  template <detail::exact_pair T>
  constexpr dd_real(T x) : dd_real(from_pair(x)) {}

  /// Correctly rounded, from __int128 and unsigned __int128; exact up to 2^107.
  template <detail::integer_128 T>
  constexpr dd_real(T x) : dd_real(from(detail::nearest_words(x))) {}

  /// Correctly rounded, from a long double of more than 64 bits.
  template <class T>
  requires(std::same_as<T, long double> && !detail::exact_pair<T>) explicit constexpr dd_real(T x)
      : dd_real(from_pair(x)) {}

  explicit dd_real(detail::use_parse_or_dd_of_hilo_text_hpp) = delete;
  dd_real& operator=(detail::use_parse_or_dd_of_hilo_text_hpp) = delete;

  /// hi + lo for any two doubles, exactly where the sum does not overflow.
  static constexpr dd_real sum(double a, double b) {
    return from(ops::add_word({detail::rounded(a), 0.0}, detail::rounded(b)));
  }

  /// a · b exactly, where |a · b| >= 2^-969 or 0.
  static constexpr dd_real product(double a, double b) {
    return from(ops::repair(ops::two_prod(a, b), ops::mul(a, b)));
  }

  /// x + y in 11 flops; no relative error bound where x and y differ in sign.
  static constexpr dd_real add_sloppy(dd_real x, dd_real y) { return from(ops::add_sloppy(x.words(), y.words())); }

  /// The nearest double, which is hi.
  explicit constexpr operator double() const { return hi; }
  explicit constexpr operator float() const { return round_to_float(); }
  explicit constexpr operator long double() const {
    long double upper = hi, lower = lo;
    return lo == 0.0 ? upper : upper + lower;
  }
  explicit constexpr operator bool() const { return hi != 0.0; }

  /// Truncated toward zero; undefined, as for double, where the integer does not fit.
  template <detail::integer T>
  explicit constexpr operator T() const {
    return truncate_to<T>();
  }

  friend constexpr dd_real operator+(dd_real x) { return x; }
  friend constexpr dd_real operator-(dd_real x) { return from({-x.hi, -x.lo}); }

  friend constexpr dd_real operator+(dd_real x, dd_real y) { return from(ops::add(x.words(), y.words())); }
  friend constexpr dd_real operator-(dd_real x, dd_real y) { return x + -y; }
  friend constexpr dd_real operator*(dd_real x, dd_real y) { return from(ops::multiply(x.words(), y.words())); }
  friend constexpr dd_real operator/(dd_real x, dd_real y) { return from(ops::divide(x.words(), y.words())); }

  template <detail::exact_word T>
  friend constexpr dd_real operator+(dd_real x, T y) {
    return from(ops::add_word(x.words(), detail::to_word(y)));
  }
  template <detail::exact_word T>
  friend constexpr dd_real operator+(T x, dd_real y) {
    return from(ops::add_word(y.words(), detail::to_word(x)));
  }
  template <detail::exact_word T>
  friend constexpr dd_real operator-(dd_real x, T y) {
    return from(ops::add_word(x.words(), -detail::to_word(y)));
  }
  template <detail::exact_word T>
  friend constexpr dd_real operator-(T x, dd_real y) {
    return from(ops::add_word((-y).words(), detail::to_word(x)));
  }
  template <detail::exact_word T>
  friend constexpr dd_real operator*(dd_real x, T y) {
    return from(ops::multiply_word(x.words(), detail::to_word(y)));
  }
  template <detail::exact_word T>
  friend constexpr dd_real operator*(T x, dd_real y) {
    return from(ops::multiply_word(y.words(), detail::to_word(x)));
  }
  template <detail::exact_word T>
  friend constexpr dd_real operator/(dd_real x, T y) {
    return from(ops::divide_word(x.words(), detail::to_word(y)));
  }

  constexpr dd_real& operator+=(const auto& y) { return *this = *this + y; }
  constexpr dd_real& operator-=(const auto& y) { return *this = *this - y; }
  constexpr dd_real& operator*=(const auto& y) { return *this = *this * y; }
  constexpr dd_real& operator/=(const auto& y) { return *this = *this / y; }
  constexpr dd_real& operator++() { return *this += 1; }
  constexpr dd_real& operator--() { return *this -= 1; }
  constexpr dd_real operator++(int) {
    dd_real old = *this;
    ++*this;
    return old;
  }
  constexpr dd_real operator--(int) {
    dd_real old = *this;
    --*this;
    return old;
  }

  // Bitwise & and | keep comparisons free of branches, so that loops over them vectorise.
  friend constexpr bool operator==(dd_real x, dd_real y) { return (x.hi == y.hi) & (x.lo == y.lo); }
  friend constexpr bool operator<(dd_real x, dd_real y) { return (x.hi < y.hi) | ((x.hi == y.hi) & (x.lo < y.lo)); }
  friend constexpr bool operator>(dd_real x, dd_real y) { return y < x; }
  friend constexpr bool operator<=(dd_real x, dd_real y) { return (x.hi < y.hi) | ((x.hi == y.hi) & (x.lo <= y.lo)); }
  friend constexpr bool operator>=(dd_real x, dd_real y) { return y <= x; }
  friend constexpr std::partial_ordering operator<=>(dd_real x, dd_real y) {
    return x.hi == y.hi ? x.lo <=> y.lo : x.hi <=> y.hi;
  }

  // clang-format off
  HILO_IN_MATH(sqrt) HILO_IN_MATH(cbrt) HILO_IN_MATH(exp) HILO_IN_MATH(exp2) HILO_IN_MATH(exp10) HILO_IN_MATH(expm1)
  HILO_IN_MATH(log) HILO_IN_MATH(log2) HILO_IN_MATH(log10) HILO_IN_MATH(log1p) HILO_IN_MATH(erf) HILO_IN_MATH(erfc)
  HILO_IN_MATH(sin) HILO_IN_MATH(cos) HILO_IN_MATH(tan) HILO_IN_MATH(asin) HILO_IN_MATH(acos) HILO_IN_MATH(atan)
  HILO_IN_MATH(sinh) HILO_IN_MATH(cosh) HILO_IN_MATH(tanh) HILO_IN_MATH(asinh) HILO_IN_MATH(acosh) HILO_IN_MATH(atanh)
  HILO_IN_MATH(tgamma) HILO_IN_MATH(lgamma) HILO_IN_MATH(abs) HILO_IN_MATH(fabs) HILO_IN_MATH(floor) HILO_IN_MATH(ceil)
  HILO_IN_MATH(trunc) HILO_IN_MATH(round) HILO_IN_MATH(rint) HILO_IN_MATH(nearbyint) HILO_IN_MATH(isnan)
  HILO_IN_MATH(isinf) HILO_IN_MATH(isfinite) HILO_IN_MATH(signbit) HILO_IN_MATH_2(pow) HILO_IN_MATH_2(atan2)
  HILO_IN_MATH_2(fmod) HILO_IN_MATH_2(hypot) HILO_IN_MATH_2(fmin) HILO_IN_MATH_2(fmax) HILO_IN_MATH_2(copysign)
  HILO_IN_MATH_2(ldexp)
  HILO_IN_TEXT(to_string) HILO_IN_TEXT(to_hex_string) HILO_IN_TEXT(to_limb_string) HILO_STREAMS_IN_TEXT(dd_real);
  // clang-format on

 private:
  using ops = detail::scalar_ops;

  constexpr ops::dd words() const { return {hi, lo}; }
  static constexpr dd_real from(ops::dd w) {
    dd_real r{};
    r.hi = w.hi;
    r.lo = w.lo;
    return r;
  }

  template <std::integral T>
  static constexpr dd_real from_pair(T x) {
    // Halves of 32 bits convert exactly, and |upper| >= |lower| or upper = 0.
    double upper = static_cast<double>(x >> 32) * 0x1p32;
    double lower = static_cast<double>(static_cast<std::uint32_t>(x));
    return from(ops::fast_two_sum(upper, lower));
  }
  static constexpr dd_real from_pair(long double x) { return from(detail::nearest_words(x)); }

  constexpr float round_to_float() const {
    // hi + lo rounded to odd in 53 bits; a double rounded to odd goes on to a float as the exact value does.
    auto bits = std::bit_cast<std::uint64_t>(hi);
    if (lo != 0.0 && bits % 2 == 0) bits += (lo > 0.0) == (hi > 0.0) ? 1 : -std::uint64_t{1};
    return static_cast<float>(std::bit_cast<double>(bits));
  }

  template <detail::integer T>
  constexpr T truncate_to() const {
    if constexpr (detail::integer_128<T>) {
      return static_cast<T>(detail::truncated(hi, lo));
    } else if constexpr (sizeof(T) <= 4) {
      // An integral hi with lo against it truncates one towards zero.
      std::int64_t whole = static_cast<std::int64_t>(hi);
      if (static_cast<double>(whole) == hi) whole -= (hi > 0.0 && lo < 0.0) - (hi < 0.0 && lo > 0.0);
      return static_cast<T>(whole);
    } else {
      auto whole = static_cast<detail::int128>(hi);
      if (static_cast<double>(whole) == hi) {
        std::int64_t part = static_cast<std::int64_t>(lo);
        whole += part;
        double rest = lo - static_cast<double>(part);
        whole -= (whole > 0 && rest < 0.0) - (whole < 0 && rest > 0.0);
      }
      return static_cast<T>(whole);
    }
  }
};

static_assert(sizeof(dd_real) == 16 && std::is_trivially_copyable_v<dd_real>);

namespace detail {

constexpr dd_real from_words(scalar_ops::dd w) {
  dd_real r{};
  r.hi = w.hi;
  r.lo = w.lo;
  return r;
}
constexpr scalar_ops::dd to_words(dd_real x) { return {x.hi, x.lo}; }

// Whether hi = RN(hi + lo), ties to even, in every rounding mode. Precondition: x is finite.
constexpr bool is_canonical(dd_real x) {
  return x.lo == 0.0 || (x.hi != 0.0 && scalar_ops::nearest_words(to_words(x)).hi == x.hi);
}

}  // namespace detail

}  // namespace hilo

/// 106 bits where lo continues hi without a gap: epsilon is 2^-105, and min the least number whose operations
/// keep their bounds without underflow of lo.
template <>
class std::numeric_limits<hilo::dd_real> {
 public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool has_infinity = true;
  static constexpr bool has_quiet_NaN = true;
  static constexpr bool has_signaling_NaN = false;
  static constexpr std::float_denorm_style has_denorm = std::denorm_present;
  static constexpr bool has_denorm_loss = true;
  static constexpr std::float_round_style round_style = std::round_indeterminate;
  static constexpr bool is_iec559 = false;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr int digits = 106;
  static constexpr int digits10 = 31;
  static constexpr int max_digits10 = 34;
  static constexpr int radix = 2;
  static constexpr int min_exponent = -968;
  static constexpr int min_exponent10 = -291;
  static constexpr int max_exponent = 1024;
  static constexpr int max_exponent10 = 308;
  static constexpr bool traps = false;
  static constexpr bool tinyness_before = false;

  /// 2^-969, the least number all of whose 106 bits are normal.
  static constexpr hilo::dd_real min() noexcept { return {0x1p-969, 0.0}; }
  static constexpr hilo::dd_real max() noexcept { return {0x1.fffffffffffffp1023, 0x1.fffffffffffffp969}; }
  static constexpr hilo::dd_real lowest() noexcept { return -max(); }
  static constexpr hilo::dd_real epsilon() noexcept { return {0x1p-105, 0.0}; }
  static constexpr hilo::dd_real round_error() noexcept { return {0.5, 0.0}; }
  static constexpr hilo::dd_real infinity() noexcept { return {numeric_limits<double>::infinity(), 0.0}; }
  static constexpr hilo::dd_real quiet_NaN() noexcept { return {numeric_limits<double>::quiet_NaN(), 0.0}; }
  static constexpr hilo::dd_real signaling_NaN() noexcept { return quiet_NaN(); }
  static constexpr hilo::dd_real denorm_min() noexcept { return {numeric_limits<double>::denorm_min(), 0.0}; }
};

template <>
struct std::hash<hilo::dd_real> {
  std::size_t operator()(hilo::dd_real x) const noexcept {
    // −0 and +0, which compare equal, hash alike, whatever the rounding mode makes of their sums.
    const auto bits = [](double word) { return word == 0.0 ? 0 : std::bit_cast<std::uint64_t>(word); };
    std::uint64_t h = bits(x.hi), l = bits(x.lo);
    h ^= (l + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2));
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    return static_cast<std::size_t>(h ^ (h >> 31));
  }
};
