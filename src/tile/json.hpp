// Tiles and their keys as the tuning files spell them.
#pragma once

#include <string>

#include "host/tuning_entries.hpp"
#include "tile/table.hpp"

namespace hilo::tile {

using host::Json;

/// The member of that name. Throws error (parse), naming it, where it is missing or of another kind.
std::string text_at(const Json& object, const char* name);
int integer_at(const Json& object, const char* name);
bool flag_at(const Json& object, const char* name);
double number_at(const Json& object, const char* name);

/// {"precision": "s", "left": "together", "right": "apart", "size": "large"}
void put_key(Json& object, const TileKey& key);
TileKey key_at(const Json& object);

/// As files have it: without the defaults of parameters that earlier libraries do not know.
Json json_of(const Tile& tile);
/// With all parameters.
Json whole_json_of(const Tile& tile);
/// The member "tile". Throws parse also for what the kernels do not take.
Tile tile_at(const Json& object, NumberKind kind);

/// {"device": "...", "driver": "...", "version": "..."}
void put_device(Json& object, const DeviceInfo& device);
bool is_of_device(const Json& object, const DeviceInfo& device);

}  // namespace hilo::tile
