// Columns dealt to devices: blocks are those of halving, all columns are somebody's, once.
#include "stream/dealt_columns.hpp"

#include <gtest/gtest.h>

#include "blas/triangular.hpp"

namespace hilo::stream {
namespace {

using std::int64_t;

// Whether halving the columns leads to these.
bool is_half(int64_t first, int64_t columns, int64_t block, int64_t of_first, int64_t of_columns) {
  if (first == of_first && columns == of_columns) return true;
  if (of_columns <= block) return false;
  const int64_t h = blas::half(of_columns, block);
  return first < of_first + h ? is_half(first, columns, block, of_first, h)
                              : is_half(first, columns, block, of_first + h, of_columns - h);
}

TEST(DealtColumns, AreBlocksOfHalvesThatGoRound) {
  for (int64_t n : {1, 64, 513, 2048, 5000, 32768}) {
    for (int devices : {1, 2, 3, 8}) {
      const DealtColumns deal(n, 64, 512, devices);
      int64_t first = 0;
      std::vector<int64_t> columns(static_cast<std::size_t>(devices));
      for (const DealtColumns::Block& b : deal.blocks()) {
        const int number = static_cast<int>(&b - deal.blocks().data());
        EXPECT_EQ(b.first, first);
        EXPECT_LE(b.columns, 512);
        EXPECT_TRUE(is_half(b.first, b.columns, 64, 0, n));
        EXPECT_EQ(b.device, number % devices);
        EXPECT_EQ(b.at, columns[static_cast<std::size_t>(b.device)]);
        EXPECT_EQ(deal.block_of(b.first, b.columns), number);
        EXPECT_EQ(deal.block_of(b.first, b.columns + 1), -1);
        EXPECT_EQ(deal.number_at(b.first), static_cast<std::size_t>(number));
        EXPECT_EQ(deal.number_at(b.first + b.columns - 1), static_cast<std::size_t>(number));
        columns[static_cast<std::size_t>(b.device)] += b.columns;
        first += b.columns;
      }
      EXPECT_EQ(first, n);
      for (int d = 0; d < devices; ++d) EXPECT_EQ(deal.columns_of(d), columns[static_cast<std::size_t>(d)]);
    }
  }
}

TEST(DealtColumns, SegmentsLieSideBySideOnTheirDevice) {
  const DealtColumns deal(5000, 64, 512, 3);
  for (auto [first, end] : {std::pair<int64_t, int64_t>{0, 5000}, {100, 101}, {300, 3000}, {4999, 5000}, {7, 7}}) {
    std::vector<bool> is_there(5000);
    for (int d = 0; d < 3; ++d) {
      int64_t next = -1;
      for (const DealtColumns::Segment& s : deal.segments(d, first, end)) {
        EXPECT_TRUE(next < 0 || s.at == next);
        next = s.at + s.columns;
        for (int64_t j = s.first; j < s.first + s.columns; ++j) {
          EXPECT_FALSE(is_there[static_cast<std::size_t>(j)]);
          is_there[static_cast<std::size_t>(j)] = true;
        }
      }
    }
    for (int64_t j = 0; j < 5000; ++j) EXPECT_EQ(is_there[static_cast<std::size_t>(j)], j >= first && j < end) << j;
  }
}

TEST(DealtColumns, RunsAreBlocksOfOneWidthAtOneDistance) {
  for (int64_t n : {1, 600, 5000, 32768}) {
    for (int devices : {1, 2, 3}) {
      const DealtColumns deal(n, 64, 512, devices);
      std::size_t blocks = 0;
      for (int d = 0; d < devices; ++d) {
        int64_t next = 0;
        for (const DealtColumns::Run& run : deal.runs(d)) {
          EXPECT_EQ(run.at, next);
          next += run.count * run.columns;
          if (run.count > 1) {
            EXPECT_LE(run.first + run.count * run.apart, n);
          }
          for (int64_t i = 0; i < run.count; ++i, ++blocks) {
            const int number = deal.block_of(run.first + i * run.apart, run.columns);
            ASSERT_GE(number, 0) << n << ", " << devices << " devices, " << i;
            EXPECT_EQ(deal.blocks()[static_cast<std::size_t>(number)].device, d);
            EXPECT_EQ(deal.blocks()[static_cast<std::size_t>(number)].at, run.at + i * run.columns);
          }
        }
        EXPECT_EQ(next, deal.columns_of(d));
      }
      EXPECT_EQ(blocks, deal.blocks().size());
      // Which is what they are there for.
      if (n == 32768) {
        EXPECT_LE(deal.runs(0).size(), 2u);
      }
    }
  }
}

}  // namespace
}  // namespace hilo::stream
