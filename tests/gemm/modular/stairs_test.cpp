// The numbers of a triangle's tiles, against the definition, in the shapes of every unit's tiles.
#include "gemm/modular/opencl/stairs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

namespace hilo::modular {
namespace {

struct Shape {
  int tile_rows, tile_columns, band_rows;
};

// As wgmma, mma_sync, dot_product and plain have them, and some that none has.
constexpr Shape shapes[] = {{128, 256, 8}, {128, 128, 8}, {128, 128, 16}, {64, 64, 16},
                            {16, 64, 16},  {16, 16, 16},  {12, 20, 3},    {256, 64, 1}};

void check(const Shape& shape, int rows, int columns, int diagonal, bool is_upper) {
  std::set<std::pair<int, int>> wanted, found;
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      const int first_row = r * shape.tile_rows, last_row = first_row + shape.tile_rows - 1;
      const int first_column = c * shape.tile_columns, last_column = first_column + shape.tile_columns - 1;
      if (is_upper ? last_column >= first_row + diagonal : first_column <= last_row + diagonal) wanted.insert({r, c});
    }
  }
  const staircase s =
      staircase_of(rows, columns, shape.tile_rows, shape.tile_columns, shape.band_rows, is_upper, diagonal);
  const int tiles = stair_tiles(s);
  ASSERT_EQ(tiles, static_cast<int>(wanted.size()));
  // As work-groups that share the tiles of several planes meet them, and as each finds its own.
  const stair_band first = stair_band_from(s, 0, 0);
  stair_band band = first;
  for (int work = 0; work < 2 * tiles; ++work) {
    const int tile = work % tiles;
    band = stair_band_of(s, band, tile);
    const stair_place place = stair_place_of(s, band, is_upper, tile);
    const stair_place alone = stair_place_of(s, stair_band_of(s, first, tile), is_upper, tile);
    ASSERT_TRUE(place.row == alone.row && place.column == alone.column);
    ASSERT_EQ(found.insert({place.row, place.column}).second, work < tiles);
  }
  ASSERT_EQ(found, wanted);
}

TEST(Stairs, AreTheTilesWithAnEntryOfTheTriangle) {
  for (const Shape& shape : shapes) {
    for (const auto& [rows, columns] : {std::pair{1, 1}, {2, 1}, {1, 3}, {7, 9}, {8, 4}, {33, 17}, {40, 6}, {5, 40}}) {
      const int corner = columns * shape.tile_columns - rows * shape.tile_rows;
      for (const int at : {0, corner / 2, corner}) {
        for (const int step : {-shape.tile_rows, -17, -1, 0, 1, 30, shape.tile_columns}) {
          for (const bool is_upper : {false, true}) {
            check(shape, rows, columns, at + step, is_upper);
            if (HasFatalFailure()) {
              FAIL() << shape.tile_rows << ' ' << shape.tile_columns << ' ' << rows << ' ' << columns << ' '
                     << at + step << ' ' << is_upper;
            }
          }
        }
      }
    }
  }
}

// Sizes near the largest that a device takes.
TEST(Stairs, FitIntegers) {
  for (const bool is_upper : {false, true}) {
    const int rows = (1 << 29) / 128;
    const staircase s = staircase_of(rows, rows / 2, 128, 256, 8, is_upper, 0);
    const stair_band last = stair_band_from(s, rows - 8, 0);
    EXPECT_EQ(last.tiles, 8 * (rows / 2) - 2 * (0 + 1 + 2 + 3));
  }
}

}  // namespace
}  // namespace hilo::modular
