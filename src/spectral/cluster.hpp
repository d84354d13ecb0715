// Columns whose values are too near each other for first order.
#pragma once

#include <cstdint>
#include <hilo/dd_real.hpp>
#include <vector>

namespace hilo::spectral {

struct Cluster {
  std::vector<std::int64_t> members;  // by ascending values
  dd_real middle;                     // the value of the one in the middle
};

}  // namespace hilo::spectral
