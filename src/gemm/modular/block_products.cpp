#include "gemm/modular/block_products.hpp"

namespace hilo::modular {
namespace {

// One level. C11 = P1 + P2, X1 = P1, X2 = X1 + P6, X3 = X2 + P7, C21 = X3 + P4, C22 = X3 + P5, C12 = X2 + P5 + P3, as
// P4 has B21 − T2 for T2 − B21.
constexpr int c11 = 0, c12 = 1, c21 = 2, c22 = 3, x1 = 4, x2 = 5, x3 = 6;

std::vector<BlockStep> one_level() {
  return {
      {0, true, {{x1, {-1, -1}}}},    //
      {1, false, {{c11, {-1, -1}}}},  //
      {5, true, {{x2, {x1, -1}}}},    //
      {6, false, {{x3, {x1, -1}}}},   //
      {3, false, {{c21, {x1, -1}}}},  //
      {4, true, {{c22, {x3, -1}}}},   //
      {2, false, {{c12, {x2, -1}}}},
  };
}

// The outer level goes on from one of its products to the next in memory: what inner steps store is a block of a
// product, and the outer level's addition comes on top.
struct OuterStep {
  int factor;
  int to[2], add[2];
};

constexpr OuterStep outer_steps[] = {
    {0, {x1, -1}, {-1, -1}},  {1, {c11, -1}, {x1, -1}}, {5, {x2, -1}, {x1, -1}},  {6, {x3, -1}, {x2, -1}},
    {3, {c21, -1}, {x3, -1}}, {4, {c22, x2}, {x3, x2}}, {2, {c12, -1}, {x2, -1}},
};

// Of two levels: scratch blocks are the inner level's x1, x2, x3, then the blocks of the outer level's.
constexpr int first_inner_scratch = 16, first_outer_scratch = first_inner_scratch + 3;

int inner_scratch(int x) { return x < x1 ? -1 : first_inner_scratch + x - x1; }

// Block `inner` of `outer`.
int block_of(int outer, int inner) {
  if (outer < 0) return -1;
  if (outer >= x1) return first_outer_scratch + 4 * (outer - x1) + inner;
  return (outer / 2 * 2 + inner / 2) * 4 + outer % 2 * 2 + inner % 2;
}

std::vector<BlockStep> two_levels() {
  std::vector<BlockStep> steps;
  for (const OuterStep& outer : outer_steps) {
    for (const BlockStep& inner : one_level()) {
      BlockStep step{outer.factor * 7 + inner.factor, inner.begins, {}};
      const int to = inner.store[0].to, added = inner_scratch(inner.store[0].add[0]);
      if (to >= x1) {
        step.store[0] = {inner_scratch(to), {added, -1}};
      } else {
        for (int i = 0; i < 2; ++i) {
          if (outer.to[i] >= 0) step.store[i] = {block_of(outer.to[i], to), {added, block_of(outer.add[i], to)}};
        }
      }
      steps.push_back(step);
    }
  }
  return steps;
}

}  // namespace

int factor_of_block(int levels, int operand, int row, int column) {
  if (levels == 0) return 0;
  const int half = block_grid(levels - 1);
  // A21 and B12 are no factors, and wait where a sum will be.
  constexpr int places[2][2][2] = {{{0, 1}, {2, 3}}, {{0, 3}, {1, 2}}};
  return places[operand][row / half][column / half] * block_factors(levels - 1) +
         factor_of_block(levels - 1, operand, row % half, column % half);
}

std::vector<BlockStep> block_steps(int levels) {
  if (levels == 0) return {{0, true, {{0, {-1, -1}}, {}}}};
  return levels == 1 ? one_level() : two_levels();
}

std::vector<std::uint32_t> step_table(int levels) {
  std::vector<std::uint32_t> table;
  auto byte = [](int x) { return static_cast<std::uint32_t>(x) & 0xff; };
  for (const BlockStep& step : block_steps(levels)) {
    table.push_back(static_cast<std::uint32_t>(step.factor));
    table.push_back(step.begins ? 1 : 0);
    for (const BlockStore& store : step.store) {
      table.push_back(byte(store.to) | byte(store.add[0]) << 8 | byte(store.add[1]) << 16);
    }
  }
  return table;
}

}  // namespace hilo::modular
