// The tiles that the tuner tries.
#pragma once

#include <vector>

#include "tile/table.hpp"

namespace hilo::tune {

/// Where a search begins: the default, tiles that were the best on some device, and some of each kind; likeliest first.
std::vector<tile::Tile> seed_tiles(const DeviceInfo& device, const tile::TileKey& key);

/// Tiles that differ from `tile` in one respect, such as an item's rows or the stages.
std::vector<tile::Tile> neighbours(const tile::Tile& tile, const DeviceInfo& device, const tile::TileKey& key);

/// Whether it is worth a trial: the kernels take it, and it may fit the device's registers and local memory.
bool is_candidate(const tile::Tile& tile, const DeviceInfo& device, const tile::TileKey& key);

}  // namespace hilo::tune
