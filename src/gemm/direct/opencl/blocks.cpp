#include "gemm/direct/opencl/blocks.hpp"

#include <algorithm>

#include "gemm/direct/reference.hpp"
#include "matrix/sizes.hpp"

namespace hilo::direct {

Blocks block_product(const tile::Tile& tile, std::int64_t rows, std::int64_t columns, std::int64_t steps,
                     std::int64_t workspace) {
  constexpr std::int64_t element = sizeof(dd_real);
  const std::int64_t superchunks = std::max<std::int64_t>((steps + superchunk_steps - 1) / superchunk_steps, 1);
  Blocks b{};
  b.rows = round_up(rows, tile.panel_rows());
  b.columns = round_up(columns, tile.panel_columns());
  auto set_planes = [&](std::int64_t planes) {
    b.planes = planes;
    b.slices = (superchunks + planes - 1) / planes;
    b.depth = b.slices > 1 ? planes * superchunk_steps : round_up(steps, tile.depth);
    b.left_bytes = element * b.depth * b.rows;
    b.right_bytes = element * b.depth * b.columns;
    b.partial_bytes = element * planes * b.rows * b.columns;
    b.total_bytes = b.slices > 1 ? element * b.rows * b.columns : 0;
  };
  // First of all a size for which no product overflows.
  constexpr std::int64_t most = std::int64_t{1} << 24, most_columns = std::int64_t{1} << 18;
  b.rows = std::min(b.rows, round_up(most, tile.panel_rows()));
  b.columns = std::min(b.columns, round_up(most_columns, tile.panel_columns()));
  set_planes(1);
  while (b.bytes() > workspace && (b.rows > tile.panel_rows() || b.columns > tile.panel_columns())) {
    bool halve_rows = b.columns <= tile.panel_columns() || (b.rows >= b.columns && b.rows > tile.panel_rows());
    if (halve_rows) {
      b.rows = round_up(b.rows / 2, tile.panel_rows());
    } else {
      b.columns = round_up(b.columns / 2, tile.panel_columns());
    }
    set_planes(1);
  }
  // Each further super-chunk of a slice takes a plane of sums and 4096 steps of the panels.
  std::int64_t plane_bytes = element * (b.rows * b.columns + superchunk_steps * (b.rows + b.columns));
  std::int64_t room = std::max<std::int64_t>(workspace - b.total_bytes, 0) / std::max<std::int64_t>(plane_bytes, 1);
  set_planes(std::clamp<std::int64_t>(room, 1, superchunks));
  return b;
}

}  // namespace hilo::direct
