#include "blas/cpu/vectors.hpp"

#include "blas/cpu/native_vectors.hpp"
#include "dd/kernel_sets.hpp"

namespace hilo::blas {

VectorCall::VectorCall(Precision precision, const BlockedOptions& options, std::int64_t bytes)
    : threads(options.threads > 0 ? options.threads : host::default_threads()),
      set(is_double_double(precision) ? &detail::kernel_set_of_name(array::kernel_sets(), options.target) : nullptr) {
  // Waking threads takes as long as reading some thousand cache lines.
  constexpr std::int64_t least_bytes = std::int64_t{1} << 18;
  if (bytes < least_bytes) threads = 1;
  ahead = host::ahead_of(bytes / threads);
}

template <gemm_scalar T>
void VectorArithmetic<T>::axpy(std::int64_t n, const T& alpha, const T* x, T* y) const {
  if constexpr (std::same_as<T, dd_real>) {
    set->axpy(n, alpha, x, y, ahead);
  } else if constexpr (std::same_as<T, dd_complex>) {
    set->axpy_complex(n, alpha, x, y, ahead);
  } else {
    native::axpy(n, alpha, x, y);
  }
}

template <gemm_scalar T>
void VectorArithmetic<T>::scale(std::int64_t n, const T& alpha, T* x) const {
  if constexpr (std::same_as<T, dd_real>) {
    set->scale(n, alpha, x, ahead);
  } else if constexpr (std::same_as<T, dd_complex>) {
    set->scale_complex(n, alpha, x, ahead);
  } else {
    native::scale(n, alpha, x);
  }
}

template <gemm_scalar T>
void VectorArithmetic<T>::rotate(std::int64_t n, const real_type<T>& c, const T& s, T* x, T* y) const {
  if constexpr (std::same_as<T, dd_real>) {
    set->rotate(n, c, s, x, y, ahead);
  } else if constexpr (std::same_as<T, dd_complex>) {
    set->rotate_complex(n, c, s, x, y, ahead);
  } else {
    native::rotate(n, c, s, x, y);
  }
}

template struct VectorArithmetic<float>;
template struct VectorArithmetic<double>;
template struct VectorArithmetic<std::complex<float>>;
template struct VectorArithmetic<std::complex<double>>;
template struct VectorArithmetic<dd_real>;
template struct VectorArithmetic<dd_complex>;

}  // namespace hilo::blas
