// Factorisations by several devices of matrices in pinned host memory, or in their own.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stream/dealt_place.hpp"
#include "stream/multiply.hpp"

namespace hilo::stream {

/// What was found, and the ways of all devices.
struct DealtFactors {
  std::int64_t info = 0;
  std::vector<std::int64_t> pivots;  ///< of LU, counted from 1
  Traffic traffic;
};

/// Columns in blocks for so many devices.
DealtColumns blocks_of(std::int64_t columns, std::int64_t block, std::size_t devices);
/// The same; none where there are too few to deal.
std::optional<DealtColumns> deal(std::int64_t columns, std::int64_t block, std::size_t devices);

/// Bits and info are those of the device whose plans all take. has_begun: the matrix may have been written to. None
/// where there is less memory than it seemed, and nothing was written; of resident columns out_of_memory is thrown.
std::optional<DealtFactors> factor_dealt(const Devices& devices, const DealtProblem& problem, bool& has_begun);

}  // namespace hilo::stream
