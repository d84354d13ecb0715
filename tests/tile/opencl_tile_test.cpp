// How the direct engine cuts a product on a device.
#include <gtest/gtest.h>

#include <algorithm>

#include "gemm/direct/opencl/plan.hpp"
#include "tile/tile.hpp"

namespace {

using namespace hilo;
using tile::is_valid;
using tile::NumberKind;
using tile::Tile;

const Tile tile{1, 4, 4, 16, 8, 16, 2};
constexpr NumberKind s{Precision::s}, d{Precision::d}, z{Precision::z}, dd{Precision::dd};

Tile with(Tile t, void (*change)(Tile&)) {
  change(t);
  return t;
}

TEST(Tile, TakesOnlyWhatTheKernelTakes) {
  EXPECT_TRUE(is_valid(tile, dd));
  EXPECT_TRUE(is_valid(tile, s));
  EXPECT_FALSE(is_valid({3, 6, 4, 1, 1, 4, 0}, dd)) << "lanes";
  EXPECT_FALSE(is_valid({.lanes = 8,
                         .item_rows = 12,
                         .item_columns = 4,
                         .group_rows = 1,
                         .group_columns = 1,
                         .depth = 4,
                         .stages = 0,
                         .row_run = 8},
                        dd))
      << "rows not whole vectors";
  EXPECT_FALSE(is_valid({1, 4, 4, 16, 8, 12, 2}, dd)) << "a chunk is not whole tiles";
  EXPECT_FALSE(is_valid({1, 4, 4, 1, 1, 2, 0}, dd)) << "an interval of renormalisation is not whole";
  EXPECT_FALSE(is_valid({1, 4, 3, 16, 5, 16, 2}, {Precision::zdd})) << "a complex column is not whole";
  EXPECT_FALSE(is_valid({2, 4, 4, 16, 8, 16, 2}, dd)) << "vectors from local memory";
  EXPECT_FALSE(is_valid({1, 4, 4, 64, 32, 16, 0}, dd)) << "too many work-items";
  EXPECT_FALSE(is_valid({1, 1 << 30, 4, 1 << 30, 1, 16, 0}, dd)) << "sizes that overflow";
  EXPECT_FALSE(is_valid({1, 4, 4, 16, 8, 4, 2}, s)) << "less than a memory sector of steps";
  EXPECT_FALSE(is_valid(with(tile, [](Tile& t) { t.in_place = true; }), dd)) << "operands that are not packed";
  EXPECT_TRUE(is_valid(with(tile, [](Tile& t) { t.in_place = true; }), s));
  EXPECT_FALSE(is_valid(with(tile, [](Tile& t) { t.row_run = 8; }), s)) << "runs of more than 16 bytes";
  EXPECT_FALSE(is_valid(with(tile, [](Tile& t) { t.fetches_ahead = true; }), s)) << "nothing to fetch ahead of";
  const Tile unit{.lanes = 1,
                  .item_rows = 32,
                  .item_columns = 32,
                  .group_rows = 2,
                  .group_columns = 2,
                  .depth = 16,
                  .stages = 3,
                  .copies = tile::Copies::async,
                  .row_run = 2,
                  .unit_depth = 8};
  EXPECT_TRUE(is_valid(unit, d));
  EXPECT_FALSE(is_valid(unit, s)) << "matrix units for floats";
  EXPECT_FALSE(is_valid(unit, z)) << "two numbers of 16 bytes at a time";
  auto bulk = [](Tile& t) { t.copies = tile::Copies::bulk; };
  EXPECT_TRUE(is_valid(with(tile, bulk), dd));
  EXPECT_FALSE(is_valid(with(tile, bulk), s)) << "whole tiles of operands that are not packed";
  EXPECT_TRUE(is_valid(with(with(tile, bulk), [](Tile& t) { t.packs_all = true; }), s));
  EXPECT_FALSE(is_valid(with(unit, bulk), d)) << "room between the steps of whole tiles";
  EXPECT_TRUE(is_valid(with(tile, [](Tile& t) { t.local_chunks = t.by_operation = true; }), dd));
  EXPECT_FALSE(is_valid(with(tile, [](Tile& t) { t.local_chunks = true; }), s)) << "chunks of floats";
}

TEST(OpenclBlocks, FitTheWorkspaceAndCoverTheProduct) {
  const std::int64_t workspace = std::int64_t{1} << 30;
  for (std::int64_t m : {1, 64, 5000, 100000, 2000000000}) {
    for (std::int64_t k : {0, 1, 4096, 4097, 10000000}) {
      auto b = direct::block_product(tile, m, 3000, k, workspace);
      EXPECT_LE(b.bytes(), workspace);
      EXPECT_EQ(b.rows % tile.panel_rows(), 0);
      EXPECT_EQ(b.columns % tile.panel_columns(), 0);
      EXPECT_GE(b.slices * b.depth, k);
      EXPECT_GE(b.planes, 1);
      EXPECT_EQ(b.slices > 1, b.total_bytes > 0);
    }
  }
}

TEST(OpenclBlocks, AreOnePanelAndOneSuperchunkWhereNothingFits) {
  auto b = direct::block_product(tile, 5000, 5000, 100000, 0);
  EXPECT_EQ(b.rows, tile.panel_rows());
  EXPECT_EQ(b.columns, tile.panel_columns());
  EXPECT_EQ(b.depth, 4096);
}

TEST(OpenclBlocks, AreTheWholeProductWhereItFits) {
  auto b = direct::block_product(tile, 4096, 4096, 4096, std::int64_t{1} << 30);
  EXPECT_EQ(b.rows, 4096);
  EXPECT_EQ(b.columns, 4096);
  EXPECT_EQ(b.slices, 1);
  EXPECT_EQ(b.bytes(), 3 * 16 * 4096 * 4096);
}

}  // namespace
