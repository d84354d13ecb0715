// The precisions that a system has on its way: as it is given, exact and scaled, its leading words, its solution.
#pragma once

#include <complex>
#include <hilo/precision.hpp>
#include <type_traits>

namespace hilo::solver {

template <gemm_scalar T>
inline constexpr bool is_complex_of = precisions::is_complex(precision_of<T>);

/// What factors in double are made of.
template <gemm_scalar T>
using Leading = std::conditional_t<is_complex_of<T>, std::complex<double>, double>;

/// What holds T's entries exactly, in doubles.
template <gemm_scalar T>
using Exact = std::conditional_t<double_double<T>, T, Leading<T>>;

/// What solutions are computed in.
template <gemm_scalar T>
using Solution = std::conditional_t<is_complex_of<T>, dd_complex, dd_real>;

template <class T>
Leading<T> leading(const T& x) {
  if constexpr (std::same_as<T, dd_complex>) {
    return {x.re.hi, x.im.hi};
  } else if constexpr (std::same_as<T, dd_real>) {
    return x.hi;
  } else {
    return Leading<T>(x);
  }
}

template <class T>
T rounded_to(const Solution<T>& x) {
  if constexpr (double_double<T>) {
    return x;
  } else if constexpr (is_complex_of<T>) {
    using Part = typename T::value_type;
    return {static_cast<Part>(x.re.hi), static_cast<Part>(x.im.hi)};
  } else {
    return static_cast<T>(x.hi);
  }
}

}  // namespace hilo::solver
