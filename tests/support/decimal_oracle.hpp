// What MPFR says about the text of dd_real, and numbers worth asking about.
#pragma once

#include <mpfr.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <hilo/dd_real.hpp>
#include <limits>
#include <memory>
#include <random>
#include <string>

namespace hilo::oracle {

/// A binary number of 12000 bits: any sum of two doubles, and any midpoint of adjacent sums, is exact.
class number {
 public:
  number() {
    mpfr_init2(value_, 12000);
    mpfr_set_zero(value_, 1);
  }
  number(const number& other) : number() { mpfr_set(value_, other.value_, MPFR_RNDN); }
  number& operator=(const number&) = delete;
  explicit number(dd_real x) : number() {
    mpfr_set_d(value_, x.hi, MPFR_RNDN);
    if (x.lo != 0.0) mpfr_add_d(value_, value_, x.lo, MPFR_RNDN);
  }
  /// The text's value; where it has more digits than fit, a number on the same side of every midpoint.
  explicit number(const std::string& text, int base = 10) : number() {
    char* end = nullptr;
    mpfr_t leading;
    mpfr_init2(leading, 8000);
    int is_inexact = mpfr_strtofr(leading, text.c_str(), &end, base, MPFR_RNDZ);
    mpfr_set(value_, leading, MPFR_RNDN);
    if (is_inexact != 0) mpfr_sgn(value_) > 0 ? mpfr_nextabove(value_) : mpfr_nextbelow(value_);
    mpfr_clear(leading);
  }
  ~number() { mpfr_clear(value_); }

  mpfr_ptr get() { return value_; }

  /// hi = RN(x), lo = RN(x − hi), canonical.
  dd_real nearest() const {
    double hi = mpfr_get_d(value_, MPFR_RNDN);
    if (!std::isfinite(hi)) return {hi, 0.0};
    number rest(*this);
    mpfr_sub_d(rest.value_, rest.value_, hi, MPFR_RNDN);
    double lo = mpfr_get_d(rest.value_, MPFR_RNDN);
    if (lo == 0.0) return {hi, 0.0};
    double sum = hi + lo;
    if (!std::isfinite(sum)) return {sum, 0.0};
    return {sum, lo - (sum - hi)};
  }

  /// printf's text, conversion being one of e, f, g.
  std::string print(char conversion, int precision, mpfr_rnd_t rounding = MPFR_RNDN) {
    const char format[] = {'%', '.', '*', 'R', '*', conversion, '\0'};
    char* text = nullptr;
    int size = mpfr_asprintf(&text, format, precision, rounding, value_);
    std::string result(text, static_cast<std::size_t>(size));
    mpfr_free_str(text);
    return result;
  }

  /// All digits, as "123e-4".
  std::string print_exactly() {
    mpfr_exp_t exponent;
    std::unique_ptr<char, void (*)(char*)> digits(mpfr_get_str(nullptr, &exponent, 10, 2400, value_, MPFR_RNDN),
                                                  mpfr_free_str);
    std::string s(digits.get());
    std::size_t sign = s[0] == '-';
    s.erase(std::max(s.find_last_not_of('0') + 1, sign + 1));
    return s + "e" + std::to_string(exponent - static_cast<long>(s.size() - sign));
  }

 private:
  mpfr_t value_;
};

/// dd_real of every kind, from a fixed seed.
class numbers {
 public:
  explicit numbers(unsigned seed) : engine_(seed) {}

  /// Normal hi, and lo of 53 bits right below it: |lo| is at least a quarter of an ulp of hi.
  dd_real contiguous() {
    while (true) {
      double hi = with_exponent(uniform(-900, 1023));
      dd_real x = canonical(hi, std::ldexp(with_exponent(0), std::ilogb(hi) - 54));
      if (x.lo != 0.0 && std::ilogb(x.lo) >= std::ilogb(x.hi) - 54) return x;
    }
  }
  /// Any kind: gaps, subnormals, lo of half an ulp, powers of two and their neighbours.
  dd_real any() {
    double hi = with_exponent(uniform(-1074, 1023));
    switch (uniform(0, 7)) {
      case 0:
        return contiguous();
      case 1:
        return canonical(hi, std::ldexp(with_exponent(0), std::ilogb(hi) - uniform(54, 1200)));
      case 2:
        return {hi, 0.0};
      case 3:
        return canonical(hi, half_ulp(hi));
      case 4:
        return canonical(hi, std::nextafter(half_ulp(hi), 0.0));
      case 5:
        hi = std::ldexp(sign(), uniform(-1074, 1023));
        return canonical(hi, uniform(0, 1) != 0 ? half_ulp(hi) / 2 : std::ldexp(sign(), uniform(-1074, 970)));
      case 6:
        return canonical(hi, std::ldexp(sign(), std::ilogb(hi) - uniform(54, 1200)));
      default:
        return canonical(with_exponent(uniform(-1074, -1010)), with_exponent(-1074));
    }
  }
  int uniform(int least, int most) { return std::uniform_int_distribution(least, most)(engine_); }
  std::string digits(std::size_t count) {
    std::string s(count, '0');
    for (char& c : s) c = static_cast<char>('0' + uniform(0, 9));
    return s;
  }

 private:
  static dd_real canonical(double a, double b) {
    dd_real x = dd_real::sum(a, b);
    return std::isfinite(x.hi) ? x : dd_real(a);
  }
  double sign() { return uniform(0, 1) != 0 ? 1.0 : -1.0; }
  double with_exponent(int exponent) {
    std::uint64_t bits = engine_() >> 12;
    // Long runs of equal bits make carries and ties.
    if (uniform(0, 3) == 0) bits &= ~std::uint64_t{0} << uniform(0, 51);
    if (uniform(0, 3) == 0) bits |= (std::uint64_t{1} << uniform(0, 51)) - 1;
    return sign() * std::ldexp(std::bit_cast<double>(bits | std::uint64_t{1023} << 52), exponent);
  }
  double half_ulp(double x) { return sign() * std::ldexp(1.0, std::max(std::ilogb(x) - 53, -1074)); }

  std::mt19937_64 engine_;
};

inline bool same_bits(dd_real x, dd_real y) {
  return std::bit_cast<std::uint64_t>(x.hi) == std::bit_cast<std::uint64_t>(y.hi) && x.lo == y.lo;
}

}  // namespace hilo::oracle
