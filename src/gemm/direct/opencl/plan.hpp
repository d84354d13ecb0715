// How the direct engine computes a product on an OpenCL device: all that is decided before it runs.
#pragma once

#include <optional>

#include "matrix/device_product.hpp"
#include "tile/run.hpp"
#include "tile/table.hpp"

namespace hilo::direct {

/// A product as real steps: m × columns of `steps` steps, in blocks of C and slices of k that fit the workspace.
struct Blocks {
  std::int64_t rows, columns;  ///< of a block of C, padded to whole panels
  std::int64_t planes;         ///< super-chunks of a slice of k
  std::int64_t depth;          ///< steps of a panel: planes super-chunks, or fewer where k is short
  std::int64_t slices;
  std::int64_t left_bytes, right_bytes, partial_bytes, total_bytes;

  std::int64_t bytes() const { return left_bytes + right_bytes + partial_bytes + total_bytes; }
};

/// As few blocks as `workspace` bytes allow; at the least one panel by one panel by one super-chunk.
Blocks block_product(const tile::Tile& tile, std::int64_t rows, std::int64_t columns, std::int64_t steps,
                     std::int64_t workspace);

/// For any product of that precision, shape and batch. Where a tile is refused as it runs, the plan is left with the
/// one that stands in.
struct DevicePlan {
  Precision precision;
  std::int64_t m, n, k;
  Accuracy accuracy;  ///< classic or fast
  bool fma;
  bool is_small;                         ///< by one launch (kernels/direct/small_product.cl)
  std::optional<tile::BatchTile> batch;  ///< the whole batch by one launch (kernels/batch/multiply.cl)
  tile::Form batch_form;
  tile::TileKey key;
  tile::Tile tile;
  bool is_chosen;  ///< the tile, which nothing stands in for
  std::int64_t workspace;
  Blocks blocks;

  void set_tile(const tile::Tile& t);
  tile::Form form() const;
};

DevicePlan plan_product(const DeviceInfo& device, const DeviceProduct& product, Accuracy accuracy, bool fma,
                        const tile::Choice& choice = {});

/// Entries of C along either side of a work-group of a small product, and the groups that take so many.
inline constexpr std::int64_t small_side = 8;
constexpr std::int64_t small_groups(std::int64_t lines) { return (lines + small_side - 1) / small_side; }

}  // namespace hilo::direct
