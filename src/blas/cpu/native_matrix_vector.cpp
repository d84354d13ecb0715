// In S, D, C and Z: through CBLAS where it has the routine, by columns of blocks otherwise, by plain loops without it.
#include <algorithm>
#include <complex>
#include <vector>

#include "blas/cpu/matrix_vector.hpp"
#include "blas/words.hpp"
#include "gemm/native/cblas.hpp"

#if HILO_HAS_CBLAS
#include <cblas.h>
#endif

namespace hilo::blas {
namespace {

// Without the search for NaN and Inf of std::complex, as CBLAS.
template <class R>
R times(R x, R y) {
  return x * y;
}
template <class R>
std::complex<R> times(const std::complex<R>& x, const std::complex<R>& y) {
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

#if HILO_HAS_CBLAS

// How CBLAS sees a matrix: a conjugated one as the conjugate transpose of its transpose, which lies in the other
// layout.
template <class T>
struct Matrix {
  CBLAS_ORDER order;
  CBLAS_TRANSPOSE op;
  int rows, columns, leading;
  const T* data;

  explicit Matrix(const MatrixView<const T>& a) : data(a.data) {
    const bool is_turned = is_complex(precision_of<T>) && a.conjugate;
    const bool by_columns = (a.row_stride == 1 || a.rows == 1) && (a.column_stride >= a.rows || a.columns == 1);
    const std::int64_t lines = by_columns ? a.columns : a.rows, line = by_columns ? a.rows : a.columns;
    const std::int64_t apart = by_columns ? a.column_stride : a.row_stride;
    leading = static_cast<int>(lines <= 1 ? std::max<std::int64_t>(line, 1) : apart);
    order = by_columns != is_turned ? CblasColMajor : CblasRowMajor;
    op = is_turned ? CblasConjTrans : CblasNoTrans;
    rows = static_cast<int>(is_turned ? a.columns : a.rows);
    columns = static_cast<int>(is_turned ? a.rows : a.columns);
  }
  CBLAS_UPLO triangle(Uplo uplo) const {
    return (uplo == Uplo::lower) == (op == CblasNoTrans) ? CblasLower : CblasUpper;
  }
};
CBLAS_DIAG of(Diag diag) { return diag == Diag::unit ? CblasUnit : CblasNonUnit; }

template <class T>
void product(int, const MatrixView<const T>& view, const T* x, T* y) {
  const Matrix<T> a(view);
  const T one(1), zero(0);
  if constexpr (std::same_as<T, float>) {
    cblas_sgemv(a.order, a.op, a.rows, a.columns, one, a.data, a.leading, x, 1, zero, y, 1);
  } else if constexpr (std::same_as<T, double>) {
    cblas_dgemv(a.order, a.op, a.rows, a.columns, one, a.data, a.leading, x, 1, zero, y, 1);
  } else if constexpr (std::same_as<T, std::complex<float>>) {
    cblas_cgemv(a.order, a.op, a.rows, a.columns, &one, a.data, a.leading, x, 1, &zero, y, 1);
  } else {
    cblas_zgemv(a.order, a.op, a.rows, a.columns, &one, a.data, a.leading, x, 1, &zero, y, 1);
  }
}

template <class T>
void triangle_product(int, Uplo uplo, Diag diag, const MatrixView<const T>& view, T* x) {
  const Matrix<T> a(view);
  const auto part = a.triangle(uplo);
  if constexpr (std::same_as<T, float>) {
    cblas_strmv(a.order, part, a.op, of(diag), a.rows, a.data, a.leading, x, 1);
  } else if constexpr (std::same_as<T, double>) {
    cblas_dtrmv(a.order, part, a.op, of(diag), a.rows, a.data, a.leading, x, 1);
  } else if constexpr (std::same_as<T, std::complex<float>>) {
    cblas_ctrmv(a.order, part, a.op, of(diag), a.rows, a.data, a.leading, x, 1);
  } else {
    cblas_ztrmv(a.order, part, a.op, of(diag), a.rows, a.data, a.leading, x, 1);
  }
}

template <class T>
void triangle_solution(Uplo uplo, Diag diag, const MatrixView<const T>& view, T* x) {
  const Matrix<T> a(view);
  const auto part = a.triangle(uplo);
  if constexpr (std::same_as<T, float>) {
    cblas_strsv(a.order, part, a.op, of(diag), a.rows, a.data, a.leading, x, 1);
  } else if constexpr (std::same_as<T, double>) {
    cblas_dtrsv(a.order, part, a.op, of(diag), a.rows, a.data, a.leading, x, 1);
  } else if constexpr (std::same_as<T, std::complex<float>>) {
    cblas_ctrsv(a.order, part, a.op, of(diag), a.rows, a.data, a.leading, x, 1);
  } else {
    cblas_ztrsv(a.order, part, a.op, of(diag), a.rows, a.data, a.leading, x, 1);
  }
}

// Whether there is a routine of CBLAS for that.
template <class T>
bool symmetric_product(Symmetry symmetry, const MatrixView<const T>& view, const T* x, T* y) {
  const Matrix<T> a(view);
  const auto part = a.triangle(Uplo::lower);
  const T one(1), zero(0);
  if constexpr (std::same_as<T, float>) {
    cblas_ssymv(a.order, part, a.rows, one, a.data, a.leading, x, 1, zero, y, 1);
  } else if constexpr (std::same_as<T, double>) {
    cblas_dsymv(a.order, part, a.rows, one, a.data, a.leading, x, 1, zero, y, 1);
  } else {
    if (symmetry == Symmetry::symmetric) return false;
    if constexpr (std::same_as<T, std::complex<float>>) {
      cblas_chemv(a.order, part, a.rows, &one, a.data, a.leading, x, 1, &zero, y, 1);
    } else {
      cblas_zhemv(a.order, part, a.rows, &one, a.data, a.leading, x, 1, &zero, y, 1);
    }
  }
  return true;
}

#else

// y = A · x, rows shared, along whichever lines are contiguous.
template <class T>
void product(int threads, const MatrixView<const T>& a, const T* x, T* y) {
  host::for_parts(threads, a.rows, [&](std::int64_t begin, std::int64_t end) {
    std::fill(y + begin, y + end, T(0));
    if (a.row_stride == 1) {
      for (std::int64_t k = 0; k < a.columns; ++k) {
        for (std::int64_t i = begin; i < end; ++i) y[i] += times(element(a, i, k), x[k]);
      }
    } else {
      for (std::int64_t i = begin; i < end; ++i) {
        for (std::int64_t k = 0; k < a.columns; ++k) y[i] += times(element(a, i, k), x[k]);
      }
    }
  });
}

template <class T>
void triangle_product(int threads, Uplo uplo, Diag diag, const MatrixView<const T>& a, T* x) {
  const std::vector<T> from(x, x + a.rows);
  host::for_each(threads, a.rows, [&](std::int64_t i, int) {
    T sum = diag == Diag::unit ? from[i] : times(element(a, i, i), from[i]);
    const std::int64_t begin = uplo == Uplo::lower ? 0 : i + 1, end = uplo == Uplo::lower ? i : a.rows;
    for (std::int64_t k = begin; k < end; ++k) sum += times(element(a, i, k), from[k]);
    x[i] = sum;
  });
}

template <class T>
void triangle_solution(Uplo uplo, Diag diag, const MatrixView<const T>& a, T* x) {
  const bool is_lower = uplo == Uplo::lower;
  for (std::int64_t s = 0; s < a.rows; ++s) {
    const std::int64_t i = is_lower ? s : a.rows - 1 - s;
    for (std::int64_t k = is_lower ? 0 : i + 1; k < (is_lower ? i : a.rows); ++k) x[i] -= times(element(a, i, k), x[k]);
    if (diag == Diag::non_unit) x[i] /= element(a, i, i);
  }
}

template <class T>
bool symmetric_product(Symmetry, const MatrixView<const T>&, const T*, T*) {
  return false;
}

#endif

}  // namespace

template <gemm_scalar T>
void multiply(const VectorCall& call, const MatrixView<const T>& a, const T* x, T* y) {
  std::fill_n(y, a.rows, T(0));
  if (a.columns == 0) return;
  native::on_blas_threads(call.threads, [&] { product(call.threads, a, x, y); });
}

template <gemm_scalar T>
void multiply_symmetric(const VectorCall& call, Symmetry symmetry, const MatrixView<const T>& a, const T* x, T* y) {
  constexpr std::int64_t block = 64;
  const bool is_hermitian = symmetry == Symmetry::hermitian;
  const std::int64_t n = a.rows;
  std::fill_n(y, n, T(0));
  native::on_blas_threads(call.threads, [&] {
    if (symmetric_product(symmetry, a, x, y)) return;
    const host::Workspace memory(n * static_cast<std::int64_t>(sizeof(T)));
    T* const part = reinterpret_cast<T*>(memory.data());
    for (std::int64_t first = 0; first < n; first += block) {
      const std::int64_t width = std::min(block, n - first), last = first + width;
      for (std::int64_t j = first; j < last; ++j) {
        const T diagonal = element(a, j, j);
        y[j] += times(is_hermitian ? T(std::real(diagonal)) : diagonal, x[j]);
        for (std::int64_t i = j + 1; i < last; ++i) {
          y[i] += times(element(a, i, j), x[j]);
          y[j] += times(conjugated(element(a, i, j), is_hermitian), x[i]);
        }
      }
      if (last == n) break;
      const MatrixView<const T> below = a.sub(last, first, n - last, width);
      product<T>(call.threads, below, x + first, part);
      for (std::int64_t i = last; i < n; ++i) y[i] += part[i - last];
      product<T>(call.threads, below.turned(is_hermitian ? Op::conjugate_transpose : Op::transpose), x + last, part);
      for (std::int64_t i = first; i < last; ++i) y[i] += part[i - first];
    }
  });
}

template <gemm_scalar T>
void multiply_triangle(const VectorCall& call, Uplo uplo, Diag diag, const MatrixView<const T>& a, const T* x, T* y) {
  std::copy_n(x, a.rows, y);
  native::on_blas_threads(call.threads, [&] { triangle_product(call.threads, uplo, diag, a, y); });
}

template <gemm_scalar T>
void solve_triangle(const VectorCall& call, Uplo uplo, Diag diag, const MatrixView<const T>& a, T* x) {
  native::on_blas_threads(call.threads, [&] { triangle_solution(uplo, diag, a, x); });
}

#define HILO_INSTANTIATE(T)                                                                                    \
  template void multiply<T>(const VectorCall&, const MatrixView<const T>&, const T*, T*);                      \
  template void multiply_symmetric<T>(const VectorCall&, Symmetry, const MatrixView<const T>&, const T*, T*);  \
  template void multiply_triangle<T>(const VectorCall&, Uplo, Diag, const MatrixView<const T>&, const T*, T*); \
  template void solve_triangle<T>(const VectorCall&, Uplo, Diag, const MatrixView<const T>&, T*);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
#undef HILO_INSTANTIATE

}  // namespace hilo::blas
