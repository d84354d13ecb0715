// The names of QD's dd_real.h on hilo's arithmetic, for programs written for QD: include this for <qd/dd_real.h> and
// say `using namespace hilo::qd_names;`. Nothing of QD is needed. What each name does: docs/qd.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdlib>
#include <hilo/detail/same_storage.hpp>
#include <hilo/math.hpp>
#include <hilo/numbers.hpp>
#include <hilo/text.hpp>
#include <iostream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace hilo::qd_names {

/// What stands beside a dd_real in arithmetic.
template <class T>
concept operand = hilo::detail::real_scalar<T> || std::same_as<T, hilo::dd_real>;

/// QD's class of this name: two words that anyone may write, converted to and from hilo::dd_real unasked.
struct dd_real {
  double x[2];

  constexpr dd_real() : x{0.0, 0.0} {}
  constexpr dd_real(double hi, double lo) : x{hi, lo} {}
  template <operand T>
  constexpr dd_real(T y) : dd_real(from(hilo::dd_real(y))) {}
  /// Correctly rounded. Throws hilo::error where the text is no number; QD writes a message and gives NaN.
  dd_real(const char* text) : dd_real(parse(text)) {}
  dd_real(const std::string& text) : dd_real(parse(text)) {}
  explicit constexpr dd_real(const double* words) : x{words[0], words[1]} {}

  constexpr operator hilo::dd_real() const { return hilo::detail::from_words({x[0], x[1]}); }

  constexpr double _hi() const { return x[0]; }
  constexpr double _lo() const { return x[1]; }
  constexpr double& operator[](int i) { return x[i]; }
  constexpr double operator[](int i) const { return x[i]; }

  static const dd_real _2pi, _pi, _3pi4, _pi2, _pi4, _e, _log2, _log10, _nan, _inf, _max, _safe_max;
  static constexpr double _eps = 4.93038065763132e-32, _min_normalized = 0x1p-969;
  static constexpr int _ndigits = 31;

  constexpr bool isnan() const { return x[0] != x[0] || x[1] != x[1]; }
  constexpr bool isfinite() const { return hilo::isfinite(*this); }
  constexpr bool isinf() const { return hilo::isinf(*this); }
  constexpr bool is_zero() const { return x[0] == 0.0; }
  constexpr bool is_one() const { return x[0] == 1.0 && x[1] == 0.0; }
  constexpr bool is_positive() const { return x[0] > 0.0; }
  constexpr bool is_negative() const { return x[0] < 0.0; }

  static constexpr dd_real add(double a, double b) { return hilo::dd_real::sum(a, b); }
  static constexpr dd_real sub(double a, double b) { return hilo::dd_real::sum(a, -b); }
  static constexpr dd_real mul(double a, double b) { return hilo::dd_real::product(a, b); }
  static constexpr dd_real div(double a, double b) { return hilo::dd_real(a) / b; }
  static constexpr dd_real sqr(double a) { return mul(a, a); }
  static constexpr dd_real sqrt(double a) { return hilo::sqrt(hilo::dd_real(a)); }
  static constexpr dd_real ieee_add(const dd_real& a, const dd_real& b) { return a + b; }
  static constexpr dd_real sloppy_add(const dd_real& a, const dd_real& b) { return hilo::dd_real::add_sloppy(a, b); }
  static constexpr dd_real accurate_div(const dd_real& a, const dd_real& b) { return a / b; }
  static constexpr dd_real sloppy_div(const dd_real& a, const dd_real& b) { return a / b; }

  /// Four values of std::rand, as QD's.
  static dd_real rand() {
    dd_real r;
    for (double scale = 0x1p-31; scale >= 0x1p-124; scale *= 0x1p-31) r += std::rand() * scale;
    return r;
  }

  /// `precision` digits behind the point, in scientific notation unless fmt says fixed.
  std::string to_string(int precision = _ndigits, int width = 0, std::ios_base::fmtflags fmt = {}, bool showpos = false,
                        bool uppercase = false, char fill = ' ') const {
    const bool has_sign = !isnan() && (*this < 0.0 || showpos);
    std::string text = magnitude_text(precision, (fmt & std::ios_base::fixed) != 0);
    if (uppercase)
      for (char& c : text) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    if (has_sign) text.insert(text.begin(), *this < 0.0 ? '-' : '+');
    if (text.size() >= static_cast<std::size_t>(width < 0 ? 0 : width)) return text;
    const std::size_t missing = static_cast<std::size_t>(width) - text.size();
    std::size_t at = 0;
    if (fmt & std::ios_base::internal)
      at = has_sign;
    else if (fmt & std::ios_base::left)
      at = text.size();
    return text.insert(at, missing, fill);
  }
  /// The same, of which as much as fits, and a final zero.
  void write(char* s, int len, int precision = _ndigits, bool showpos = false, bool uppercase = false) const {
    if (len <= 0) return;
    std::string text = to_string(precision, 0, {}, showpos, uppercase);
    s[text.copy(s, static_cast<std::size_t>(len) - 1)] = '\0';
  }
  /// `precision` digits d0 d1 … of the magnitude, d0.d1… · 10^expn.
  void to_digits(char* s, int& expn, int precision = _ndigits) const {
    std::string text = magnitude_text(precision < 1 ? 0 : precision - 1, false);
    const std::size_t e = text.find('e');
    expn = isfinite() && !is_zero() ? std::atoi(text.c_str() + e + 1) : 0;
    for (char c : std::string_view(text).substr(0, e))
      if (c != '.') *s++ = c;
    *s = '\0';
  }
  /// 0, or −1 where s is no number.
  static int read(const char* s, dd_real& a) {
    try {
      a = dd_real(s);
      return 0;
    } catch (const hilo::error&) {
      return -1;
    }
  }
  static void error(const char* message) { std::cerr << "ERROR " << message << '\n'; }
  void dump(const std::string& name = "", std::ostream& os = std::cerr) const {
    if (!name.empty()) os << name << " = ";
    os << hilo::to_limb_string(*this) << '\n';
  }

  constexpr dd_real operator-() const { return dd_real(-x[0], -x[1]); }
  constexpr dd_real operator+() const { return *this; }
  constexpr dd_real operator^(int n) const { return hilo::pow(*this, n); }

#define HILO_QD_OPERATOR(op)                                                                                    \
  friend constexpr dd_real operator op(const dd_real& a, const dd_real& b) { return a.number() op b.number(); } \
  template <operand T>                                                                                          \
  friend constexpr dd_real operator op(const dd_real& a, T b) {                                                 \
    return a.number() op b;                                                                                     \
  }                                                                                                             \
  template <operand T>                                                                                          \
  friend constexpr dd_real operator op(T a, const dd_real& b) {                                                 \
    return a op b.number();                                                                                     \
  }                                                                                                             \
  constexpr dd_real& operator op##=(const auto& b) { return *this = *this op b; }
  HILO_QD_OPERATOR(+)
  HILO_QD_OPERATOR(-)
  HILO_QD_OPERATOR(*)
  HILO_QD_OPERATOR(/)
#undef HILO_QD_OPERATOR

  friend constexpr bool operator==(const dd_real& a, const dd_real& b) { return a.number() == b.number(); }
  friend constexpr std::partial_ordering operator<=>(const dd_real& a, const dd_real& b) {
    return a.number() <=> b.number();
  }
  template <operand T>
  friend constexpr bool operator==(const dd_real& a, T b) {
    return a.number() == hilo::dd_real(b);
  }
  template <operand T>
  friend constexpr std::partial_ordering operator<=>(const dd_real& a, T b) {
    return a.number() <=> hilo::dd_real(b);
  }

 private:
  static constexpr dd_real from(hilo::dd_real y) { return dd_real(y.hi, y.lo); }
  static dd_real parse(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\n"), last = text.find_last_not_of(" \t\n");
    return hilo::parse(first == text.npos ? text : text.substr(first, last - first + 1));
  }
  constexpr hilo::dd_real number() const { return *this; }
  std::string magnitude_text(int precision, bool is_fixed) const {
    if (isnan()) return "nan";
    std::string text(static_cast<std::size_t>(precision < 0 ? 0 : precision) + 330, '\0');
    const auto notation = is_fixed ? std::chars_format::fixed : std::chars_format::scientific;
    const auto end = hilo::to_chars(text.data(), text.data() + text.size(), hilo::abs(*this), notation,
                                    precision < 0 ? 0 : precision);
    text.resize(static_cast<std::size_t>(end.ptr - text.data()));
    return text;
  }
};

static_assert(sizeof(dd_real) == sizeof(hilo::dd_real) && std::is_trivially_copyable_v<dd_real>);

inline constexpr dd_real dd_real::_2pi = 2 * numbers::pi;
inline constexpr dd_real dd_real::_pi = numbers::pi;
inline constexpr dd_real dd_real::_3pi4{0x1.2d97c7f3321d2p+1, 0x1.a79394c9e8a0ap-54};
inline constexpr dd_real dd_real::_pi2 = numbers::pi / 2;
inline constexpr dd_real dd_real::_pi4 = numbers::pi / 4;
inline constexpr dd_real dd_real::_e = numbers::e;
inline constexpr dd_real dd_real::_log2 = numbers::ln2;
inline constexpr dd_real dd_real::_log10 = numbers::ln10;
inline constexpr dd_real dd_real::_nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr dd_real dd_real::_inf = std::numeric_limits<double>::infinity();
inline constexpr dd_real dd_real::_max = std::numeric_limits<hilo::dd_real>::max();
inline constexpr dd_real dd_real::_safe_max{0x1.ffffff8p+1023, 0x1.fffffffffffffp+969};

#define HILO_QD_FUNCTION(name) \
  constexpr dd_real name(const dd_real& a) { return hilo::name(hilo::dd_real(a)); }
HILO_QD_FUNCTION(sqrt)
HILO_QD_FUNCTION(exp)
HILO_QD_FUNCTION(log)
HILO_QD_FUNCTION(log10)
HILO_QD_FUNCTION(sin)
HILO_QD_FUNCTION(cos)
HILO_QD_FUNCTION(tan)
HILO_QD_FUNCTION(asin)
HILO_QD_FUNCTION(acos)
HILO_QD_FUNCTION(atan)
HILO_QD_FUNCTION(sinh)
HILO_QD_FUNCTION(cosh)
HILO_QD_FUNCTION(tanh)
HILO_QD_FUNCTION(asinh)
HILO_QD_FUNCTION(acosh)
HILO_QD_FUNCTION(atanh)
HILO_QD_FUNCTION(fabs)
HILO_QD_FUNCTION(abs)
HILO_QD_FUNCTION(floor)
HILO_QD_FUNCTION(ceil)
#undef HILO_QD_FUNCTION

constexpr bool isnan(const dd_real& a) { return a.isnan(); }
constexpr bool isfinite(const dd_real& a) { return a.isfinite(); }
constexpr bool isinf(const dd_real& a) { return a.isinf(); }

constexpr double to_double(const dd_real& a) { return a.x[0]; }
/// Of the first word, as QD's: 3 − 10^-20 is 3. hilo's own conversion truncates the value.
constexpr int to_int(const dd_real& a) { return static_cast<int>(a.x[0]); }

/// The nearest integer, halves up.
constexpr dd_real nint(const dd_real& a) {
  const dd_real below = floor(a);
  return a - below >= 0.5 ? below + 1 : below;
}
/// Toward zero.
constexpr dd_real aint(const dd_real& a) { return hilo::trunc(a); }

constexpr dd_real sqr(const dd_real& a) { return a * a; }
constexpr dd_real inv(const dd_real& a) { return 1 / a; }
constexpr dd_real mul_pwr2(const dd_real& a, double power) { return dd_real(a.x[0] * power, a.x[1] * power); }
constexpr dd_real ldexp(const dd_real& a, int n) { return hilo::ldexp(a, n); }

constexpr dd_real pow(const dd_real& a, const dd_real& b) { return hilo::pow(a, b); }
constexpr dd_real pow(const dd_real& a, int n) { return hilo::pow(a, n); }
constexpr dd_real npwr(const dd_real& a, int n) { return hilo::pow(a, n); }
/// The n-th root; NaN for n < 1, and of negative numbers where n is even.
constexpr dd_real nroot(const dd_real& a, int n) {
  if (n < 1 || (n % 2 == 0 && a.is_negative())) return dd_real::_nan;
  if (n == 1 || a.is_zero() || !a.isfinite()) return a;
  if (n == 2) return sqrt(a);
  if (n == 3) return hilo::cbrt(a);
  if (a.is_negative()) return -nroot(-a, n);
  // By powers of two to where low words are normal numbers.
  const int k = hilo::ilogb(a) / n;
  const hilo::dd_real scaled = hilo::ldexp(a, -n * k);
  hilo::dd_real root = hilo::pow(scaled, hilo::dd_real(1) / n);
  // The exponent 1/n is rounded; a step of Newton's makes up for it. Of large n that is less than a unit.
  if (n < 900) root = root - root * ((hilo::pow(root, n) / scaled - 1) / n);
  return hilo::ldexp(root, k);
}

/// a − nint(a / b) · b, and with r as that the quotient.
constexpr dd_real divrem(const dd_real& a, const dd_real& b, dd_real& r) {
  const dd_real n = nint(a / b);
  r = hilo::fma(-n, b, a);
  return n;
}
constexpr dd_real drem(const dd_real& a, const dd_real& b) {
  dd_real r;
  divrem(a, b, r);
  return r;
}
constexpr dd_real fmod(const dd_real& a, const dd_real& b) { return hilo::fmod(a, b); }
constexpr dd_real atan2(const dd_real& y, const dd_real& x) { return hilo::atan2(y, x); }

constexpr void sincos(const dd_real& a, dd_real& sine, dd_real& cosine) {
  sine = sin(a);
  cosine = cos(a);
}
constexpr void sincosh(const dd_real& a, dd_real& sine, dd_real& cosine) {
  sine = sinh(a);
  cosine = cosh(a);
}

inline dd_real ddrand() { return dd_real::rand(); }

/// c[0] + c[1] x + … + c[n] x^n by Horner's rule.
constexpr dd_real polyeval(const dd_real* c, int n, const dd_real& x) {
  dd_real r = c[n];
  for (int i = n - 1; i >= 0; --i) r = r * x + c[i];
  return r;
}
/// A root of the same near x0, by Newton's method until |p(x)| < thresh · max |c[i]|, thresh = _eps where it is 0; NaN
/// where max_iter steps do not lead there.
inline dd_real polyroot(const dd_real* c, int n, const dd_real& x0, int max_iter = 32, double thresh = 0.0) {
  std::vector<dd_real> slope(static_cast<std::size_t>(n < 1 ? 1 : n));
  double largest = std::abs(to_double(c[0]));
  for (int i = 1; i <= n; ++i) {
    slope[static_cast<std::size_t>(i - 1)] = c[i] * i;
    largest = std::max(largest, std::abs(to_double(c[i])));
  }
  const double limit = largest * (thresh == 0.0 ? dd_real::_eps : thresh);
  dd_real x = x0;
  for (int i = 0; i < max_iter; ++i) {
    const dd_real value = polyeval(c, n, x);
    if (abs(value) < limit) return x;
    x -= value / polyeval(slope.data(), n < 1 ? 0 : n - 1, x);
  }
  return dd_real::_nan;
}

inline std::ostream& operator<<(std::ostream& os, const dd_real& a) {
  using flags = std::ios_base;
  return os << a.to_string(static_cast<int>(os.precision()), static_cast<int>(os.width()), os.flags(),
                           (os.flags() & flags::showpos) != 0, (os.flags() & flags::uppercase) != 0, os.fill());
}
inline std::istream& operator>>(std::istream& is, dd_real& a) {
  hilo::dd_real number = a;  // what is left where nothing is read
  is >> number;
  a = number;
  return is;
}

/// QD sets x87's rounding with these; SSE and NEON have nothing to set.
inline void fpu_fix_start(unsigned int*) {}
inline void fpu_fix_end(unsigned int*) {}

/// The same array for hilo's functions, in place, with the rule of hilo::as_hilo (interop/qd.hpp): from one call to the
/// other only the new pointer may be used.
inline hilo::dd_real* as_hilo(dd_real* p) { return hilo::detail::same_storage<hilo::dd_real>(p); }
inline const hilo::dd_real* as_hilo(const dd_real* p) { return hilo::detail::same_storage<const hilo::dd_real>(p); }
inline dd_real* as_qd_names(hilo::dd_real* p) { return hilo::detail::same_storage<dd_real>(p); }
inline const dd_real* as_qd_names(const hilo::dd_real* p) { return hilo::detail::same_storage<const dd_real>(p); }

}  // namespace hilo::qd_names

/// As QD's: digits 104, epsilon 2^-104, and in double what one double holds.
template <>
class std::numeric_limits<hilo::qd_names::dd_real> : public std::numeric_limits<hilo::dd_real> {
 public:
  static constexpr int digits = 104;
  static constexpr int digits10 = 31;
  static constexpr double epsilon() { return hilo::qd_names::dd_real::_eps; }
  static constexpr double min() { return hilo::qd_names::dd_real::_min_normalized; }
  static constexpr hilo::qd_names::dd_real max() { return hilo::qd_names::dd_real::_max; }
  static constexpr hilo::qd_names::dd_real safe_max() { return hilo::qd_names::dd_real::_safe_max; }
  static constexpr hilo::qd_names::dd_real lowest() { return -max(); }
  static constexpr double round_error() { return std::numeric_limits<double>::round_error(); }
  static constexpr double infinity() { return std::numeric_limits<double>::infinity(); }
  static constexpr double quiet_NaN() { return std::numeric_limits<double>::quiet_NaN(); }
  static constexpr double signaling_NaN() { return quiet_NaN(); }
  static constexpr double denorm_min() { return std::numeric_limits<double>::denorm_min(); }
};
