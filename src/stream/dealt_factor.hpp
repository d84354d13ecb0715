// Factorisations by several devices of matrices in pinned host memory, or in their own.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stream/dealt_place.hpp"
#include "stream/devices.hpp"

namespace hilo::stream {

/// What was found, and the ways of all devices.
struct DealtFactors {
  std::int64_t info = 0;
  std::vector<std::int64_t> pivots;  ///< of LU, counted from 1
  Traffic traffic;
};

/// Bits and info are those of the device whose plans all take. has_begun: the matrix may have been written to. None
/// where there is less memory than it seemed, and nothing was written; of resident columns out_of_memory is thrown.
std::optional<DealtFactors> factor_dealt(const Devices& devices, const DealtProblem& problem, bool& has_begun);

}  // namespace hilo::stream
