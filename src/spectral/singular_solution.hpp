// What singular value decompositions on the host and on a device find, and what their reports say of it.
#pragma once

#include <hilo/singular_values.hpp>

#include "spectral/arguments.hpp"
#include "spectral/decomposition.hpp"
#include "spectral/singular_value_bound.hpp"

namespace hilo::spectral {

/// Of A, or Aᴴ, scaled by 2^exponent.
template <double_double T>
struct SingularSolution {
  int exponent = 0;
  Dense<T> matrix;
  Decomposition<T> found;
};

template <class T>
Dense<T> first_columns(const Dense<T>& x, std::int64_t columns) {
  Dense<T> y(x.rows(), columns);
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < x.rows(); ++i) y(i, j) = x(i, j);
  }
  return y;
}

template <double_double T>
void certify(const SingularSolution<T>& x, const SingularValueOptions& options, SingularValueReport& report) {
  const Dense<T> thin = first_columns(x.found.u, x.matrix.columns());
  const auto bounds = singular_value_bounds(x.matrix, thin, x.found.v, x.found.values, options.products);
  if (!bounds) return;
  const double size = x.found.values.front().hi;
  report.residual_u2 = size > 0.0 ? bounds->residual / size * 0x1p106 : 0.0;
  report.left_orthogonality_u2 = bounds->left_orthogonality * 0x1p106;
  report.right_orthogonality_u2 = bounds->right_orthogonality * 0x1p106;
  report.is_certified = true;
  report.bound = bound_as_given(bounds->of_order, x.exponent);
  for (const double bound : bounds->of_each) report.bounds.push_back(bound_as_given(bound, x.exponent));
}

}  // namespace hilo::spectral
