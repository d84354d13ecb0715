// How the direct engine cuts a product on an OpenCL device to fit its workspace.
#pragma once

#include <cstdint>

#include "tile/tile.hpp"

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

}  // namespace hilo::direct
