// Columns of a matrix dealt to devices for a factorisation by halves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hilo::stream {

/// In blocks that halving the columns leads to, so that each is factored as in the whole; the blocks go round.
class DealtColumns {
 public:
  struct Block {
    std::int64_t first, columns;
    int device;
    std::int64_t at;  ///< its first column among those of its device
  };

  /// Halved in whole `block`s (blas::half) until there are at most most_columns >= block.
  DealtColumns(std::int64_t columns, std::int64_t block, std::int64_t most_columns, int devices);

  const std::vector<Block>& blocks() const { return blocks_; }
  /// The number of the block that these columns are, or -1.
  int block_of(std::int64_t first, std::int64_t columns) const;
  /// The number of the block that has a column.
  std::size_t number_at(std::int64_t column) const;
  /// Columns of the widest block.
  std::int64_t widest() const;
  std::int64_t devices() const { return static_cast<std::int64_t>(columns_.size()); }
  std::int64_t columns_of(int device) const { return columns_[static_cast<std::size_t>(device)]; }

  /// Blocks of a device that follow each other there, of one width and so many columns apart in the matrix, which has
  /// as many columns from the last one on: NVIDIA's driver wants the memory of a copy to have whole slices.
  struct Run {
    std::int64_t first, at, columns, count, apart;
  };
  /// All of a device's.
  std::vector<Run> runs(int device) const;

  /// Of the columns first … end − 1 those of a device, in order; on it they lie side by side.
  struct Segment {
    std::int64_t first, at, columns;
  };
  std::vector<Segment> segments(int device, std::int64_t first, std::int64_t end) const;
  static std::int64_t columns_of(const std::vector<Segment>& segments);

 private:
  void halve(std::int64_t first, std::int64_t columns, std::int64_t block, std::int64_t most_columns);

  std::vector<Block> blocks_;
  std::vector<std::int64_t> columns_;
};

/// Columns in blocks for so many devices.
DealtColumns blocks_of(std::int64_t columns, std::int64_t block, std::size_t devices);
/// The same; none where there are too few to deal.
std::optional<DealtColumns> deal(std::int64_t columns, std::int64_t block, std::size_t devices);

}  // namespace hilo::stream
