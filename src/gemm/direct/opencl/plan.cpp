#include "gemm/direct/opencl/plan.hpp"

#include <algorithm>

#include "gemm/direct/reference.hpp"

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

void DevicePlan::set_tile(const tile::Tile& t) {
  const std::int64_t parts = precisions::parts(precision);
  tile = t;
  blocks = block_product(t, m, n * parts, k * parts, workspace);
}

tile::Form DevicePlan::form() const {
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
               key,
               choice.tile ? *choice.tile : tile_for(device, key),
               choice.tile.has_value(),
               choice.workspace.value_or(tile::default_workspace(device)),
               {}};
  if (x.is_empty() || x.k() == 0) return p;
  p.is_small = choice.is_small ? *choice.is_small : !choice.tile && is_small(device, p);
  if (!p.is_small) p.set_tile(p.tile);
  return p;
}

}  // namespace hilo::direct
