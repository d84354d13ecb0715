// How a matrix is cut into tiles, and which rank has which.
#pragma once

#include <algorithm>
#include <cstdint>
#include <hilo/distributed.hpp>

#include "matrix/sizes.hpp"

namespace hilo::distributed {

struct Tiling {
  std::int64_t rows, columns, tile;
  Grid grid;

  std::int64_t tile_rows() const { return blocks(rows, tile); }
  std::int64_t tile_columns() const { return blocks(columns, tile); }
  std::int64_t tiles() const { return tile_rows() * tile_columns(); }

  std::int64_t largest_tile() const { return std::min(tile, rows) * std::min(tile, columns); }

  /// Rows of tiles (i, ·), and columns of tiles (·, j).
  std::int64_t rows_of(std::int64_t i) const { return std::min(tile, rows - i * tile); }
  std::int64_t columns_of(std::int64_t j) const { return std::min(tile, columns - j * tile); }

  int owner(std::int64_t i, std::int64_t j) const {
    return static_cast<int>(i % grid.rows * grid.columns + j % grid.columns);
  }
};

/// The grid with what is missing. Throws invalid_argument where it cannot have as many places as there are ranks.
Grid whole_grid(const Grid& grid, int ranks);

}  // namespace hilo::distributed
