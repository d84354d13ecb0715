// Panels and their order: every pair once, its operands where the steps say, and as few loads as places allow.
#include "stream/schedule.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <utility>

#include "stream/plan.hpp"

namespace hilo::stream {
namespace {

using std::int64_t;

TEST(Cut, CoversAllLines) {
  for (int64_t m : {1, 63, 64, 65, 640, 1000}) {
    for (bool grows : {false, true}) {
      const Cut cut(m, 2 * m, 64, 128, grows);
      for (int o = 0; o < 2; ++o) {
        int64_t end = 0;
        for (int p = 0; p < cut.panels(o); ++p) {
          EXPECT_EQ(cut.first(o, p), end);
          EXPECT_GT(cut.count(o, p), 0);
          EXPECT_LE(cut.count(o, p), cut.panel_lines(o));
          end += cut.count(o, p);
        }
        EXPECT_EQ(end, cut.lines(o));
        EXPECT_EQ(end, o == 0 ? m : 2 * m);
      }
    }
  }
  const Cut cut(1000, 1000, 256, 256, true);
  EXPECT_EQ(cut.count(0, 0), 64);
  EXPECT_EQ(cut.count(0, 1), 64);
  EXPECT_EQ(cut.count(0, 2), 128);
  EXPECT_EQ(cut.count(0, 3), 256);
}

// The diagonal is in squares, and the entries that are counted are those of the panels that are wanted.
TEST(Cut, OfATriangle) {
  for (Uplo triangle : {Uplo::lower, Uplo::upper}) {
    for (const auto& [longer, shorter] : {std::pair<int64_t, int64_t>{1000, 1000}, {1000, 300}, {310, 300}}) {
      const bool is_lower = triangle == Uplo::lower;
      const int64_t m = is_lower ? longer : shorter, n = is_lower ? shorter : longer;
      for (bool grows : {false, true}) {
        const Cut cut = Cut::of_triangle(triangle, m, n, 128, grows);
        int64_t entries = 0;
        for (int i = 0; i < cut.panels(0); ++i) {
          for (int j = 0; j < cut.panels(1); ++j) {
            const bool has_wanted = is_lower ? cut.first(0, i) + cut.count(0, i) > cut.first(1, j)
                                             : cut.first(1, j) + cut.count(1, j) > cut.first(0, i);
            EXPECT_EQ(cut.is_wanted({{i, j}}), has_wanted) << i << ' ' << j;
            entries += has_wanted ? cut.count(0, i) * cut.count(1, j) : 0;
            if (!cut.triangle_of({{i, j}})) continue;
            EXPECT_EQ(cut.first(0, i), cut.first(1, j));
            EXPECT_EQ(cut.count(0, i), cut.count(1, j));
          }
        }
        EXPECT_EQ(cut.entries(), entries);
        EXPECT_EQ(cut.lines(0), m);
        EXPECT_EQ(cut.lines(1), n);
      }
    }
  }
}

// How often panels come; that they are there where a step says, and every pair is multiplied once.
int loads_of(const Cut& cut, const std::vector<Pair>& order, const int (&slots)[2]) {
  std::vector<int> held[2] = {nobody(slots[0]), nobody(slots[1])}, seen[2] = {nobody(slots[0]), nobody(slots[1])};
  std::set<std::pair<int, int>> pairs;
  int loads = 0;
  for (const Step& step : schedule(cut, order, held)) {
    for (const Load& load : step.loads) {
      EXPECT_LT(load.slot, slots[load.operand]);
      seen[load.operand][static_cast<std::size_t>(load.slot)] = load.panel;
      ++loads;
    }
    for (int o = 0; o < 2; ++o) EXPECT_EQ(seen[o][static_cast<std::size_t>(step.slot[o])], step.pair.panel[o]);
    EXPECT_TRUE(pairs.insert({step.pair.panel[0], step.pair.panel[1]}).second);
  }
  std::int64_t wanted = 0;
  for (int i = 0; i < cut.panels(0); ++i) {
    for (int j = 0; j < cut.panels(1); ++j) wanted += cut.is_wanted({{i, j}});
  }
  EXPECT_EQ(std::ssize(pairs), wanted);
  for (int o = 0; o < 2; ++o) EXPECT_EQ(seen[o], held[o]);
  return loads;
}

// As many panels of fewer lines, of which none is larger.
TEST(Cut, OfFewerLines) {
  for (bool grows : {false, true}) {
    const Cut cut(1000, 640, 128, 64, grows);
    for (int64_t m = 1; m <= 1001; ++m) {
      const std::optional<Cut> fewer = cut.of(m, 640);
      ASSERT_EQ(fewer.has_value(), m >= cut.panels(0) && m <= 1000) << m;
      if (!fewer) continue;
      EXPECT_EQ(fewer->panels(0), cut.panels(0));
      EXPECT_EQ(fewer->panels(1), cut.panels(1));
      EXPECT_EQ(fewer->lines(0), m);
      EXPECT_EQ(fewer->lines(1), 640);
      int64_t end = 0;
      for (int p = 0; p < fewer->panels(0); ++p) {
        EXPECT_EQ(fewer->first(0, p), end);
        EXPECT_GT(fewer->count(0, p), 0) << m;
        EXPECT_LE(fewer->count(0, p), cut.count(0, p)) << m;
        EXPECT_LE(fewer->count(0, p), fewer->rows()) << m;
        if (m > cut.first(0, cut.panels(0) - 1)) {
          EXPECT_EQ(fewer->first(0, p), cut.first(0, p)) << m;
        }
        end += fewer->count(0, p);
      }
      EXPECT_EQ(end, m);
    }
  }
}

TEST(Orders, EveryPairOnce) {
  for (int rows : {1, 2, 5, 8}) {
    for (int columns : {1, 3, 7}) {
      const Cut cut(rows * 10 - 3, columns * 10 - 1, 10, 10);
      for (int a = 1; a <= rows; ++a) {
        for (int b = 1; b <= columns; ++b) {
          const int slots[2] = {a, b};
          for (int staying : {0, 1}) {
            for (const auto& order : orders_of(cut, slots, staying)) {
              const int loads = loads_of(cut, order, slots);
              EXPECT_GE(loads, rows + columns);
              if (a == rows && b == columns) {
                EXPECT_EQ(loads, rows + columns);
              }
            }
          }
        }
      }
    }
  }
}

TEST(Orders, OfATriangle) {
  for (Uplo triangle : {Uplo::lower, Uplo::upper}) {
    const Cut cut =
        triangle == Uplo::lower ? Cut::of_triangle(triangle, 77, 50, 10) : Cut::of_triangle(triangle, 45, 82, 10);
    for (int a = 1; a <= cut.panels(0); ++a) {
      for (int b = 1; b <= cut.panels(1); ++b) {
        const int slots[2] = {a, b};
        for (int staying : {0, 1}) {
          for (const auto& order : orders_of(cut, slots, staying)) {
            EXPECT_GE(loads_of(cut, order, slots), cut.panels(0) + cut.panels(1));
          }
        }
      }
    }
  }
}

TEST(Orders, OneOperandComesOnce) {
  const Cut cut(80, 50, 10, 10);
  const int slots[2] = {4, 2};
  const auto orders = orders_of(cut, slots, 0);
  // Two blocks of A's panels, the second beginning with the two panels of B that the first ended with.
  EXPECT_EQ(loads_of(cut, orders[0], slots), 8 + 5 + 5 - 2);
}

TEST(Orders, PanelsOfBothComeByTurns) {
  const Cut cut(40, 40, 10, 10);
  const int slots[2] = {4, 4};
  const std::vector<Pair> order = orders_of(cut, slots, 0)[0];
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_LE(order[i].panel[0], 1) << i;
    EXPECT_LE(order[i].panel[1], 1) << i;
  }
}

// A panel's line takes ten bytes on the device, everything else a hundred.
PlanRequest request(int64_t m, int64_t n, int64_t bytes) {
  PlanRequest r{m, n, 100, 16, false, {}, true, bytes, bytes, 64, 1e9, 1e9, {false, false}, 0.0, {}};
  r.cost = [](const Cut& cut, int, int) {
    const double pair = 1e-9 * static_cast<double>(cut.rows() * cut.columns());
    return PanelCost{{10 * cut.rows(), 10 * cut.columns()}, 100, 1, {0.0, 0.0}, pair};
  };
  return r;
}

TEST(Plan, FitsTheMemory) {
  for (int64_t bytes : {100 + 2 * 640, 100 + 3 * 640, 10000, 100000}) {
    int64_t least = 0;
    const PlanRequest r = request(1000, 700, bytes);
    const auto plan = choose_panels(r, least);
    ASSERT_TRUE(plan) << bytes;
    EXPECT_EQ(least, 100 + 2 * 640);
    const PanelCost cost = r.cost(plan->cut, plan->spare, plan->levels);
    EXPECT_LE(cost.working_bytes + plan->slots[0] * cost.slot_bytes[0] + plan->slots[1] * cost.slot_bytes[1], bytes);
    loads_of(plan->cut, plan->order, plan->slots);
  }
  int64_t least = 0;
  EXPECT_FALSE(choose_panels(request(1000, 700, 100 + 2 * 640 - 1), least));
  EXPECT_EQ(least, 100 + 2 * 640);
}

// What comes, what is multiplied and what returns overlap: no less than any of them alone, and less than their sum.
TEST(Plan, ExpectsOverlap) {
  int64_t least = 0;
  PlanRequest r = request(1024, 1024, 1 << 20);
  const auto plan = choose_panels(r, least);
  ASSERT_TRUE(plan);
  const double in = 2.0 * 1024 * 1600 / 1e9, pairs = 1e-9 * 1024 * 1024, out = 1024.0 * 1024 * 16 / 1e9;
  EXPECT_GT(plan->seconds, std::max({in, pairs, out}));
  EXPECT_LT(plan->seconds, 0.9 * (in + pairs + out));
}

// Tall products have many lines, and a plan soon.
TEST(Plan, TallProductsTakeNoLonger) {
  int64_t least = 0;
  const auto start = std::chrono::steady_clock::now();
  const auto plan = choose_panels(request(20000000, 2, 100 + 10 * 20000200), least);
  ASSERT_TRUE(plan);
  EXPECT_LT(plan->cut.panels(0), 2000);
  const auto tight = choose_panels(request(20000000, 2, 2000000), least);
  ASSERT_TRUE(tight);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_LT(seconds.count(), 10.0);
}

// Of the levels that panels can have those that take least, or those that are wanted where panels that have them fit.
TEST(Plan, ChoosesLevels) {
  const auto plan_with = [](int wanted, double of_level, int64_t bytes) {
    PlanRequest r = request(1024, 1024, bytes);
    r.cost = [=](const Cut& cut, int, int levels) {
      const double pair = 1e-7 * static_cast<double>(cut.rows() * cut.columns()) * (levels == 1 ? of_level : 1.0);
      const int64_t bytes_of_line = levels == 1 ? 20 : 10;
      return PanelCost{{bytes_of_line * cut.rows(), bytes_of_line * cut.columns()}, 100, 1, {0.0, 0.0}, pair};
    };
    r.levels = [](const Cut& cut) {
      return cut.rows() >= 256 && cut.columns() >= 256 ? std::vector<int>{1, 0} : std::vector<int>{0};
    };
    r.wanted_levels = wanted;
    int64_t least = 0;
    const auto plan = choose_panels(r, least);
    EXPECT_TRUE(plan);
    return plan ? plan->levels : -1;
  };
  EXPECT_EQ(plan_with(0, 0.8, 1 << 20), 1);
  EXPECT_EQ(plan_with(0, 1.2, 1 << 20), 0);
  EXPECT_EQ(plan_with(1, 1.2, 1 << 20), 1);
  EXPECT_EQ(plan_with(2, 1.2, 1 << 20), 1);
  EXPECT_EQ(plan_with(0, 0.8, 5000), 0);
  EXPECT_EQ(plan_with(1, 0.8, 5000), 0);
}

// A panel of one line takes as long as one of the lines that it is padded to.
TEST(Plan, CountsPadding) {
  const PlanRequest r = request(257, 256, 1 << 20);
  const Cut cut(257, 256, 256, 256);
  const int slots[2] = {2, 1};
  std::vector<int> held[2] = {nobody(2), nobody(1)};
  const std::vector<Step> steps = schedule(cut, orders_of(cut, slots, 0)[0], held);
  PanelCost cost{{2560, 2560}, 100, 1, {0.0, 0.0}, 1.0};
  EXPECT_NEAR(expected_seconds(r, cut, 3, cost, steps), 1.0, 0.01);
  cost.padding[0] = 128;
  EXPECT_NEAR(expected_seconds(r, cut, 3, cost, steps), 1.5, 0.01);
}

// What comes from other devices gets in between products alone.
TEST(Plan, CopiesWaitForProducts) {
  PlanRequest r = request(1024, 1024, 1 << 20);
  const Cut cut(1024, 1024, 256, 256);
  const int slots[2] = {4, 4};
  std::vector<int> held[2] = {nobody(4), nobody(4)};
  const std::vector<Step> steps = schedule(cut, orders_of(cut, slots, 0)[0], held);
  const PanelCost cost{{2560, 2560}, 100, 1, {0.0, 0.0}, 1e-3};
  const double at_any_time = expected_seconds(r, cut, 3, cost, steps);
  EXPECT_GT(at_any_time, 16e-3);
  EXPECT_LT(at_any_time, 19e-3);
  // A panel of A, but for the first, which finds nothing under way, waits for four products.
  r.bytes_between[0] = 64 * 1600;
  EXPECT_GT(expected_seconds(r, cut, 3, cost, steps), at_any_time);
}

// Of two operands alike, the one whose panels are whole lines comes again and again.
TEST(Plan, SendsLongLines) {
  for (int cut : {0, 1}) {
    PlanRequest r = request(1024, 1024, 100 + 10 * 64 * 6);
    r.cuts_lines[cut] = true;
    int64_t least = 0;
    const auto plan = choose_panels(r, least);
    ASSERT_TRUE(plan);
    std::vector<int> held[2] = {nobody(plan->slots[0]), nobody(plan->slots[1])};
    int64_t lines[2] = {0, 0};
    for (const Step& step : schedule(plan->cut, plan->order, held)) {
      for (const Load& load : step.loads) lines[load.operand] += plan->cut.count(load.operand, load.panel);
    }
    EXPECT_EQ(lines[cut], 1024);
    EXPECT_GT(lines[1 - cut], 1024);
  }
}

}  // namespace
}  // namespace hilo::stream
