// What is checked of the arguments of eigenproblems and singular value decompositions, and how they are scaled.
#pragma once

#include <algorithm>
#include <limits>
#include <string>

#include "blas/arguments.hpp"
#include "solve/scaling.hpp"
#include "spectral/dense.hpp"

namespace hilo::spectral {

/// Every word of it.
template <class T>
bool is_finite_value(const T& x) {
  const double size = solver::size_of(x);
  if (size - size != 0.0) return false;
  if constexpr (std::same_as<T, dd_complex>) return is_finite_value(x.re) && is_finite_value(x.im);
  if constexpr (std::same_as<T, dd_real>) return x.lo - x.lo == 0.0;
  return true;
}

/// Values of type Real beside matrices, whose elements `check` knows.
template <class Real>
void check_values_apart(const blas::Arguments& check, const char* routine, const VectorView<Real>& values,
                        const blas::Argument& x) {
  const blas::Arguments check_values(routine, sizeof(Real));
  if (overlap(check.footprint(x), check_values.footprint(blas::argument("values", values)))) {
    check.reject(errc::invalid_argument, std::string("values overlap ") + x.name + " in memory");
  }
}

[[noreturn]] inline void reject_not_finite(const blas::Arguments& check, std::int64_t i, std::int64_t j) {
  check.reject(errc::invalid_argument, "A(" + std::to_string(i) + ", " + std::to_string(j) + ") is not finite");
}

/// The first value that overflows once it is scaled; none: an empty text.
template <class Value>
std::string overflow_among(std::int64_t n, Value value) {
  for (std::int64_t j = 0; j < n; ++j) {
    if (!is_finite_value(value(j))) return "values(" + std::to_string(j) + ") overflows";
  }
  return {};
}

/// A bound of A's values by one of A · 2^exponent's. What is scaled into subnormal numbers is rounded there.
inline double bound_as_given(double bound, int exponent) {
  return solver::scaled(bound, -exponent) * (1.0 + 0x1p-40) + 4.0 * std::numeric_limits<double>::denorm_min();
}

}  // namespace hilo::spectral
