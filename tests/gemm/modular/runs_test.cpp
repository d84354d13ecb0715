// Runs of tiles: each tile is some work-group's, once, and which runs pay.
#include "gemm/modular/opencl/runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "gemm/modular/opencl/bytes.hpp"

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

TEST(Runs, AreAsLongAsWorkGroupsStayAlike) {
  constexpr int groups = 132;
  EXPECT_EQ(run_that_pays(groups, groups, 0), 1);
  EXPECT_EQ(run_that_pays(std::int64_t{28} * 128 * 64, groups, 0), 16);
  EXPECT_EQ(run_that_pays(std::int64_t{28} * 128 * 32, groups, 8), 8) << "a triangle's bands";
  for (std::int64_t tiles = 1; tiles < 100000; tiles = tiles * 5 / 4 + 1) {
    // No group has a twentieth more than without.
    const std::int64_t run = run_that_pays(tiles, groups, 0), rounds = (tiles + groups - 1) / groups,
                       most = ((tiles + run - 1) / run + groups - 1) / groups * run;
    EXPECT_LE(20 * most, 21 * rounds) << tiles;
  }
}

TEST(Runs, KeepPanelsThatHaveRoom) {
  EXPECT_EQ(kept_panel(1, 0), KEEPS_RIGHT);
  EXPECT_EQ(kept_panel(8, 8), KEEPS_RIGHT);
  EXPECT_EQ(kept_panel(9, 0), KEEPS_LEFT);
  EXPECT_EQ(kept_panel(9, 8), KEEPS_NONE);
  EXPECT_EQ(kept_panel(12, 0), KEEPS_LEFT);
  EXPECT_EQ(kept_panel(13, 0), KEEPS_NONE);
  EXPECT_EQ(kept_panel(16, 0), KEEPS_LEFT);
  EXPECT_EQ(kept_panel(17, 0), KEEPS_NONE);
}

}  // namespace
}  // namespace hilo::modular
