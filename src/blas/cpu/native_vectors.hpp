// Vectors in S, D, C and Z, side by side: through CBLAS where it has the routine, by plain loops otherwise. Callers
// give parts of a few thousand elements, for which no CBLAS wakes threads of its own.
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <hilo/precision.hpp>
#include <type_traits>

#include "host/expect.hpp"

#if HILO_HAS_CBLAS
#include <cblas.h>
#endif

namespace hilo::blas::native {

#if HILO_HAS_CBLAS

inline void axpy(std::int64_t n, float alpha, const float* x, float* y) {
  cblas_saxpy(static_cast<int>(n), alpha, x, 1, y, 1);
}
inline void axpy(std::int64_t n, double alpha, const double* x, double* y) {
  cblas_daxpy(static_cast<int>(n), alpha, x, 1, y, 1);
}
inline void axpy(std::int64_t n, std::complex<float> alpha, const std::complex<float>* x, std::complex<float>* y) {
  cblas_caxpy(static_cast<int>(n), &alpha, x, 1, y, 1);
}
inline void axpy(std::int64_t n, std::complex<double> alpha, const std::complex<double>* x, std::complex<double>* y) {
  cblas_zaxpy(static_cast<int>(n), &alpha, x, 1, y, 1);
}

inline void scale(std::int64_t n, float alpha, float* x) { cblas_sscal(static_cast<int>(n), alpha, x, 1); }
inline void scale(std::int64_t n, double alpha, double* x) { cblas_dscal(static_cast<int>(n), alpha, x, 1); }
inline void scale(std::int64_t n, std::complex<float> alpha, std::complex<float>* x) {
  cblas_cscal(static_cast<int>(n), &alpha, x, 1);
}
inline void scale(std::int64_t n, std::complex<double> alpha, std::complex<double>* x) {
  cblas_zscal(static_cast<int>(n), &alpha, x, 1);
}

inline void rotate(std::int64_t n, float c, float s, float* x, float* y) {
  cblas_srot(static_cast<int>(n), x, 1, y, 1, c, s);
}
inline void rotate(std::int64_t n, double c, double s, double* x, double* y) {
  cblas_drot(static_cast<int>(n), x, 1, y, 1, c, s);
}

#else

template <class T>
void axpy(std::int64_t n, T alpha, const T* x, T* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] += alpha * x[i];
}
template <class R>
void axpy(std::int64_t n, std::complex<R> alpha, const std::complex<R>* x, std::complex<R>* y) {
  const R re = alpha.real(), im = alpha.imag();
  for (std::int64_t i = 0; i < n; ++i) {
    const R a = x[i].real(), b = x[i].imag();
    y[i] = {(re * a - im * b) + y[i].real(), (re * b + im * a) + y[i].imag()};
  }
}

template <class T>
void scale(std::int64_t n, T alpha, T* x) {
  for (std::int64_t i = 0; i < n; ++i) x[i] = alpha * x[i];
}
template <class R>
void scale(std::int64_t n, std::complex<R> alpha, std::complex<R>* x) {
  const R re = alpha.real(), im = alpha.imag();
  for (std::int64_t i = 0; i < n; ++i) {
    const R a = x[i].real(), b = x[i].imag();
    x[i] = {re * a - im * b, re * b + im * a};
  }
}

template <class T>
void rotate(std::int64_t n, T c, T s, T* x, T* y) {
  for (std::int64_t i = 0; i < n; ++i) {
    const T a = x[i], b = y[i];
    x[i] = c * a + s * b;
    y[i] = c * b - s * a;
  }
}

#endif

template <class R>
void rotate(std::int64_t n, R c, std::complex<R> s, std::complex<R>* x, std::complex<R>* y) {
  const R re = s.real(), im = s.imag();
  for (std::int64_t i = 0; i < n; ++i) {
    const R x_re = x[i].real(), x_im = x[i].imag(), y_re = y[i].real(), y_im = y[i].imag();
    x[i] = {c * x_re + (re * y_re - im * y_im), c * x_im + (re * y_im + im * y_re)};
    y[i] = {c * y_re - (re * x_re + im * x_im), c * y_im - (re * x_im - im * x_re)};
  }
}

/// The sums of term(i), i < n, of each of `terms`: 16 columns, term i in column i mod 16, whose upper halves are added
/// to the lower ones until one is left. Not a CBLAS's, whose bits depend on where vectors lie. Terms are read from x
/// and y, which may be the same.
template <class W, class... Term>
std::array<W, sizeof...(Term)> sums_of(host::Ahead ahead, std::int64_t n, const W* x, const W* y, Term... terms) {
  constexpr std::int64_t columns = 16;
  constexpr std::size_t count = sizeof...(Term);
  W column[count][columns] = {};
  const auto add = [&](std::int64_t i, std::int64_t some) {
    std::size_t s = 0;
    const auto add_one = [&](W(&to)[columns], auto term) {
      for (std::int64_t j = 0; j < some; ++j) to[j] += term(i + j);
    };
    (add_one(column[s++], terms), ...);
  };
  // Terms of 256 bytes.
  constexpr std::int64_t together = 256 / sizeof(W);
  std::int64_t i = 0;
  for (; i + together <= n; i += together) {
    host::expect<256>(ahead, x + i);
    if (x != y) host::expect<256>(ahead, y + i);
    for (std::int64_t k = i; k < i + together; k += columns) add(k, columns);
  }
  for (; i + columns <= n; i += columns) add(i, columns);
  add(i, n - i);
  std::array<W, count> sums;
  for (std::size_t s = 0; s < count; ++s) {
    for (std::int64_t half = columns / 2; half > 0; half /= 2) {
      for (std::int64_t j = 0; j < half; ++j) column[s][j] += column[s][j + half];
    }
    sums[s] = column[s][0];
  }
  return sums;
}

/// Whether |Re| + |Im| of any of n elements is above `most`, or NaN; of double-doubles, by their hi parts.
template <class T, class R>
bool is_any_above(host::Ahead ahead, std::int64_t n, const T* x, R most) {
  using Word = std::conditional_t<sizeof(R) == sizeof(std::int32_t), std::int32_t, std::int64_t>;
  constexpr std::int64_t group = 128 / sizeof(R), size = sizeof(T) / sizeof(R);
  // Where Im lies.
  constexpr std::int64_t second = is_complex(precision_of<T>) ? size / 2 : 0;
  const R* const words = reinterpret_cast<const R*>(x);
  const auto above = [=](std::int64_t i) {
    R m = std::fabs(words[i * size]);
    if constexpr (second > 0) m += std::fabs(words[i * size + second]);
    return m <= most ? Word{0} : Word{-1};
  };
  Word any = 0;
  std::int64_t i = 0;
  for (; i + group <= n; i += group) {
    host::expect<group * sizeof(T)>(ahead, x + i);
    for (std::int64_t j = i; j < i + group; ++j) any |= above(j);
  }
  for (; i < n; ++i) any |= above(i);
  return any != 0;
}

}  // namespace hilo::blas::native
