// Vectors in S, D, C and Z, side by side: through CBLAS where it has the routine, by plain loops otherwise. Callers
// give parts of a few thousand elements, for which no CBLAS wakes threads of its own.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>

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

/// The sum of term(i), i < n: 16 columns, term i in column i mod 16, whose upper halves are added to the lower ones
/// until one is left. Not a CBLAS's, whose bits depend on where vectors lie. Terms are read from `vectors`.
template <class W, class Term, class... Vector>
W sum_of(std::int64_t n, Term term, Vector... vectors) {
  constexpr std::int64_t columns = 16, line = 64 / sizeof(W);
  // What comes 4 KiB later is on its way.
  const auto expect = [](const W* x) {
    const auto place = reinterpret_cast<std::uintptr_t>(x) + 4096;
    for (std::int64_t j = 0; j < columns; j += line) {
      __builtin_prefetch(reinterpret_cast<const void*>(place + static_cast<std::uintptr_t>(j) * sizeof(W)));
    }
  };
  W column[columns] = {};
  std::int64_t i = 0;
  for (; i + columns <= n; i += columns) {
    (expect(vectors + i), ...);
    for (std::int64_t j = 0; j < columns; ++j) column[j] += term(i + j);
  }
  for (std::int64_t j = 0; i + j < n; ++j) column[j] += term(i + j);
  for (std::int64_t half = columns / 2; half > 0; half /= 2) {
    for (std::int64_t j = 0; j < half; ++j) column[j] += column[j + half];
  }
  return column[0];
}

}  // namespace hilo::blas::native
