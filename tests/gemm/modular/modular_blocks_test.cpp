// Strassen's algorithm on the CPU: sums of blocks against integers, steps against a product of matrices of blocks, and
// where there are levels. Its products' bits are in modular_bits_test.cpp.
#include <gtest/gtest.h>

#include <vector>

#include "all_moduli.hpp"
#include "dd_against_mpfr.hpp"
#include "gemm/modular/block_products.hpp"
#include "gemm/modular/cpu/kernels.hpp"
#include "gemm/modular/cpu/panels.hpp"

namespace hilo::modular {
namespace {

using std::int64_t;

int natural(int64_t x, int m) { return static_cast<int>((x % m + m) % m); }
int symmetric(int64_t x, int m) { return 2 * natural(x, m) >= m ? natural(x, m) - m : natural(x, m); }

// Factors of one level of A or B, in their order.
std::vector<int64_t> factors(int operand, int64_t x11, int64_t x12, int64_t x21, int64_t x22) {
  if (operand == 0) return {x11, x12, x12 - (x21 + x22 - x11), x22, x21 + x22, x21 + x22 - x11, x11 - x21};
  const int64_t t1 = x12 - x11, t2 = x22 - t1;
  return {x11, x21, x22, x21 - t2, t1, t2, x22 - x12};
}

TEST(ModularBlocks, SumsAreThoseOfIntegers) {
  constexpr int64_t count = 331, stride = 384 + 64;
  for (int m : test::all_moduli()) {
    testing::Inputs inputs(static_cast<std::uint64_t>(m));
    for (int operand : {0, 1}) {
      const int least = operand == 0 ? 0 : -(m / 2), most = operand == 0 ? m - 1 : (m - 1) / 2;
      std::vector<std::uint8_t> blocks(7 * stride, 77);
      // Ends of the range meet each other, and what is left anything.
      for (int64_t i = 0; i < count; ++i) {
        for (int f = 0; f < 4; ++f) {
          const bool is_end = i < 16;
          const int end = i >> f & 1 ? most : least;
          const int x = is_end ? end : least + static_cast<int>(inputs.below(static_cast<std::uint64_t>(m)));
          blocks[static_cast<std::size_t>(f * stride + i)] = static_cast<std::uint8_t>(x);
        }
      }
      for (const KernelSet* set : kernel_sets()) {
        std::vector<std::uint8_t> got = blocks;
        set->block_sums(operand, count, m, got.data(), stride);
        for (int64_t i = 0; i < count; ++i) {
          auto value = [&](const std::vector<std::uint8_t>& from, int f) {
            const std::uint8_t byte = from[static_cast<std::size_t>(f * stride + i)];
            return operand == 0 ? int64_t{byte} : int64_t{static_cast<std::int8_t>(byte)};
          };
          int64_t x[2][2];
          for (int row : {0, 1}) {
            for (int column : {0, 1}) x[row][column] = value(blocks, factor_of_block(1, operand, row, column));
          }
          const auto want = factors(operand, x[0][0], x[0][1], x[1][0], x[1][1]);
          for (int f = 0; f < 7; ++f) {
            const int64_t sum = want[static_cast<std::size_t>(f)];
            ASSERT_EQ(value(got, f), operand == 0 ? natural(sum, m) : symmetric(sum, m))
                << set->target << ", factor " << f << " mod " << m;
          }
        }
        for (int f = 0; f < 7; ++f) {
          ASSERT_EQ(got[static_cast<std::size_t>(f * stride + 384)], 77) << set->target << ", factor " << f;
        }
      }
    }
  }
}

// Blocks that are numbers: factors by one level after the other.
std::vector<int64_t> all_factors(int levels, int operand, const std::vector<int64_t>& x, int grid, int row,
                                 int column) {
  if (levels == 0) return {x[static_cast<std::size_t>(row * grid + column)]};
  const int half = 1 << (levels - 1);
  std::vector<std::vector<int64_t>> quarter;
  for (int i : {0, 1}) {
    for (int j : {0, 1}) {
      quarter.push_back(all_factors(levels - 1, operand, x, grid, row + i * half, column + j * half));
    }
  }
  std::vector<int64_t> all(7 * quarter[0].size());
  for (std::size_t f = 0; f < quarter[0].size(); ++f) {
    const auto sums = factors(operand, quarter[0][f], quarter[1][f], quarter[2][f], quarter[3][f]);
    for (std::size_t o = 0; o < 7; ++o) all[o * quarter[0].size() + f] = sums[o];
  }
  return all;
}

TEST(ModularBlocks, StepsMultiply) {
  testing::Inputs inputs(1);
  for (int levels = 0; levels <= max_block_levels; ++levels) {
    const int grid = block_grid(levels);
    const auto size = static_cast<std::size_t>(grid * grid);
    std::vector<int64_t> a(size), b(size);
    for (auto* x : {&a, &b}) {
      for (int64_t& e : *x) e = static_cast<int64_t>(inputs.below(201)) - 100;
    }
    const auto left = all_factors(levels, 0, a, grid, 0, 0), right = all_factors(levels, 1, b, grid, 0, 0);
    for (const auto& steps : {block_steps(levels), stored_block_steps(levels)}) {
      std::vector<int64_t> blocks(size + static_cast<std::size_t>(scratch_blocks(levels)), 1 << 30);
      int64_t sum = 0;
      for (const BlockStep& step : steps) {
        const auto f = static_cast<std::size_t>(step.factor);
        sum = (step.begins ? 0 : sum) + left[f] * right[f];
        // As the CPU does, one store after the other: none adds what the one before it changed.
        for (const BlockStore& store : step.store) {
          if (store.to < 0) continue;
          int64_t stored = sum;
          for (int add : store.add) stored += add < 0 ? 0 : blocks[static_cast<std::size_t>(add)];
          blocks[static_cast<std::size_t>(store.to)] = stored;
        }
      }
      for (int i = 0; i < grid; ++i) {
        for (int j = 0; j < grid; ++j) {
          int64_t want = 0;
          for (int h = 0; h < grid; ++h) {
            want += a[static_cast<std::size_t>(i * grid + h)] * b[static_cast<std::size_t>(h * grid + j)];
          }
          EXPECT_EQ(blocks[static_cast<std::size_t>(i * grid + j)], want) << levels << " levels, " << i << ", " << j;
        }
      }
    }
    for (const BlockStep& step : stored_block_steps(levels)) EXPECT_TRUE(step.begins);
    for (const BlockStep& step : block_steps(levels)) EXPECT_EQ(step.store[2].to, -1);
  }
}

TEST(ModularBlocks, DefaultWorkspaceIsUpToTwiceTheOperands) {
  constexpr int64_t gib = int64_t{1} << 30;
  EXPECT_EQ(default_workspace(0), gib / 4);
  EXPECT_EQ(default_workspace(gib / 2), gib);
  EXPECT_EQ(default_workspace(gib + gib / 2), 2 * gib);
  EXPECT_EQ(default_workspace(5 * gib), 5 * gib);
}

TEST(ModularBlocks, PanelsHaveThemWhereTheyPay) {
  auto levels_of = [](int64_t n, int64_t terms, int64_t bytes, int asked, bool packs, int threads = 1) {
    const PanelProblem p{{n, n}, {false, true}, terms, 29, 1, threads, packs, asked};
    const Panels x = choose_panels(p, bytes, max_byte_depth);
    EXPECT_LE(x.bytes(p), bytes);
    return x.levels;
  };
  constexpr int64_t much = int64_t{1} << 40;
  EXPECT_EQ(levels_of(1024, 1024, much, -1, false), 0);
  EXPECT_EQ(levels_of(16384, 256, much, -1, false), 0);
  EXPECT_EQ(levels_of(4096, 4096, much, -1, false), 2);
  EXPECT_EQ(levels_of(16384, 16384, much, -1, false), 2);
  EXPECT_EQ(levels_of(16384, 16384, much, -1, true), 0) << "gain nothing where operands are packed";
  // Blocks that are filled up by much, and tiles that leave threads waiting.
  EXPECT_EQ(levels_of(1540, 1540, much, -1, false), 0);
  EXPECT_EQ(levels_of(3904, 3904, default_workspace(3 * 3904 * 3904 * 16), -1, false, 28), 0);
  // No room for factors, or for blocks.
  EXPECT_EQ(levels_of(2048, 2048, int64_t{1} << 28, -1, false), 0);
  EXPECT_EQ(levels_of(2048, 2048, default_workspace(3 * 2048 * 2048 * 16), -1, false), 1);
  EXPECT_EQ(levels_of(200, 200, int64_t{1} << 17, 2, false), 0);
  EXPECT_EQ(levels_of(200, 200, much, 2, false), 2);
  EXPECT_EQ(levels_of(190, 190, much, 2, true), 1);
  EXPECT_EQ(levels_of(64, 64, much, 2, false), 0);
}

}  // namespace
}  // namespace hilo::modular
