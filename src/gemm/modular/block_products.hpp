// Strassen's algorithm in Winograd's form for products modulo small numbers, where sums of blocks are exact: seven
// products of blocks for eight, and with two levels 49 for 64.
//
// With `levels` an operand is cut into 2^levels rows and columns of blocks. What is multiplied are its factors, sums of
// blocks, of which there are 7^levels: with one level, in this order,
//
//   of A   A11  A12  A12 − S2  A22        S1 = A21 + A22  S2 = S1 − A11   A11 − A21
//   of B   B11  B21  B22       B21 − T2   T1 = B12 − B11  T2 = B22 − T1   B22 − B12
//
// and with two the factors of each of these seven sums, as a matrix of blocks. `BlockStep` says what is done with the
// products. Sources: Strassen, Numer. Math. 13 (1969); Winograd, Linear Algebra Appl. 4 (1971).
#pragma once

#include <cstdint>
#include <vector>

namespace hilo::modular {

inline constexpr int max_block_levels = 2;

/// Rows and columns of blocks that a matrix is cut into, and what is multiplied.
constexpr int block_grid(int levels) { return 1 << levels; }
constexpr int block_factors(int levels) { return levels == 0 ? 1 : 7 * block_factors(levels - 1); }

/// The factors that are blocks as they are, or that hold one until the sums of blocks are formed: where block (row,
/// column) of A (operand 0) or of B (1) is put at first.
int factor_of_block(int levels, int operand, int row, int column);

/// A block of C, or a scratch block of the same size, and what is added to it before it is stored.
struct BlockStore {
  int to = -1;            ///< row · grid + column; scratch blocks come after all blocks of C; −1: nothing is stored
  int add[2] = {-1, -1};  ///< of stored ones; −1: none
};

/// The product of two factors: the sums that are there go on, or begin with it. They are stored with what is added,
/// which does not change the sums. Additions are of scratch blocks as they were before the step: none that a store
/// changes is added by a later one of its step.
struct BlockStep {
  int factor;  ///< of A and of B
  bool begins;
  BlockStore store[3];
};

/// Steps go on for at most so many products before sums begin anew.
inline constexpr int most_steps_on = 4;

/// Scratch blocks that the steps take.
constexpr int scratch_blocks(int levels) { return levels == 0 ? 0 : levels == 1 ? 3 : 15; }

/// One for each factor, with up to two stores.
std::vector<BlockStep> block_steps(int levels);

/// The same for products that are stored one by one, and no sums that go on: up to three stores.
std::vector<BlockStep> stored_block_steps(int levels);

/// The steps as kernels/bytes/steps.cl reads them, four words each.
std::vector<std::uint32_t> step_table(int levels);

}  // namespace hilo::modular
