#include "gemm/modular/opencl/bytes.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "gemm/modular/block_products.hpp"
#include "gemm/modular/opencl/runs.hpp"
#include "gemm/modular/opencl/stairs.hpp"
#include "gemm/modular/opencl/tables.hpp"
#include "matrix/sizes.hpp"
#include "opencl/arguments.hpp"
#include "opencl/sequence.hpp"

namespace hilo::modular {
namespace {

using opencl::ContextState;
using opencl::define;

// What a tile's kernel is built and launched with, items for whole products and for blocks. A work-group with `groups`
// above 0 computes tile after tile, and as many of them stay on a compute unit. A triangle's tiles come in bands of
// stair_rows rows of them.
struct TileRow {
  ByteUnit unit;
  ByteTile tile;
  int items, block_items, groups, stair_rows;
  const char* parameters;
};

// The tile for large products first.
constexpr TileRow tile_rows[] = {
    {ByteUnit::wgmma, {128, 256, 64, true, true, true}, 384, 384, 1, 8, "-DSTAGES=9 -DLEAD=3 -DRASTER_ROWS=12"},
    {ByteUnit::wgmma, {128, 128, 64, true, true}, 288, 384, 1, 8, "-DSTAGES=12 -DLEAD=4 -DRASTER_ROWS=8"},
    {ByteUnit::mma_sync, {128, 128, 64, true, true}, 128, 128, 0, 16, "-DSTAGES=4 -DRASTER_ROWS=16"},
    {ByteUnit::dot_product, {128, 128, 16, false, false}, 256, 256, 0, 16, ""},
    {ByteUnit::dot_product, {64, 64, 16, false, false}, 256, 256, 0, 16, ""},
    {ByteUnit::plain, {16, 64, 16, false, false}, 64, 64, 0, 16, ""},
    {ByteUnit::plain, {16, 16, 16, false, false}, 16, 16, 0, 16, ""},
};

const TileRow& row_of(ByteUnit unit, const ByteTile& tile) {
  return *std::find_if(std::begin(tile_rows), std::end(tile_rows), [&](const TileRow& row) {
    return row.unit == unit && row.tile.rows == tile.rows && row.tile.columns == tile.columns;
  });
}

// Where blocks are multiplied panels change with every step, and the only plane of a sum test is a small part of its
// product.
bool keeps_panels(const ByteTile& tile, BytePart part, ByteResult result) {
  return tile.keeps_panels && part != BytePart::blocks && result == ByteResult::residue;
}

int items_of(const TileRow& row, BytePart part) { return part == BytePart::blocks ? row.block_items : row.items; }

struct UnitRow {
  std::string_view name;
  const char* text;
};

const UnitRow& row_of(ByteUnit unit) {
  static const std::array<UnitRow, byte_units> rows = {{
      {"wgmma", "bytes/wgmma.cl"},
      {"mma_sync", "bytes/mma.cl"},
      {"dot_product", "bytes/dot.cl"},
      {"plain", "bytes/plain.cl"},
  }};
  return rows[static_cast<std::size_t>(unit)];
}

// Small tiles reach four fifths of the rate.
constexpr bool small_tiles_pay(std::int64_t small_area, std::int64_t large_area) {
  return 5 * small_area < 4 * large_area;
}

}  // namespace

int residue_factor(bool is_montgomery, int m) {
  if (!is_montgomery || m == 256) return 1;
  int half = 1;
  for (int i = 0; i < 32; ++i) half = (half % 2 ? half + m : half) / 2;
  return m - half;
}

std::string_view name(ByteUnit unit) { return row_of(unit).name; }

std::vector<ByteTile> byte_tiles(ByteUnit unit) {
  std::vector<ByteTile> tiles;
  for (const TileRow& row : tile_rows) {
    if (row.unit == unit) tiles.push_back(row.tile);
  }
  return tiles;
}

ByteTile byte_tile(ByteUnit unit, std::int64_t rows, std::int64_t columns) {
  const auto tiles = byte_tiles(unit);
  const ByteTile& large = tiles.front();
  const ByteTile& small = tiles.back();
  auto area = [&](const ByteTile& tile) { return round_up(rows, tile.rows) * round_up(columns, tile.columns); };
  // They also pay where large ones are too few for the device.
  constexpr std::int64_t few = 4;
  const bool is_small = area(large) <= few * large.rows * large.columns || small_tiles_pay(area(small), area(large));
  return is_small ? small : large;
}

ByteTile edge_tile(ByteUnit unit, const ByteTile& tile, std::int64_t columns) {
  const std::int64_t left = columns % tile.columns;
  if (columns < tile.columns || left == 0) return tile;
  // One column too many would cost a large tile for each of its rows: 3 % of a product of 8192 columns by wgmma.
  for (const ByteTile& narrow : byte_tiles(unit)) {
    const bool shares_rows = narrow.rows == tile.rows && narrow.depth == tile.depth;
    if (shares_rows && small_tiles_pay(round_up(left, narrow.columns), tile.columns)) return narrow;
  }
  return tile;
}

opencl::ProgramRecipe byte_recipe(ByteUnit unit, const ByteTile& tile, const ByteFeatures& features, ByteResult result,
                                  BytePart part) {
  std::string options =
      row_of(unit, tile).parameters + define("TILE_ROWS", tile.rows) + define("TILE_COLUMNS", tile.columns);
  if (unit == ByteUnit::dot_product) {
    options += define("DOT", features.integer_dot ? 1 : features.has_dp4a() ? 2 : 0);
  }
  if (result == ByteResult::sum_test) options += define("SUM_TEST", 1);
  if (keeps_panels(tile, part, result)) options += define("KEEPS", 1);
  if (part == BytePart::blocks) options += define("STEPPED", 1);
  if (part == BytePart::triangle) options += define("STAIRS", 1) + define("STAIR_ROWS", row_of(unit, tile).stair_rows);
  opencl::ProgramRecipe recipe{"bytes by " + std::string(name(unit)), row_of(unit).text, options};
  if (unit == ByteUnit::wgmma) {
    recipe.late_instructions = {"wgmma.fence", "wgmma.mma_async", "wgmma.commit_group", "wgmma.wait_group"};
    // A whole warpgroup that copies gives registers to those that multiply.
    if (items_of(row_of(unit, tile), part) % 128 == 0) {
      recipe.late_instructions.insert(recipe.late_instructions.end(), {"setmaxnreg.inc", "setmaxnreg.dec"});
    }
  }
  return recipe;
}

ByteMultiplier byte_multiplier(ContextState& context, ByteUnit unit, const ByteTile& tile, ByteResult result,
                               BytePart part) {
  cl::Program program = context.programs.get(context, byte_recipe(unit, tile, byte_features(context), result, part));
  const TileRow& row = row_of(unit, tile);
  ByteTile built = row.tile;
  built.keeps_panels = keeps_panels(tile, part, result);
  return {context,
          std::move(program),
          built,
          items_of(row, part),
          row.groups * context.info.compute_units,
          part == BytePart::triangle ? row.stair_rows : 0,
          result == ByteResult::sum_test};
}

ByteMultiplier::Launch ByteMultiplier::launch(const ByteProduct& product) const {
  return opencl::guarded("preparing a product of bytes", [&] {
    std::int64_t tiles = std::int64_t{product.row_panels} * product.column_panels;
    opencl::stair_arguments stairs{product.triangle.is_upper, opencl::narrow(product.triangle.diagonal), 0};
    if (stair_rows_ > 0) {
      tiles = stairs.tiles = stair_tiles(staircase_of(product.row_panels, product.column_panels, tile_.rows,
                                                      tile_.columns, stair_rows_, stairs.is_upper, stairs.diagonal));
    }
    const TileRuns runs = tile_runs(product, tiles);
    opencl::BorrowedKernel borrowed = context_->kernels.borrow(program_, "multiply_bytes");
    const opencl::byte_product_arguments arguments{
        .first_of_a = product.first_of_a,
        .first_of_b = product.first_of_b,
        .first_plane = product.first_plane,
        .planes = product.planes,
        .row_panels = product.row_panels,
        .column_panels = product.column_panels,
        .depth = static_cast<int>(product.depth),
        .depth_of_a = opencl::narrow(std::max(product.depth, product.depth_of_a)),
        .depth_of_b = opencl::narrow(std::max(product.depth, product.depth_of_b)),
        .accumulates = product.accumulates,
        .kept = runs.kept,
        .run = runs.run};
    const auto set_arguments = [&](const auto&... more) {
      if (!tests_sums_) {
        opencl::set_arguments(borrowed, product.a, product.b, product.c, product.moduli, arguments, more...);
        return;
      }
      const SumTestOfProduct& test = product.test;
      // Buffers that are not read, or for nothing, stand in for those that are absent.
      opencl::set_arguments(borrowed, product.a, product.b, product.a, test.norms_of_a, arguments, more...,
                            test.norms_of_a, test.norms_of_b, test.figures,
                            opencl::sum_test_arguments{.rows = test.lines_of_a,
                                                       .columns = test.lines_of_b,
                                                       .first_column_norm = test.first_norm_of_b,
                                                       .figure = test.figure});
    };
    if (product.levels > 0) {
      const auto steps = device_table(*context_, "steps " + std::to_string(product.levels),
                                      [&] { return step_table(product.levels); });
      const opencl::step_arguments blocks{block_factors(product.levels), block_grid(product.levels),
                                          scratch_blocks(product.levels)};
      set_arguments(blocks, steps, product.scratch);
    } else if (stair_rows_ == 0) {
      set_arguments();
    } else {
      set_arguments(stairs);
    }
    const auto items = static_cast<std::size_t>(group_size_);
    if (groups_ == 0) {
      return Launch{std::move(borrowed),
                    cl::NDRange(static_cast<std::size_t>(tiles) * items, static_cast<std::size_t>(product.planes)),
                    cl::NDRange(items, 1)};
    }
    return Launch{std::move(borrowed),
                  cl::NDRange(static_cast<std::size_t>(groups_of(blocks(tiles * product.planes, runs.run))) * items),
                  cl::NDRange(items)};
  });
}

namespace {

std::int64_t scratch_of(std::int64_t groups, int levels, const ByteTile& tile) {
  constexpr std::int64_t head = 256;  // as kernels/bytes/steps.cl has it
  return levels == 0 ? 0 : head + groups * scratch_blocks(levels) * tile.rows * tile.columns;
}

}  // namespace

std::int64_t groups_at_once(ByteUnit unit, const ByteTile& tile, int compute_units) {
  return row_of(unit, tile).groups * compute_units;
}

std::int64_t block_scratch_bytes(ByteUnit unit, const ByteTile& tile, int compute_units, int levels,
                                 std::int64_t tiles) {
  const std::int64_t groups = groups_at_once(unit, tile, compute_units);
  return scratch_of(groups == 0 ? tiles : std::min(groups, tiles), levels, tile);
}

std::int64_t ByteMultiplier::groups_of(std::int64_t runs) const {
  return groups_ == 0 ? runs : std::min<std::int64_t>(groups_, runs);
}

TileRuns ByteMultiplier::tile_runs(const ByteProduct& product, std::int64_t tiles) const {
  const std::int64_t slabs = product.depth / tile_.depth;
  const int kept = tile_.keeps_panels ? kept_operand(slabs, stair_rows_ > 0) : KEEPS_NONE;
  if (kept == KEEPS_NONE) return {KEEPS_NONE, 1};
  const int line = kept == KEEPS_RIGHT ? product.row_panels : product.column_panels;
  const int run =
      product.run > 0 ? product.run : run_that_pays({tiles * product.planes, groups_, line}, slabs, stair_rows_);
  return {run == 1 ? KEEPS_NONE : kept, run};
}

std::int64_t ByteMultiplier::scratch_bytes(const ByteProduct& product) const {
  const std::int64_t tiles = std::int64_t{product.row_panels} * product.column_panels * product.planes;
  return scratch_of(groups_of(tiles), product.levels, tile_);
}

}  // namespace hilo::modular
