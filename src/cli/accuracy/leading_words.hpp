// Double-double matrices rounded to double, as plain double precision computes with them.
#pragma once

#include <complex>
#include <type_traits>

#include "data/matrix.hpp"
#include "data/scalar.hpp"

namespace hilo::cli {

/// double, or std::complex<double>.
template <double_double T>
using Leading = std::conditional_t<data::is_complex<T>, std::complex<double>, double>;

template <double_double T>
data::Matrix<Leading<T>> leading_words(const data::Matrix<T>& x) {
  data::Matrix<Leading<T>> leading{x.rows, x.columns, x.layout, {}};
  leading.entries.reserve(x.entries.size());
  for (const T& e : x.entries) {
    leading.entries.push_back(data::from_parts<Leading<T>>(data::real_part(e).hi, data::imaginary_part(e).hi));
  }
  return leading;
}

/// The same numbers in T.
template <class T, class S>
data::Matrix<T> converted(const data::Matrix<S>& x) {
  return {x.rows, x.columns, x.layout, std::vector<T>(x.entries.begin(), x.entries.end())};
}

}  // namespace hilo::cli
