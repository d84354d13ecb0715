// Matrices spread over words, as blocks that are computed without products want them: hi and lo apart, real and
// imaginary parts apart.
#pragma once

#include <cstdint>
#include <hilo/matrix.hpp>
#include <hilo/precision.hpp>

#include "matrix/sizes.hpp"

namespace hilo::blas {

template <gemm_scalar T>
using Word = std::conditional_t<precisions::is_single(precision_of<T>), float, double>;

/// Words of an element: re.hi re.lo im.hi im.lo, as far as it has them.
template <gemm_scalar T>
inline constexpr int word_count = precisions::parts(precision_of<T>) * precisions::words(precision_of<T>);

/// Lines of elements side by side: word w of element i of line k is line(k)[w · pitch + i].
template <gemm_scalar T>
class Lines {
 public:
  Lines() = default;
  Lines(Word<T>* data, std::int64_t length) : data_(data), pitch_(padded(length)) {}

  static std::int64_t bytes(std::int64_t lines, std::int64_t length) {
    return lines * word_count<T> * padded(length) * static_cast<std::int64_t>(sizeof(Word<T>));
  }

  std::int64_t pitch() const { return pitch_; }
  Word<T>* line(std::int64_t k) const { return data_ + k * word_count<T> * pitch_; }

  T get(std::int64_t i, std::int64_t k) const {
    const Word<T>* x = line(k) + i;
    if constexpr (std::same_as<T, dd_real>) {
      return dd_real(x[0], x[pitch_]);
    } else if constexpr (std::same_as<T, dd_complex>) {
      return dd_complex(dd_real(x[0], x[pitch_]), dd_real(x[2 * pitch_], x[3 * pitch_]));
    } else if constexpr (is_complex(precision_of<T>)) {
      return T(x[0], x[pitch_]);
    } else {
      return x[0];
    }
  }

  void put(std::int64_t i, std::int64_t k, const T& y) const {
    Word<T>* x = line(k) + i;
    if constexpr (std::same_as<T, dd_real>) {
      x[0] = y.hi;
      x[pitch_] = y.lo;
    } else if constexpr (std::same_as<T, dd_complex>) {
      x[0] = y.re.hi;
      x[pitch_] = y.re.lo;
      x[2 * pitch_] = y.im.hi;
      x[3 * pitch_] = y.im.lo;
    } else if constexpr (is_complex(precision_of<T>)) {
      x[0] = y.real();
      x[pitch_] = y.imag();
    } else {
      x[0] = y;
    }
  }

 private:
  // A multiple of any vector, and of no page, so that lines do not fall on each other in a cache.
  static std::int64_t padded(std::int64_t length) { return round_up(length, 16) + 16; }

  Word<T>* data_ = nullptr;
  std::int64_t pitch_ = 0;
};

/// conj(x) where it is to be taken.
template <class T>
T conjugated(const T& x, bool conjugate) {
  if constexpr (is_complex(precision_of<T>)) {
    return conjugate ? conj(x) : x;
  } else {
    return x;
  }
}

/// The element that a view shows.
template <class T>
std::remove_const_t<T> element(const MatrixView<T>& x, std::int64_t i, std::int64_t j) {
  return conjugated<std::remove_const_t<T>>(x(i, j), x.conjugate);
}

}  // namespace hilo::blas
