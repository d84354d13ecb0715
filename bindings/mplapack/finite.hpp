// Whether what a routine is given is finite: hilo refuses other matrices, where LAPACK has an info.
#pragma once

#include <cmath>
#include <cstdint>
#include <hilo/gemm.hpp>

namespace hilo::mplapack {

inline bool is_finite(const dd_real& x) { return std::isfinite(x.hi) && std::isfinite(x.lo); }
inline bool is_finite(const dd_complex& x) { return is_finite(x.re) && is_finite(x.im); }

/// What is taken of a Hermitian matrix's diagonal.
inline bool has_finite_real_part(const dd_real& x) { return is_finite(x); }
inline bool has_finite_real_part(const dd_complex& x) { return is_finite(x.re); }

template <class T>
bool is_finite(std::int64_t m, std::int64_t n, const T* a, std::int64_t lda) {
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) {
      if (!is_finite(a[i + j * lda])) return false;
    }
  }
  return true;
}

/// Of a Hermitian matrix by a triangle.
template <class T>
bool is_finite(Uplo uplo, std::int64_t n, const T* a, std::int64_t lda) {
  for (std::int64_t j = 0; j < n; ++j) {
    if (!has_finite_real_part(a[j + j * lda])) return false;
    const std::int64_t first = uplo == Uplo::lower ? j + 1 : 0, last = uplo == Uplo::lower ? n : j;
    for (std::int64_t i = first; i < last; ++i) {
      if (!is_finite(a[i + j * lda])) return false;
    }
  }
  return true;
}

}  // namespace hilo::mplapack
