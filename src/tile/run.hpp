// How products by tiles are cut, and what their run gives back.
#pragma once

#include <optional>

#include "opencl/native.hpp"
#include "tile/tile.hpp"

namespace hilo::tile {

/// For the tuner and the tests; by default a device's own.
struct Choice {
  std::optional<Tile> tile = {};
  std::optional<std::int64_t> workspace = {};
  std::optional<bool> is_small = {};  ///< DD and ZDD: by one launch (kernels/direct/small_product.cl)
};

/// How a product is cut, in GemmPlan's words.
struct Form {
  std::int64_t micro_rows, micro_columns;  ///< of a work-item
  std::int64_t tile_rows, tile_columns;    ///< of a work-group
  std::int64_t depth, workspace_bytes;
};

/// The event of the whole product, and where the count of recomputed entries waits for who wants it.
struct Run {
  Event event;
  opencl::Workspace recomputed;  ///< cl_uint counters to add; no buffer where no entry can be
  std::int64_t counters = 1;
};

/// What packed operands and sums take on a device where nobody says: 1 GiB, on a GPU a sixteenth of its memory where
/// that is more; no more than a quarter of it, or its largest allocation.
std::int64_t default_workspace(const DeviceInfo& device);

}  // namespace hilo::tile
