// Which entries of a product to check.
#pragma once

#include <cstdint>
#include <hilo/accuracy.hpp>
#include <vector>

namespace hilo::accuracy {

struct Position {
  std::int64_t row, column;
};

/// Distinct positions in an m × n matrix, ordered by column, then row.
std::vector<Position> positions(std::int64_t m, std::int64_t n, Sample sample);

}  // namespace hilo::accuracy
