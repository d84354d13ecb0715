// Which tile the direct engine takes on a device: what `hilo tune` found here, else what this library was shipped with
// for it, else for another device of its architecture, else a default. The files and their format: docs/tuning.md.
#pragma once

#include <string>
#include <vector>

#include "tile/tile.hpp"

namespace hilo::tile {

/// By the side of a square C with as many entries.
enum class SizeClass : std::uint8_t {
  small,   ///< up to 256
  medium,  ///< up to 1536
  large
};

/// What a tile is chosen by. S, D, C and Z: whether the lines of the left operand (its rows) and of the right one (its
/// columns) lie side by side in memory, for a C whose rows do. DD and ZDD pack their operands, and both are true.
struct TileKey {
  Precision precision;
  bool left_together, right_together;
  SizeClass size;

  bool operator==(const TileKey&) const = default;
};

std::string_view name(SizeClass size);
/// "s", "together", "apart", "large": as the files spell it, with `separator` between.
std::string to_string(const TileKey& key, const std::string& separator = " ");

SizeClass size_class(std::int64_t m, std::int64_t n);

/// Takes a fraction of a microsecond after a device's first call. Thread-safe.
Tile tile_for(const DeviceInfo& device, const TileKey& key);

/// All that may stand in for each other, the best first: tile_for's answer, and at the end default_tile unless it is
/// one of those before. Thread-safe.
std::vector<Tile> tiles_for(const DeviceInfo& device, const TileKey& key);

/// What is safe anywhere.
Tile default_tile(const DeviceInfo& device, const TileKey& key);

/// Without the tables: what devices of its architecture should be fast with, where that is known, and default_tile.
std::vector<Tile> default_tiles(const DeviceInfo& device, const TileKey& key);

/// For a tile that the device cannot take: from now on tiles_for is without it, for that key and all others of its kind
/// of number (DD and ZDD are one), but where it is the last one, and tuned_tiles tells why. Thread-safe.
void refuse_tile(const DeviceInfo& device, const TileKey& key, const Tile& tile, const std::string& why);

/// An entry of a table.
struct TunedTile {
  TileKey key;
  Tile tile;
  double gflops;        ///< as measured
  std::string date;     ///< of the measurement
  std::string library;  ///< this library's version then
};

/// What the tables hold for a device.
struct TunedTiles {
  std::vector<TunedTile> user, shipped;
  std::vector<TunedTile> of_architecture;  ///< shipped, of other devices of its architecture
  /// What counts as absent, and why, a line each: in the files, whatever the device, and what was refused on it.
  std::vector<std::string> ignored;
};
TunedTiles tuned_tiles(const DeviceInfo& device);

/// Puts tiles into the user's file in place of what it has for their keys on this device, and into effect. What other
/// devices and other processes have there stays. Throws io.
void store_tiles(const DeviceInfo& device, const std::vector<TunedTile>& tiles);

/// Reads the tables again at the next call; what was refused is no longer.
void forget_tiles();

std::string library_version();

}  // namespace hilo::tile
