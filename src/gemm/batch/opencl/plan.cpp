#include "gemm/batch/opencl/plan.hpp"

#include <algorithm>

#include "dd/canonical_order.hpp"
#include "matrix/sizes.hpp"

namespace hilo::batch {
namespace {

// Steps of a product whose launch by itself takes longer than all else; on a CPU it takes less.
constexpr std::int64_t most_steps = std::int64_t{1} << 24, most_steps_of_cpu = std::int64_t{1} << 14;
// Rows and columns of C, whose tiles are few then.
constexpr std::int64_t most_lines = 4096;
// In S, D, C and Z: what has tiles of its own elsewhere, and what has not where matrices lie anywhere.
constexpr std::int64_t most_side = 32, most_side_of_cpu = 8, most_native_steps = std::int64_t{1} << 21;

constexpr int largest_tile = 32, largest_depth = 32, least_depth = 8, items_of_group = 128;
constexpr std::int64_t most_local_bytes = 20 * 1024;

int power_of_two(std::int64_t x, int most) {
  int power = 1;
  while (power < x && power < most) power *= 2;
  return power;
}

// Entries of a work-item along a side of a tile of 8, 16 and 32; one of smaller tiles. Those of DD and D are the
// fastest on an H200, but for 2 % of DD's of 16; the others have not been measured.
struct Entries {
  int of_8, rows_of_16, columns_of_16, rows_of_32, columns_of_32;
};
constexpr Entries entries_of(Precision p) {
  switch (p) {
    case Precision::dd:
      return {2, 2, 2, 4, 2};
    case Precision::zdd:
      return {1, 2, 1, 2, 2};
    case Precision::z:
      return {1, 2, 2, 4, 2};
    default:
      return {2, 2, 2, 4, 4};
  }
}

}  // namespace

bool takes(const DeviceInfo& device, const DeviceProduct& x) {
  if (x.batch.count <= 1 || x.triangle || x.triangle_of_a || x.triangle_of_b) return false;
  const bool is_cpu = device.type == DeviceType::cpu;
  const std::int64_t m = x.m(), n = x.n(), k = x.k();
  if (m == 0 || n == 0 || m > most_lines || n > most_lines || k > canonical::superchunk_steps) return false;
  // A kernel's int.
  auto is_near = [](const DeviceView& v) { return std::max(v.row_stride, v.column_stride) < std::int64_t{1} << 31; };
  if (!is_near(x.a) || !is_near(x.b) || !is_near(x.c)) return false;
  if (is_double_double(x.precision)) {
    const std::int64_t parts = precisions::parts(x.precision);
    return k * parts <= canonical::superchunk_steps &&
           m * n * k * parts * parts <= (is_cpu ? most_steps_of_cpu : most_steps);
  }
  if (x.offsets) return m * n * k <= (is_cpu ? most_steps_of_cpu : most_native_steps);
  return std::max(m, n) <= (is_cpu ? most_side_of_cpu : most_side);
}

std::int64_t local_bytes(const BatchTile& t, Precision precision) {
  return element_bytes(precision) * t.products * t.depth * ((t.rows() | 1) + (t.columns() | 1));
}

BatchTile tile_for(const DeviceInfo& device, const DeviceProduct& x) {
  const Entries entries = entries_of(x.precision);
  const int rows = power_of_two(x.m(), largest_tile), columns = power_of_two(x.n(), largest_tile);
  BatchTile t{};
  auto of_side = [&](int side, int of_16, int of_32) {
    return side == 32 ? of_32 : side == 16 ? of_16 : side == 8 ? entries.of_8 : 1;
  };
  t.item_rows = of_side(rows, entries.rows_of_16, entries.rows_of_32);
  t.item_columns = of_side(columns, entries.columns_of_16, entries.columns_of_32);
  t.group_rows = rows / t.item_rows;
  t.group_columns = columns / t.item_columns;
  t.products = std::max(items_of_group / (t.group_rows * t.group_columns), 1);
  t.depth = power_of_two(x.k(), largest_depth);
  auto bytes = [&] { return local_bytes(t, x.precision); };
  // With a little for the driver. All terms of one product are faster than half of them of two.
  const std::int64_t most_bytes = std::min(most_local_bytes, device.local_memory - 1024);
  while (t.products > 1 && bytes() > most_bytes) t.products /= 2;
  while (t.depth > least_depth && bytes() > most_bytes) t.depth /= 2;
  return t;
}

Groups groups_of(const BatchTile& t, const DeviceProduct& x) {
  return {blocks(x.batch.count, t.products), blocks(x.m(), t.rows()), blocks(x.n(), t.columns())};
}

tile::Form form_of(const BatchTile& t, const DeviceProduct& x) {
  const std::int64_t counters = is_double_double(x.precision) ? groups_of(t, x).count() : 0;
  return {t.item_rows, t.item_columns, t.rows(),
          t.columns(), t.depth,        counters * static_cast<std::int64_t>(sizeof(cl_int))};
}

}  // namespace hilo::batch
