#include "distributed/tiling.hpp"

#include <string>

namespace hilo::distributed {

Grid whole_grid(const Grid& grid, int ranks) {
  Grid whole = grid;
  if (grid.rows == 0 && grid.columns == 0) {
    whole.rows = 1;
    for (int p = 1; p * p <= ranks; ++p) {
      if (ranks % p == 0) whole.rows = p;
    }
  }
  if (whole.rows == 0 && whole.columns > 0) whole.rows = ranks / whole.columns;
  if (whole.columns == 0 && whole.rows > 0) whole.columns = ranks / whole.rows;
  const std::int64_t places = std::int64_t{whole.rows} * whole.columns;
  if (whole.rows < 0 || whole.columns < 0 || places != ranks) {
    throw error(errc::invalid_argument, "Matrix: a grid of " + std::to_string(grid.rows) + " x " +
                                            std::to_string(grid.columns) + " is not one of " + std::to_string(ranks) +
                                            (ranks == 1 ? " rank" : " ranks"));
  }
  return whole;
}

}  // namespace hilo::distributed
