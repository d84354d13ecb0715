// The arithmetic of blocks without products on lines of a precision: reference.hpp on many elements at a time.
#pragma once

#include <cstring>
#include <hilo/gemm.hpp>

#include "blas/cpu/kernels.hpp"
#include "blas/reference.hpp"
#include "blas/words.hpp"

namespace hilo::blas {

/// Which factor of a product the scalar is; the steps of double-doubles are not symmetric in them.
enum class Factor : std::uint8_t { right, left };

template <gemm_scalar T>
class LineArithmetic {
 public:
  /// Takes options.fma, options.engine and options.target. Throws unsupported for an unknown target.
  explicit LineArithmetic(const GemmOptions& options) {
    if constexpr (double_double<T>) {
      set_ = &kernel_set(options.target);
      const Fma fma = options.engine == Engine::reproducible ? Fma::on : options.fma;
      fma_ = fma == Fma::automatic ? set_->has_fma : fma == Fma::on;
    }
  }

  /// Lines first … last − 1 times scalars[0] … are added to line `to`, elements begin … end − 1 of them. A scalar's
  /// words are side by side.
  struct Sum {
    std::int64_t to, first, last, begin, end;
  };
  void add_products(const Lines<T>& x, const Sum& sum, const Word<T>* scalars, Factor scalar) const;

  /// Elements begin … end − 1 of line k divided by d.
  void divide(const Lines<T>& x, std::int64_t k, const Divisor<T>& d, std::int64_t begin, std::int64_t end) const;

  /// Elements 0 … n − 1 of line k = y · element.
  void scale(const Lines<T>& x, std::int64_t k, const T& y, std::int64_t n) const {
    for (std::int64_t i = 0; i < n; ++i) x.put(i, k, times(y, x.get(i, k)));
  }

 private:
  static T times(const T& x, const T& y) {
    if constexpr (std::same_as<T, dd_complex>) {
      return dd_complex::multiply_finite(x, y);
    } else {
      return x * y;
    }
  }

  const KernelSet* set_ = nullptr;
  bool fma_ = false;
};

/// The words of a number, side by side.
template <gemm_scalar T>
void put_words(const T& x, Word<T>* to) {
  static_assert(sizeof(T) == word_count<T> * sizeof(Word<T>));
  std::memcpy(to, &x, sizeof x);
}
template <gemm_scalar T>
T from_words(const Word<T>* from) {
  T x;
  std::memcpy(static_cast<void*>(&x), from, sizeof x);
  return x;
}

}  // namespace hilo::blas
