// How many small products of one shape are computed in one launch (kernels/batch/multiply.cl): all that is decided
// before it.
#pragma once

#include "matrix/device_product.hpp"
#include "tile/batch_tile.hpp"
#include "tile/run.hpp"

namespace hilo::batch {

using tile::BatchTile;

/// Whether one launch computes a batch of such products on a device. In S, D, C and Z those that lie one stride apart
/// are one launch anyhow (gemm/native/opencl): only what its tiles are far too large for is left to this one.
bool takes(const DeviceInfo& device, const DeviceProduct& product);

/// What a device takes where nobody says.
BatchTile tile_for(const DeviceInfo& device, const DeviceProduct& product);

/// Bytes of local memory of a work-group.
std::int64_t local_bytes(const BatchTile& tile, Precision precision);

/// Work-groups: of products, and of the tiles of one.
struct Groups {
  std::int64_t products, row_tiles, column_tiles;

  std::int64_t tiles() const { return row_tiles * column_tiles; }
  std::int64_t count() const { return products * tiles(); }
};
Groups groups_of(const BatchTile& tile, const DeviceProduct& product);

tile::Form form_of(const BatchTile& tile, const DeviceProduct& product);

}  // namespace hilo::batch
