// Where blocks and pieces of a matrix are on their way: none is in the place of one that may still be read.
#include "stream/passed_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <opencl_queue.hpp>

#include "opencl/native.hpp"
#include "stream/dealt_factor.hpp"

namespace hilo::stream {
namespace {

using std::int64_t;

constexpr int64_t element_bytes = 16;

struct Passed {
  DeviceGroup devices;
  HostMatrix shape;
  DealtColumns deal;
  PassedBlocks blocks;

  // Of one context they are in the devices' memory; of two, which do not reach each other here, in the host's.
  Passed(int count, bool is_one_context, int64_t rows, int64_t columns)
      : devices(group_of(count, is_one_context)),
        shape{nullptr, rows, columns, 1, rows, false, element_bytes, true},
        deal(blocks_of(columns, 1, static_cast<std::size_t>(count))),
        blocks(devices, shape, deal) {}

  static DeviceGroup group_of(int count, bool is_one_context) {
    std::vector<Context> contexts(static_cast<std::size_t>(count), queue().context());
    if (!is_one_context) contexts.back() = test_context();
    return DeviceGroup(contexts);
  }
};

// Bytes from the beginning of its memory, and which memory that is.
struct Range {
  const void* memory;
  int64_t first, end;
};

Range range_of(const PassedBlock& x) {
  const int64_t columns = x.host.columns;
  if (!x.memory()) {
    const auto first = static_cast<int64_t>(reinterpret_cast<std::uintptr_t>(x.host.data));
    return {nullptr, first, first + ((columns - 1) * x.host.column_stride + x.host.rows) * element_bytes};
  }
  const Range range{x.memory(), x.column * x.pitch * element_bytes,
                    ((x.column + columns - 1) * x.pitch + x.host.rows) * element_bytes};
  EXPECT_LE(range.end, static_cast<int64_t>(x.memory.getInfo<CL_MEM_SIZE>()));
  EXPECT_GE(x.pitch, x.host.rows);
  return range;
}

bool overlap(const Range& x, const Range& y) { return x.memory == y.memory && x.first < y.end && y.first < x.end; }

class PlacesOfPassedBlocks : public testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(PlacesOfPassedBlocks, AreThoseOfBlocksSoManyBefore) {
  const auto [devices, is_one_context] = GetParam();
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{130, 130}, {90, 61}, {7, 5}, {9, 1}}) {
    const Passed passed(devices, is_one_context, rows, columns);
    EXPECT_GE(passed.blocks.blocks(), PassedBlocks::pieces);
    std::vector<std::pair<int, Range>> parts;
    for (int number = 0; number < std::ssize(passed.deal.blocks()); ++number) {
      const DealtColumns::Block& b = passed.deal.blocks()[static_cast<std::size_t>(number)];
      int64_t all = b.first;
      for (int part = 0; part < PassedBlocks::parts; ++part) {
        const PassedBlocks::Rows of_part = PassedBlocks::part_rows(part, b, rows);
        EXPECT_EQ(of_part.first, all);
        all += of_part.count;
        if (of_part.count == 0) continue;
        const PassedBlock its = passed.blocks.part(number, part, 0);
        EXPECT_EQ(its.host.rows, of_part.count);
        EXPECT_EQ(its.host.columns, b.columns);
        parts.emplace_back(number, range_of(its));
      }
      EXPECT_EQ(all, rows);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (std::size_t j = i + 1; j < parts.size(); ++j) {
        const int apart = parts[j].first - parts[i].first;
        if (apart >= passed.blocks.blocks()) continue;
        EXPECT_FALSE(overlap(parts[i].second, parts[j].second)) << parts[i].first << " and " << parts[j].first;
      }
    }
  }
}

TEST_P(PlacesOfPassedBlocks, OfPiecesAreEachDevicesOwn) {
  const auto [devices, is_one_context] = GetParam();
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{130, 130}, {90, 61}, {7, 5}, {9, 1}, {1, 40}}) {
    const Passed passed(devices, is_one_context, rows, columns);
    const int64_t whole = PassedBlocks::piece_rows(passed.shape, passed.deal);
    struct Piece {
      int number, owner;
      Range range;
    };
    std::vector<Piece> pieces;
    for (int number = 0; number < 2 * PassedBlocks::pieces; ++number) {
      for (int owner = 0; owner < devices; ++owner) {
        if (passed.deal.columns_of(owner) == 0) continue;
        // The last piece may have fewer rows.
        for (const int64_t some : {whole, (whole + 1) / 2}) {
          pieces.push_back({number, owner, range_of(passed.blocks.piece(number, some, owner, 0))});
        }
      }
    }
    for (const Piece& x : pieces) {
      for (const Piece& y : pieces) {
        const bool may_share = x.owner == y.owner && (x.number - y.number) % PassedBlocks::pieces == 0;
        if (!may_share) {
          EXPECT_FALSE(overlap(x.range, y.range))
              << x.number << " of " << x.owner << ", " << y.number << " of " << y.owner;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, PlacesOfPassedBlocks,
                         testing::Combine(testing::Values(2, 3, 4, 5, 9), testing::Bool()));

}  // namespace
}  // namespace hilo::stream
