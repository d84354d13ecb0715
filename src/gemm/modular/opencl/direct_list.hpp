// Which entries of a modular product on an OpenCL device are the direct engine's.
#pragma once

#include <cstdint>

#include "gemm/modular/opencl/spread_test.hpp"

namespace hilo::modular {

/// Entries of lines with Inf or NaN, and those whose e + f, of their lines' exponents, is above most_exponent.
struct UnscalableEntries {
  std::int64_t count = 0;
  bool has_overflow = false;  ///< some are above
  std::int64_t most_exponent = 0;
};

/// With the figures of lines read; waits for the device where there is an overflow.
UnscalableEntries count_unscalable(const Scan& scan, std::int64_t most_exponent);

struct DirectList {
  cl::Buffer positions;  ///< (row, column) as ints, until the end of the call; null where there are none
  std::int64_t count = 0;
};

/// Those that cannot be scaled and those that spread beyond what was found. Throws unsupported for more than it lists.
DirectList list_direct(const Scan& scan, const UnscalableEntries& unscalable, const SpreadTest& spread);

}  // namespace hilo::modular
