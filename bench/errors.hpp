// Errors that are compared.
#pragma once

#include <algorithm>
#include <limits>

namespace hilo::bench {

/// The larger of two errors; infinite where either is NaN.
inline double worse(double x, double y) {
  return x == x && y == y ? std::max(x, y) : std::numeric_limits<double>::infinity();
}

}  // namespace hilo::bench
