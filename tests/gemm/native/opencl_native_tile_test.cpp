// Products in S, D, C and Z on an OpenCL device by tiles of many kinds, in blocks and slices, and of operands that lie
// as they please.
#include "native_problem.hpp"

namespace {

using namespace hilo;
using namespace hilo::test::native;
using std::int64_t;

template <class T>
class OpenclNativeTile : public NativeTest<T> {};
TYPED_TEST_SUITE(OpenclNativeTile, Elements);

TYPED_TEST(OpenclNativeTile, TakesEveryOperandInPlace) {
  using T = TypeParam;
  auto turn = static_cast<std::uint64_t>(precision_of<T>);
  const Tile tile = in_place(local_tile(8));
  for (Layout layout : layouts) {
    for (Op opa : ops) {
      for (Op opb : ops) {
        if (++turn % (has_time<T>() ? 9 : 18) && !is_long()) continue;
        Problem<T> p({.layout = layout, .opa = opa, .opb = opb, .pad = 1}, 21, 17, 37, turn, Entries::whole,
                     1 + static_cast<int64_t>(turn % 2), turn % 3 == 0);
        expect_product(p, with_choice(p, {.tile = tile, .workspace = {}}), "in place");
        Storage s = aligned_storage;
        s.layout = layout, s.opa = opa, s.opb = opb;
        Problem<T> whole(s, 32, 16, 8, turn, Entries::whole);
        expect_product(whole, with_choice(whole, {.tile = tile, .workspace = {}}), "aligned");
      }
    }
  }
}

// What the kernels take besides, on any device.
std::vector<Tile> some_tiles() {
  // lanes, item rows x columns, group rows x columns, depth, stages, copies, ahead, runs, raster, unit depth, in place.
  std::vector<Tile> tiles = {{1, 4, 4, 8, 8, 8, 0, Copies::registers, false, 4, 4, 2},
                             {1, 4, 4, 8, 8, 8, 0, Copies::registers, false, 2, 2, 2},
                             {1, 3, 5, 5, 7, 3, 0, Copies::registers, false, 1, 1, 3},
                             {1, 1, 1, 1, 1, 1, 0},
                             {1, 2, 6, 3, 1, 5, 0, Copies::registers, false, 2, 1, 1000},
                             {1, 12, 4, 1, 3, 7, 0, Copies::registers, false, 4, 2, 1},
                             {1, 4, 4, 8, 8, 8, 1, Copies::registers, false, 1, 1, 1, 1, true},
                             {1, 4, 4, 4, 4, 8, 1, Copies::registers, false, 4, 4, 2, 1, true},
                             {1, 3, 2, 5, 7, 8, 1, Copies::registers, false, 1, 1, 2, 1, true},
                             {1, 3, 2, 5, 7, 8, 1, Copies::registers, false, 3, 1, 2, 1, false},
                             {1, 1, 1, 13, 11, 16, 1, Copies::registers, false, 1, 1, 4, 1, true},
                             {1, 4, 2, 16, 4, 24, 1, Copies::registers, false, 2, 2, 1, 1, false},
                             {1, 2, 2, 3, 3, 40, 1, Copies::registers, false, 2, 1, 2, 1, true},
                             {1, 16, 1, 2, 9, 8, 1, Copies::registers, false, 1, 1, 7, 1, true},
                             {1, 4, 4, 4, 4, 8, 2, Copies::registers, false, 4, 4, 2, 1, true},
                             {1, 4, 4, 4, 4, 8, 2, Copies::registers, false, 2, 2, 2, 1, false},
                             {1, 5, 3, 6, 2, 8, 2, Copies::registers, false, 1, 3, 3, 1, true},
                             {1, 1, 8, 17, 1, 16, 2, Copies::registers, false, 1, 4, 1, 1, true},
                             {1, 2, 2, 1, 1, 8, 2, Copies::registers, false, 2, 2, 1, 1, true},
                             {1, 2, 4, 7, 3, 12, 2, Copies::registers, false, 1, 2, 2, 1, true},
                             {1, 6, 2, 3, 5, 4, 1, Copies::registers, false, 2, 2, 2, 1, true}};
  for (int lanes : {2, 4, 8, 16}) {
    tiles.push_back({lanes, lanes, 3, 1, 1, 4, 0, Copies::registers, false, lanes, 1, 1});
    tiles.push_back({lanes, 3 * lanes, 8, 1, 1, 5, 0, Copies::registers, false, lanes, 4, 2});
    tiles.push_back({lanes, 2 * lanes, 2, 3, 2, 1, 0, Copies::registers, false, lanes, 2, 3});
    tiles.push_back({lanes, lanes, 16, 1, 3, 128, 0, Copies::registers, false, lanes, 8, 64});
  }
  if (is_nvidia()) {
    for (int stages : {2, 3, 4}) {
      for (bool ahead : {false, true}) {
        for (bool is_in_place : {false, true}) {
          tiles.push_back({1, 4, 4, 8, 8, 8, stages, Copies::async, ahead, 2, 2, 2, 1, is_in_place});
          tiles.push_back({1, 4, 4, 16, 16, 16, stages, Copies::async, ahead, 4, 4, 8, 1, is_in_place});
          tiles.push_back({1, 4, 2, 5, 6, 8, stages, Copies::async, ahead, 1, 1, 3, 1, is_in_place});
          for (int depth : {4, 8, 16}) {
            tiles.push_back(
                {1, 32, 16, 2, 2, 16 * (1 + ahead), stages, Copies::async, ahead, 2, 1, 2, depth, is_in_place});
            tiles.push_back(
                {1, 16, 32, 2, 1, 16 * (1 + ahead), stages, Copies::async, ahead, 1, 1, 2, depth, is_in_place});
          }
        }
      }
    }
    for (int stages : {2, 3}) {
      tiles.push_back({1, 4, 4, 8, 8, 8, stages, Copies::bulk, false, 2, 2, 2, 1, false, true});
      tiles.push_back({1, 4, 8, 16, 2, 16, stages, Copies::bulk, false, 4, 4, 8, 1, false, true});
    }
    tiles.push_back({1, 16, 16, 2, 2, 16, 1, Copies::registers, false, 2, 2, 2, 8, true});
    tiles.push_back({1, 16, 16, 2, 2, 16, 2, Copies::registers, false, 1, 1, 2, 4, false});
  }
  return tiles;
}

template <class T>
bool is_usable(const Tile& tile) {
  return is_valid(tile, kind_of<T>) && local_bytes(tile, kind_of<T>) <= device().local_memory;
}

// The vectors of sums that a work-item has.
int item_values(const Tile& tile) { return tile.item_rows / tile.lanes * tile.item_columns; }

// A product of a few panels, with remainders and without, whole and in slices of k and blocks of C.
template <class T>
void expect_product_of(const Tile& tile, std::uint64_t seed) {
  SCOPED_TRACE(std::string(name(precision_of<T>)) + ", " + to_string(tile));
  const int64_t m = std::min(2 * tile.panel_rows() + 3, 141), n = std::min(2 * tile.panel_columns() + 5, 147);
  const Layout layout = layouts[seed % 2];
  const Op opa = ops[seed / 2 % 3], opb = ops[seed / 6 % 3];
  Problem<T> p({.layout = layout, .opa = opa, .opb = opb}, m, n, 75, seed, Entries::whole);
  expect_product(p, with_choice(p, {.tile = tile, .workspace = {}}), "whole");
  expect_product(p, with_choice(p, {.tile = tile, .workspace = 0}), "blocks and slices");
  Storage s = aligned_storage;
  s.layout = layout, s.opa = opa, s.opb = opb;
  Problem<T> q(s, m / 16 * 16 + 16, n / 16 * 16 + 16, 64, seed, Entries::whole);
  q.alpha = T(1);
  expect_product(q, with_choice(q, {.tile = tile, .workspace = {}}), "aligned");
}

TYPED_TEST(OpenclNativeTile, TakesEveryTile) {
  using T = TypeParam;
  const std::vector<Tile> tiles = some_tiles();
  int taken = 0;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    // In short a few, each for one precision, where they do not take a compiler long.
    const bool is_its = i % 7 == static_cast<std::size_t>(precision_of<T>) && item_values(tiles[i]) <= 6;
    if (!is_usable<T>(tiles[i]) || (!is_long() && !is_its)) continue;
    ++taken;
    expect_product_of<T>(tiles[i], 600 + i);
  }
  EXPECT_GE(taken, is_long() ? 18 : 1);
}

// What devices of compute capability 8.0 have, on later ones too.
TYPED_TEST(OpenclNativeTile, TakesMatrixUnitsOfEightRows) {
  using T = TypeParam;
  if (device().compute_capability < 80 || kind_of<T>.word_bytes() == 4) GTEST_SKIP() << "no matrix units";
  Queue q(Context(queue().context().native(), queue().context().native_device()));
  q.context().state()->info.compute_capability = 80;
  std::uint64_t seed = 650;
  for (int depth : {4, 8, 16}) {
    const Tile tile{1, 32, 16, 2, 2, 16, 2, Copies::async, false, 16 / kind_of<T>.bytes(), 1, 2, depth};
    ASSERT_TRUE(is_valid(tile, kind_of<T>));
    for (Op opa : ops) {
      const Problem<T> p({.opa = opa, .opb = ops[seed % 3]}, 131, 69, 75, ++seed, Entries::whole);
      expect_product(p, with_choice(p, {.tile = tile, .workspace = {}}, q), to_string(tile));
    }
  }
}

Tile random_tile(std::mt19937_64& random) {
  auto one_of = [&](std::initializer_list<int> list) { return list.begin()[random() % list.size()]; };
  Tile t{};
  t.stages = one_of({0, 0, 1, 1, 2, 2, 3, 4});
  t.lanes = t.stages ? 1 : one_of({1, 2, 4, 8, 16});
  t.row_run = t.lanes > 1 ? t.lanes : one_of({1, 2, 3, 4});
  t.column_run = one_of({1, 2, 3, 4, 8});
  t.unit_depth = is_nvidia() ? one_of({1, 1, 4, 8, 16}) : 1;
  t.item_rows = t.row_run * one_of({1, 2, 3, 4, 16});
  t.item_columns = t.column_run * one_of({1, 2, 3, 4, 5, 16});
  t.group_rows = one_of({1, 2, 3, 4, 5, 7, 8, 11, 16});
  t.group_columns = one_of({1, 2, 3, 4, 6, 7, 8, 13, 16});
  t.depth = one_of({1, 3, 4, 8, 8, 12, 16, 16, 24, 32, 40});
  if (is_nvidia()) t.copies = std::array{Copies::registers, Copies::async, Copies::bulk}[random() % 3];
  t.fetches_ahead = t.copies == Copies::async && random() % 2;
  t.raster_rows = one_of({1, 2, 3, 8, 1024});
  t.in_place = random() % 2;
  if (t.copies == Copies::bulk) t.in_place = false, t.packs_all = true;
  return t;
}

TYPED_TEST(OpenclNativeTile, TakesTilesAtRandom) {
  using T = TypeParam;
  std::mt19937_64 random(20260 + static_cast<unsigned>(precision_of<T>));
  const int count = is_long() ? 40 : has_time<T>();
  for (int taken = 0; taken < count;) {
    const Tile tile = random_tile(random);
    const std::uint64_t seed = random();
    if (!is_usable<T>(tile) || tile.panel_rows() > 200 || tile.panel_columns() > 200) continue;
    if (item_values(tile) > (is_long() ? 64 : 8)) continue;
    ++taken;
    expect_product_of<T>(tile, seed);
  }
}

TYPED_TEST(OpenclNativeTile, IsRightInBlocksAndSlices) {
  using T = TypeParam;
  if (is_small()) GTEST_SKIP() << "large products";
  std::uint64_t seed = 700;
  for (int64_t workspace : {0, 1 << 10, 1 << 14, 1 << 16, 1 << 18, 1 << 22}) {
    for (const auto& [m, n, k] : {std::array{101, 66, 300}, std::array{20, 90, 1100}, std::array{90, 5, 1025}}) {
      ++seed;
      const std::string what = "workspace " + std::to_string(workspace);
      auto expect = [&](Problem<T> p, const tile::Choice& choice) {
        if (seed % 2) p.beta = T(0);
        if (seed % 2) std::fill(p.c.begin(), p.c.end(), number<T>(quiet_nan, quiet_nan));
        expect_product(p, with_choice(p, choice), what);
      };
      const Layout layout = layouts[seed / 2 % 2];
      expect(Problem<T>({.layout = layout, .opa = ops[seed % 3], .opb = ops[seed / 3 % 3]}, m, n, k, seed),
             {.tile = {}, .workspace = workspace});
      // One operand where it lies, the other in panels.
      if (!has_time<T>()) continue;
      expect(Problem<T>({.layout = layout}, m, n, k, seed), {.tile = local_tile(8), .workspace = workspace});
    }
  }
  Problem<T> batch({.layout = Layout::row}, 50, 70, 130, seed, Entries::whole, 3, false, true);
  expect_product(batch, with_choice(batch, {.tile = {}, .workspace = 1 << 14}), "batch");
}

// Sizes beyond what a launch takes.
TYPED_TEST(OpenclNativeTile, TakesLinesWithoutEnd) {
  using T = TypeParam;
  if (!is_long()) GTEST_SKIP() << "HILO_LONG_TESTS";
  const int64_t most = (int64_t{1} << 24) + 37;
  const int64_t shapes[][3] = {{most, 1, 1}, {1, most, 1}, {1, 1, most}};
  for (const auto& [m, n, k] : shapes) {
    Problem<T> p({.pad = 0}, m, n, k, 800, Entries::whole);
    // Sums of floats stay exact.
    if (k > 1) std::fill(p.b.begin() + 1000, p.b.end(), T(0));
    if (k > 1) std::fill(p.b.end() - 1000, p.b.end(), T(1));
    expect_product(p, with_choice(p, {}), "the device's tile");
    expect_product(p, with_choice(p, {.tile = in_place(local_tile(8)), .workspace = {}}), "in place");
    p.alpha = T(0);
    expect_product(p, with_choice(p, {}), "alpha = 0");
  }
}

}  // namespace
