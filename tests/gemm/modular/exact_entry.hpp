// Entries of a product computed exactly by MPFR, with room for any sum of products of doubles, and rounded once: of the
// matrices themselves, and of what the modular engine makes of them.
#pragma once

#include <mpfr.h>

#include <array>
#include <cmath>
#include <hilo/gemm.hpp>
#include <limits>

#include "modular_problems.hpp"

namespace hilo::test {

/// The real and the imaginary part, exactly.
template <class T>
std::array<dd_real, 2> parts(const T& x) {
  if constexpr (std::same_as<T, dd_complex>) {
    return {x.re, x.im};
  } else if constexpr (is_complex<T>) {
    return {dd_real(x.real()), dd_real(x.imag())};
  } else {
    return {dd_real(x), dd_real(0)};
  }
}

class ExactSum {
 public:
  ExactSum() {
    mpfr_init2(sum_, 2148 + 2048 + 64);  // from the last bit of the least product to the sum of 2^60 of the largest
    mpfr_init2(left_, 2148);
    mpfr_init2(right_, 2148);
    mpfr_init2(product_, 106);
    mpfr_set_zero(sum_, 1);
  }
  ~ExactSum() { mpfr_clears(sum_, left_, right_, product_, mpfr_ptr(nullptr)); }
  ExactSum(const ExactSum&) = delete;
  ExactSum& operator=(const ExactSum&) = delete;

  void add_product(dd_real x, dd_real y) {
    for (double v : {x.hi, x.lo}) {
      for (double w : {y.hi, y.lo}) {
        if (v == 0.0 || w == 0.0) continue;
        mpfr_set_d(product_, v, MPFR_RNDN);
        mpfr_mul_d(product_, product_, w, MPFR_RNDN);
        mpfr_add(sum_, sum_, product_, MPFR_RNDN);
      }
    }
  }

  /// The product of the integers nearest to x · 2^n and y · 2^m, ties to even.
  void add_integer_product(dd_real x, int n, dd_real y, int m) {
    if (!set_integer(left_, x, n) || !set_integer(right_, y, m)) return;
    mpfr_fma(sum_, left_, right_, sum_, MPFR_RNDN);
  }

  void scale(bool negative, int power) {
    mpfr_mul_2si(sum_, sum_, power, MPFR_RNDN);
    if (negative) mpfr_neg(sum_, sum_, MPFR_RNDN);
  }

  /// The sum, rounded to the nearest double or to two, subnormal ones included; +0 where it is 0.
  template <class Real>
  Real rounded() {
    double hi = take_word();
    if constexpr (std::same_as<Real, double>) {
      return hi;
    } else {
      if (!std::isfinite(hi)) return {hi, 0.0};
      double lo = take_word(), s = hi + lo;
      return std::isfinite(s) ? dd_real(s, lo - (s - hi)) : dd_real(s, 0.0);
    }
  }

 private:
  double take_word() {
    double word = mpfr_get_d(sum_, MPFR_RNDN);
    if (std::isfinite(word)) mpfr_sub_d(sum_, sum_, word, MPFR_RNDN);
    return word == 0.0 ? 0.0 : word;
  }

  static bool set_integer(mpfr_t r, dd_real x, int n) {
    mpfr_set_d(r, x.hi, MPFR_RNDN);
    mpfr_add_d(r, r, x.lo, MPFR_RNDN);
    mpfr_mul_2si(r, r, n, MPFR_RNDN);
    mpfr_rint(r, r, MPFR_RNDN);
    return !mpfr_zero_p(r);
  }

  mpfr_t sum_, left_, right_, product_;
};

/// ±2^power times a product whose terms `add(sum, h, left part, right part)` adds up, by part.
template <class T, class Left, class Right, class Add>
T entry_of(std::int64_t k, Left left, Right right, Add add, bool negative, int power) {
  using Real = std::conditional_t<double_double<T>, dd_real, double>;
  ExactSum re, im;
  for (std::int64_t h = 0; h < k; ++h) {
    auto x = parts(left(h)), y = parts(right(h));
    add(re, x[0], y[0]);
    if (!is_complex<T>) continue;
    add(re, -x[1], y[1]);
    add(im, x[0], y[1]);
    add(im, x[1], y[0]);
  }
  re.scale(negative, power);
  im.scale(negative, power);
  Real upper = re.rounded<Real>();
  if constexpr (is_complex<T>) {
    return T(upper, im.rounded<Real>());
  } else {
    return upper;
  }
}

/// ±2^power · A · B, rounded once.
template <class T>
std::vector<T> exact_product(const Problem<T>& p, bool negative = false, int power = 0) {
  std::vector<T> c;
  auto add = [](ExactSum& sum, dd_real x, dd_real y) { sum.add_product(x, y); };
  for (std::int64_t j = 0; j < p.n; ++j) {
    for (std::int64_t i = 0; i < p.m; ++i) {
      c.push_back(entry_of<T>(
          p.k, [&](std::int64_t h) { return p.left(i, h); }, [&](std::int64_t h) { return p.right(h, j); }, add,
          negative, power));
    }
  }
  return c;
}

/// A · B with each row of A and column of B scaled to integers of up to 2^bits and rounded, the product of those exact
/// and rounded once: the modular engine's definition where it neither balances nor leaves entries to the direct engine.
template <class T>
std::vector<T> defined_product(const Problem<T>& p, int bits) {
  auto exponent = [&](auto element) {
    int e = std::numeric_limits<int>::min();
    for (std::int64_t h = 0; h < p.k; ++h) {
      for (dd_real x : parts(element(h))) {
        if (x.hi != 0.0) e = std::max(e, 1 + std::ilogb(x.hi));
      }
    }
    return e == std::numeric_limits<int>::min() ? 0 : e;
  };
  std::vector<T> c;
  for (std::int64_t j = 0; j < p.n; ++j) {
    for (std::int64_t i = 0; i < p.m; ++i) {
      auto left = [&](std::int64_t h) { return p.left(i, h); };
      auto right = [&](std::int64_t h) { return p.right(h, j); };
      int e = exponent(left), f = exponent(right);
      auto add = [&](ExactSum& sum, dd_real x, dd_real y) { sum.add_integer_product(x, bits - e, y, bits - f); };
      c.push_back(entry_of<T>(p.k, left, right, add, false, e + f - 2 * bits));
    }
  }
  return c;
}

/// -1 if there is none; zeros are equal whatever their signs.
template <class T>
std::int64_t first_difference_in_value(const std::vector<T>& x, const std::vector<T>& y) {
  auto same = [](const T& v, const T& w) { return std::equal(words(v).begin(), words(v).end(), words(w).begin()); };
  auto at = std::mismatch(x.begin(), x.end(), y.begin(), y.end(), same).first;
  return at == x.end() ? -1 : at - x.begin();
}

}  // namespace hilo::test
