// Runs of tiles: each tile is some work-group's, once, and which runs pay.
#include "gemm/modular/opencl/runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace hilo::modular {
namespace {

TEST(Runs, HaveEachTileOnce) {
  for (const int tiles : {1, 2, 7, 12, 100, 1057}) {
    for (const int run : {1, 2, 3, 8, 32, 2000}) {
      for (int groups = 1; groups <= std::min(runs_of(tiles, run), 40); ++groups) {
        std::vector<int> taken(static_cast<std::size_t>(tiles));
        for (int group = 0; group < groups; ++group) {
          int count = 0;
          for (int tile = group * run; tile < tiles; tile = next_tile(tile, run, groups), ++count) {
            ++taken[static_cast<std::size_t>(tile)];
          }
          ASSERT_EQ(count, tiles_of_group(tiles, run, groups, group)) << tiles << ' ' << run << ' ' << groups;
          ASSERT_GT(count, 0);
        }
        ASSERT_TRUE(std::all_of(taken.begin(), taken.end(), [](int times) { return times == 1; }))
            << tiles << ' ' << run << ' ' << groups;
      }
    }
  }
}

TEST(Runs, AreNoLongerThanWorkGroupsStayAlike) {
  constexpr int groups = 132, planes = 28;
  const auto pays = [&](std::int64_t rows, std::int64_t columns, std::int64_t slabs) {
    const std::int64_t line = slabs <= KEPT_RIGHT_SLABS ? rows : columns;
    return run_that_pays({planes * rows * columns, groups, line}, slabs, 0);
  };
  EXPECT_EQ(run_that_pays({groups, groups, groups}, 4, 0), 1);
  for (const std::int64_t slabs : {1, 4, 8, 12, 16}) EXPECT_GT(pays(128, 64, slabs), 1) << slabs;
  EXPECT_EQ(pays(32, 16, 16), 1);
  EXPECT_EQ(pays(512, 1, 12), 1) << "a row of tiles has one";
  EXPECT_GT(pays(512, 1, 4), 1);
  EXPECT_EQ(pays(2, 256, 8), 1);
  EXPECT_EQ(run_that_pays({std::int64_t{planes} * 128 * 32, groups, 128}, 4, 8), 8) << "a triangle's bands";
  for (const std::int64_t slabs : {4, 8, 12, 16}) {
    for (std::int64_t tiles = 1; tiles < 100000; tiles = tiles * 5 / 4 + 1) {
      // No group has a twentieth more than without.
      const std::int64_t run = run_that_pays({tiles, groups, tiles}, slabs, 0), rounds = (tiles + groups - 1) / groups,
                         most = ((tiles + run - 1) / run + groups - 1) / groups * run;
      EXPECT_LE(20 * most, 21 * rounds) << tiles;
    }
  }
}

TEST(Runs, KeepPanelsThatHaveRoom) {
  EXPECT_EQ(kept_operand(1, false), KEEPS_RIGHT);
  EXPECT_EQ(kept_operand(8, true), KEEPS_RIGHT);
  EXPECT_EQ(kept_operand(9, false), KEEPS_NONE);
  EXPECT_EQ(kept_operand(10, false), KEEPS_LEFT);
  EXPECT_EQ(kept_operand(10, true), KEEPS_NONE);
  EXPECT_EQ(kept_operand(12, false), KEEPS_LEFT);
  EXPECT_EQ(kept_operand(13, false), KEEPS_NONE);
  EXPECT_EQ(kept_operand(16, false), KEEPS_LEFT);
  EXPECT_EQ(kept_operand(17, false), KEEPS_NONE);
}

}  // namespace
}  // namespace hilo::modular
