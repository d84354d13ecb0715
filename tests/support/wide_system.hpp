// Systems with a given condition, and their solutions in 420 bits by MPFR.
#pragma once

#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <hilo/gemm.hpp>
#include <hilo/lapack.hpp>
#include <vector>

#include "matrices.hpp"
#include "random.hpp"

namespace hilo::test {

/// A real number of 420 bits, or as many as `precision` says when it is made.
class Bits {
 public:
  static inline mpfr_prec_t precision = 420;

  Bits(double x = 0.0) { mpfr_init2(x_, precision), mpfr_set_d(x_, x, MPFR_RNDN); }
  Bits(const dd_real& x) : Bits(x.hi) { mpfr_add_d(x_, x_, x.lo, MPFR_RNDN); }
  Bits(const Bits& y) : Bits() { mpfr_set(x_, y.x_, MPFR_RNDN); }
  Bits& operator=(const Bits& y) {
    mpfr_set(x_, y.x_, MPFR_RNDN);
    return *this;
  }
  ~Bits() { mpfr_clear(x_); }
  Bits& operator+=(const Bits& y) {
    mpfr_add(x_, x_, y.x_, MPFR_RNDN);
    return *this;
  }
  Bits& operator-=(const Bits& y) {
    mpfr_sub(x_, x_, y.x_, MPFR_RNDN);
    return *this;
  }
  Bits& operator*=(const Bits& y) {
    mpfr_mul(x_, x_, y.x_, MPFR_RNDN);
    return *this;
  }
  Bits& operator/=(const Bits& y) {
    mpfr_div(x_, x_, y.x_, MPFR_RNDN);
    return *this;
  }
  Bits root() const {
    Bits y;
    mpfr_sqrt(y.x_, x_, MPFR_RNDN);
    return y;
  }
  double value() const { return mpfr_get_d(x_, MPFR_RNDN); }
  double magnitude() const { return std::fabs(value()); }

 private:
  mpfr_t x_;
};

/// A complex one.
struct WideNumber {
  Bits re, im;

  WideNumber() = default;
  WideNumber(const dd_complex& x) : re(x.re), im(x.im) {}
  WideNumber& operator-=(const WideNumber& y) {
    re -= y.re;
    im -= y.im;
    return *this;
  }
  double magnitude() const { return std::hypot(re.value(), im.value()); }
};

inline WideNumber operator*(const WideNumber& x, const WideNumber& y) {
  WideNumber z = x;
  z.re *= y.re;
  z.im *= y.re;
  if (x.im.magnitude() == 0.0 && y.im.magnitude() == 0.0) return z;
  Bits a = x.im, b = x.re;
  a *= y.im;
  b *= y.im;
  z.re -= a;
  z.im += b;
  return z;
}

inline WideNumber operator/(const WideNumber& x, const WideNumber& y) {
  WideNumber conjugate = y;
  conjugate.im *= Bits(-1.0);
  const WideNumber norm = y * conjugate;
  WideNumber z = x * conjugate;
  z.re /= norm.re;
  z.im /= norm.re;
  return z;
}

/// A⁻¹ · b by elimination with partial pivoting; entries of A and b are wide(…).
template <class A, class B>
std::vector<WideNumber> wide_solution(std::int64_t n, A a, B b) {
  const auto size = static_cast<std::size_t>(n);
  std::vector<std::vector<WideNumber>> rows(size, std::vector<WideNumber>(size + 1));
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      rows[i][j] = WideNumber(a(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)));
    }
    rows[i][size] = WideNumber(b(static_cast<std::int64_t>(i)));
  }
  for (std::size_t k = 0; k < size; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < size; ++i) {
      if (rows[i][k].magnitude() > rows[pivot][k].magnitude()) pivot = i;
    }
    std::swap(rows[k], rows[pivot]);
    for (std::size_t i = k + 1; i < size; ++i) {
      if (rows[i][k].magnitude() == 0.0) continue;
      const WideNumber factor = rows[i][k] / rows[k][k];
      for (std::size_t j = k + 1; j <= size; ++j) rows[i][j] -= factor * rows[k][j];
    }
  }
  std::vector<WideNumber> x(size);
  for (std::size_t i = size; i-- > 0;) {
    WideNumber sum = rows[i][size];
    for (std::size_t j = i + 1; j < size; ++j) sum -= rows[i][j] * x[j];
    x[i] = sum / rows[i][i];
  }
  return x;
}

/// Errors of a solution in u² = 2^-106 (or 2^-53, 2^-24 of its precision): of the largest entry, and of each by itself.
struct SolutionError {
  double norm = 0.0, component = 0.0;
};

template <class T>
SolutionError error_of(const std::vector<WideNumber>& exact, const T* x) {
  SolutionError e;
  double largest = 0.0, error = 0.0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    WideNumber difference = exact[i];
    difference -= WideNumber(wide(x[i]));
    const double d = difference.magnitude(), size = exact[i].magnitude();
    largest = std::max(largest, size);
    error = std::max(error, d);
    if (d > 0.0) e.component = std::max(e.component, d / size);
  }
  const double unit = std::ldexp(1.0, error_unit(precision_of<T>));
  e.norm = error / largest / unit;
  e.component /= unit;
  return e;
}

/// Columns that are orthogonal to double.
template <class T>
std::vector<T> nearly_orthogonal(std::int64_t n, std::uint64_t seed) {
  using D = std::conditional_t<is_complex(precision_of<T>), std::complex<double>, double>;
  std::vector<D> q(static_cast<std::size_t>(n * n)), tau(static_cast<std::size_t>(n));
  Random random(seed);
  for (D& e : q) {
    if constexpr (is_complex(precision_of<T>)) {
      const double re = random.uniform();
      e = {re, random.uniform()};
    } else {
      e = random.uniform();
    }
  }
  const auto a = view(Layout::column, Op::none, q.data(), n, n, n);
  geqrf(a, std::span(tau));
  ungqr(a, std::span<const D>(tau));
  return std::vector<T>(q.begin(), q.end());
}

/// n × n, by columns, with singular values of_value(j), Hermitian or not.
template <double_double T, class Value>
std::vector<T> matrix_of_values(std::int64_t n, std::uint64_t seed, bool is_hermitian, Value of_value) {
  std::vector<T> left = nearly_orthogonal<T>(n, 2 * seed), right = left;
  if (!is_hermitian) right = nearly_orthogonal<T>(n, 2 * seed + 1);
  std::vector<T> a(left.size());
  for (std::int64_t j = 0; j < n; ++j) {
    const dd_real value = of_value(j);
    for (std::int64_t i = 0; i < n; ++i) {
      T& e = left[static_cast<std::size_t>(i + j * n)];
      e = e * T(value);
    }
  }
  const auto of = [n](std::vector<T>& x) { return view(Layout::column, Op::none, x.data(), n, n, n); };
  gemm(T(1), of(left), of(right).turned(is_hermitian ? Op::conjugate_transpose : Op::none), T(0), of(a));
  return a;
}

/// From 1 down to 1 / condition, in geometric progression, or all but one of them 1.
inline double value_of(std::int64_t j, std::int64_t n, double condition, bool one_is_small) {
  if (one_is_small) return j == n - 1 ? 1.0 / condition : 1.0;
  return n == 1 ? 1.0 : std::pow(condition, -static_cast<double>(j) / static_cast<double>(n - 1));
}

template <double_double T>
std::vector<T> matrix_with_condition(std::int64_t n, double condition, std::uint64_t seed, bool one_is_small = false) {
  return matrix_of_values<T>(n, seed, false, [=](std::int64_t j) { return value_of(j, n, condition, one_is_small); });
}

/// Hermitian, positive definite or with values of either sign; of complex numbers Hermitian.
template <double_double T>
std::vector<T> hermitian_with_condition(std::int64_t n, double condition, std::uint64_t seed, bool is_positive) {
  return matrix_of_values<T>(n, seed, true, [=](std::int64_t j) {
    const double value = value_of(j, n, condition, false);
    return is_positive || j % 3 != 1 ? value : -value;
  });
}

}  // namespace hilo::test
