// That entries of a matrix in device memory are finite.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "blas/arguments.hpp"
#include "solve/opencl/device_matrix.hpp"

namespace hilo::solver {

/// Names the first that is not; `rows` has the largest of each row, Inf where one is not finite.
inline void check_finite(const blas::Arguments& check, DeviceMatrix& matrix, const std::vector<double>& rows) {
  const auto first_infinite = [](const std::vector<double>& sizes) {
    return std::find(sizes.begin(), sizes.end(), std::numeric_limits<double>::infinity()) - sizes.begin();
  };
  if (first_infinite(rows) == std::ssize(rows)) return;
  const std::int64_t j = first_infinite(matrix.largest_of_columns(nullptr));
  check.reject(errc::invalid_argument,
               "A(" + std::to_string(first_infinite(matrix.column(j))) + ", " + std::to_string(j) + ") is not finite");
}

}  // namespace hilo::solver
