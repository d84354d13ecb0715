#include "gemm/modular/block_products.hpp"

namespace hilo::modular {
namespace {

// One level. X1 = P1, X2 = X1 + P6, X3 = X2 + P7, C21 = X3 + P4, C11 = X1 + P2, C22 = X3 + P5, C12 = X2 + P5 + P3, as
// P4 has B21 − T2 for T2 − B21. In this order three stores add what has been stored, where C11 = P1 + P2 first
// has five: that takes instructions while the units that multiply wait.
constexpr int c11 = 0, c12 = 1, c21 = 2, c22 = 3, x1 = 4, x2 = 5, x3 = 6;

std::vector<BlockStep> one_level() {
  return {
      {0, true, {{x1, {-1, -1}}}},    //
      {5, false, {{x2, {-1, -1}}}},   //
      {6, false, {{x3, {-1, -1}}}},   //
      {3, false, {{c21, {-1, -1}}}},  //
      {1, true, {{c11, {x1, -1}}}},   //
      {4, true, {{c22, {x3, -1}}}},   //
      {2, false, {{c12, {x2, -1}}}},
  };
}

// The same where one goes on from one of its products to the next in memory, with one more store.
std::vector<BlockStep> one_stored_level() {
  return {
      {0, true, {{x1, {-1, -1}}}},                   //
      {1, true, {{c11, {x1, -1}}}},                  //
      {5, true, {{x2, {x1, -1}}}},                   //
      {6, true, {{x3, {x2, -1}}}},                   //
      {3, true, {{c21, {x3, -1}}}},                  //
      {4, true, {{c22, {x3, -1}}, {x2, {x2, -1}}}},  //
      {2, true, {{c12, {x2, -1}}}},
  };
}

// Of two levels: scratch blocks are the inner level's x1, x2, x3, then the blocks of the outer level's.
constexpr int first_inner_scratch = 16, first_outer_scratch = first_inner_scratch + 3;

int inner_scratch(int x) { return x < x1 ? -1 : first_inner_scratch + x - x1; }

// Block `inner` of `outer`.
int block_of(int outer, int inner) {
  if (outer < 0) return -1;
  if (outer >= x1) return first_outer_scratch + 4 * (outer - x1) + inner;
  return (outer / 2 * 2 + inner / 2) * 4 + outer % 2 * 2 + inner % 2;
}

// The outer level goes on from one of its products to the next in memory: what inner steps store is a block of a
// product, and the outer level's addition comes on top.
std::vector<BlockStep> two_levels(const std::vector<BlockStep>& inner_level) {
  std::vector<BlockStep> steps;
  for (const BlockStep& outer : one_stored_level()) {
    for (const BlockStep& inner : inner_level) {
      BlockStep step{outer.factor * 7 + inner.factor, inner.begins, {}};
      BlockStore* next = step.store;
      for (const BlockStore& store : inner.store) {
        if (store.to < 0) continue;
        const int added = inner_scratch(store.add[0]);
        if (store.to >= x1) {
          *next++ = {inner_scratch(store.to), {added, -1}};
          continue;
        }
        for (const BlockStore& of_outer : outer.store) {
          if (of_outer.to < 0) continue;
          const int of_block = block_of(of_outer.add[0], store.to);
          *next++ = {block_of(of_outer.to, store.to), {added < 0 ? of_block : added, added < 0 ? -1 : of_block}};
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
  return levels == 1 ? one_level() : two_levels(one_level());
}

std::vector<BlockStep> stored_block_steps(int levels) {
  if (levels == 0) return block_steps(0);
  return levels == 1 ? one_stored_level() : two_levels(one_stored_level());
}

std::vector<std::uint32_t> step_table(int levels) {
  std::vector<std::uint32_t> table;
  auto byte = [](int x) { return static_cast<std::uint32_t>(x) & 0xff; };
  for (const BlockStep& step : block_steps(levels)) {
    table.push_back(static_cast<std::uint32_t>(step.factor));
    table.push_back(step.begins ? 1 : 0);
    for (int i = 0; i < 2; ++i) {
      const BlockStore& store = step.store[i];
      table.push_back(byte(store.to) | byte(store.add[0]) << 8 | byte(store.add[1]) << 16);
    }
  }
  return table;
}

}  // namespace hilo::modular
