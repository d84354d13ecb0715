#include "gemm/direct/opencl/plan.hpp"

#include <algorithm>

#include "gemm/batch/opencl/plan.hpp"
#include "gemm/direct/reference.hpp"
#include "matrix/sizes.hpp"

namespace hilo::direct {
namespace {

// A launch's time is a small product's; on a CPU it is nothing beside that of an entry by itself.
constexpr std::int64_t most_small_steps = std::int64_t{1} << 24;
// Work-groups of a launch are not everywhere more than 65535 beside its first dimension.
constexpr std::int64_t most_small_columns = std::int64_t{1} << 17;

bool is_small(const DeviceInfo& device, const DevicePlan& p) {
  const std::int64_t parts = precisions::parts(p.precision);
  if (device.type == DeviceType::cpu || p.k * parts > superchunk_steps) return false;
  return p.m <= most_small_steps && p.n <= std::min(most_small_columns, most_small_steps / p.m) &&
         p.k * parts * parts <= most_small_steps / (p.m * p.n);
}

}  // namespace

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

void DevicePlan::set_tile(const tile::Tile& t) {
  const std::int64_t parts = precisions::parts(precision);
  tile = t;
  blocks = block_product(t, m, n * parts, k * parts, workspace);
}

tile::Form DevicePlan::form() const {
  if (batch) return batch_form;
  if (is_small) {
    const std::int64_t counters = small_groups(m) * small_groups(n);
    return {1, 1, small_side, small_side, k, counters * static_cast<std::int64_t>(sizeof(cl_int))};
  }
  const std::int64_t parts = precisions::parts(precision);
  return {tile.item_rows,       tile.item_columns, tile.panel_rows(), tile.panel_columns() / parts,
          blocks.depth / parts, blocks.bytes()};
}

DevicePlan plan_product(const DeviceInfo& device, const DeviceProduct& x, Accuracy accuracy, bool fma,
                        const tile::Choice& choice) {
  const tile::TileKey key{x.precision, true, true, tile::size_class(x.m(), x.n())};
  DevicePlan p{x.precision,
               x.m(),
               x.n(),
               x.k(),
               accuracy,
               fma,
               false,
               choice.batch,
               {},
               key,
               choice.tile ? *choice.tile : tile_for(device, key),
               choice.tile.has_value(),
               choice.workspace.value_or(tile::default_workspace(device)),
               {}};
  if (!choice.batch && !choice.tile && !choice.is_small && batch::takes(device, x))
    p.batch = batch::tile_for(device, x);
  if (p.batch) p.batch_form = batch::form_of(*p.batch, x);
  if (x.is_empty() || x.k() == 0 || p.batch) return p;
  p.is_small = choice.is_small ? *choice.is_small : !choice.tile && is_small(device, p);
  if (!p.is_small) p.set_tile(p.tile);
  return p;
}

}  // namespace hilo::direct
