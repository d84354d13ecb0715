// The tiles that the tuner tries.
#pragma once

#include <vector>

#include "gemm/direct/tile_table.hpp"

namespace hilo::direct {

/// Where a search begins: the default, tiles that were the best on some device, and some of each kind; likeliest first.
std::vector<OpenclTile> seed_tiles(const DeviceInfo& device, const TileKey& key);

/// Tiles that differ from `tile` in one respect, such as an item's rows or the stages.
std::vector<OpenclTile> neighbours(const OpenclTile& tile, const DeviceInfo& device, const TileKey& key);

/// Whether it is worth a trial: the kernels take it, and it may fit the device's registers and local memory.
bool is_candidate(const OpenclTile& tile, const DeviceInfo& device, const TileKey& key);

}  // namespace hilo::direct
