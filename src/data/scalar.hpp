// The real and imaginary parts of the six element types under one name.
#pragma once

#include <complex>
#include <hilo/complex.hpp>

namespace hilo::data {

template <class T>
struct Scalar {
  using real = T;
  static constexpr bool is_complex = false;
};
template <class R>
struct Scalar<std::complex<R>> {
  using real = R;
  static constexpr bool is_complex = true;
};
template <>
struct Scalar<dd_complex> {
  using real = dd_real;
  static constexpr bool is_complex = true;
};

template <class T>
using real_of = typename Scalar<T>::real;
template <class T>
inline constexpr bool is_complex = Scalar<T>::is_complex;

template <class T>
T from_parts(real_of<T> re, real_of<T> im) {
  if constexpr (is_complex<T>) {
    return T(re, im);
  } else {
    return re;
  }
}
template <class T>
real_of<T> real_part(const T& x) {
  if constexpr (is_complex<T>) {
    return real(x);
  } else {
    return x;
  }
}
template <class T>
real_of<T> imaginary_part(const T& x) {
  if constexpr (is_complex<T>) {
    return imag(x);
  } else {
    return real_of<T>(0);
  }
}

}  // namespace hilo::data
