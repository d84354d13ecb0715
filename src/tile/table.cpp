#include "tile/table.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <hilo/error.hpp>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <tuple>

#include "host/tuning_entries.hpp"
#include "host/tuning_file.hpp"
#include "opencl/embedded.hpp"
#include "tile/architecture.hpp"
#include "tile/json.hpp"

namespace hilo::tile {
namespace {

constexpr const char* shipped_name = "tuned_tiles.json";

struct Entry {
  std::string device, driver, version;
  std::string architecture;  ///< of a shipped one; empty where it has none
  TunedTile tuned;
};

struct Table {
  std::vector<Entry> entries;
  std::vector<std::string> ignored;
};

// A shipped entry is for every driver of its device, and for other devices of its architecture. Neither kind is held
// against the local memory that a device says it has: what was measured fits, and NVIDIA's have more than they say.
Table parse(const std::string& text, const std::string& where, bool is_shipped) {
  Table table;
  auto ignore = [&](const std::string& what) { table.ignored.push_back(where + ": " + what); };
  const Json file = host::parsed(text);
  try {
    if (file.is_discarded()) throw error(errc::parse, "is no JSON, or nested too deeply");
    if (int found = integer_at(file, "format"); found != host::tuning_format) {
      throw error(errc::parse,
                  "has format " + std::to_string(found) + ", expected " + std::to_string(host::tuning_format));
    }
    if (!file.contains("entries") || !file["entries"].is_array()) throw error(errc::parse, "has no list of entries");
  } catch (const error& e) {
    ignore(e.what());
    return table;
  }
  int i = -1;
  for (const Json& j : file["entries"]) {
    ++i;
    if (j.contains("cpu")) continue;  // the other kind of entry
    try {
      Entry entry;
      entry.device = text_at(j, "device");
      if (!is_shipped) entry.driver = text_at(j, "driver"), entry.version = text_at(j, "version");
      if (is_shipped && j.contains("architecture")) entry.architecture = text_at(j, "architecture");
      entry.tuned.key = key_at(j);
      entry.tuned.tile = tile_at(j, {entry.tuned.key.precision});
      entry.tuned.gflops = number_at(j, "gflops");
      entry.tuned.date = text_at(j, "date");
      if (j.contains("library")) entry.tuned.library = text_at(j, "library");
      table.entries.push_back(entry);
    } catch (const error& e) {
      ignore("entry " + std::to_string(i) + ": " + e.what());
    }
  }
  return table;
}

std::string embedded_text() {
  for (std::size_t i = 0; i < opencl::embedded_file_count; ++i) {
    const opencl::EmbeddedFile& file = opencl::embedded_files[i];
    if (std::string_view(shipped_name) == file.name) return {reinterpret_cast<const char*>(file.bytes), file.size};
  }
  return "";
}

// As with the kernels, a file in $HILO_KERNEL_PATH comes before the one built in.
Table read_shipped() {
  if (const char* folder = std::getenv("HILO_KERNEL_PATH"); folder && *folder) {
    const std::filesystem::path file = std::filesystem::path(folder) / shipped_name;
    if (auto text = host::read_text(file)) return parse(*text, file.string(), true);
  }
  return parse(embedded_text(), "the shipped table", true);
}

Table read_user() {
  auto file = host::tuning_file();
  if (!file) return {};
  std::error_code failure;
  if (!std::filesystem::exists(*file, failure)) return {};
  auto text = host::read_text(*file);
  if (!text) return {{}, {file->string() + ": cannot be read"}};
  return parse(*text, file->string(), false);
}

constexpr std::size_t keys = 6 * 2 * 2 * 3;

std::size_t index_of(const TileKey& key) {
  return (((static_cast<std::size_t>(key.precision) * 2 + key.left_together) * 2 + key.right_together) * 3 +
          static_cast<std::size_t>(key.size));
}

TileKey key_of(std::size_t i) {
  return {static_cast<Precision>(i / 12), i / 6 % 2 == 1, i / 3 % 2 == 1, static_cast<SizeClass>(i % 3)};
}

std::string head_in_one_line(std::string text) {
  constexpr std::size_t most = 600;
  if (text.size() > most) text = text.substr(0, most) + " ...";
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::iscntrl(c); }, ' ');
  return text;
}

// All that decides a device's tiles, and the tiles.
struct DeviceTiles {
  DeviceInfo device;
  std::array<std::vector<Tile>, keys> tiles;  ///< of each key those that may be taken, the best first
  std::vector<std::string> refused;

  bool is_of(const DeviceInfo& d) const {
    auto all = [](const DeviceInfo& x) {
      return std::tie(x.type, x.local_memory, x.vector_width, x.compute_capability, x.name, x.driver, x.version,
                      x.vendor);
    };
    return all(device) == all(d);
  }
};

class Tables {
 public:
  // Never destroyed: calls may come from other statics' destructors.
  static Tables& instance() {
    static Tables& tables = *new Tables;
    return tables;
  }

  Tile tile(const DeviceInfo& device, const TileKey& key) {
    {
      std::shared_lock lock(mutex_);
      if (const DeviceTiles* known = find(device)) return known->tiles[index_of(key)].front();
    }
    return tiles(device, key).front();
  }

  std::vector<Tile> tiles(const DeviceInfo& device, const TileKey& key) {
    std::unique_lock lock(mutex_);
    return tiles_of(device).tiles[index_of(key)];
  }

  void refuse(const DeviceInfo& device, const TileKey& key, const Tile& tile, const std::string& why) {
    std::unique_lock lock(mutex_);
    DeviceTiles& known = tiles_of(device);
    auto kind = [](Precision p) { return p == Precision::zdd ? Precision::dd : p; };
    bool is_one_less = false;
    for (std::size_t i = 0; i < keys; ++i) {
      std::vector<Tile>& tiles = known.tiles[i];
      const auto found = std::find(tiles.begin(), tiles.end(), tile);
      if (kind(key_of(i).precision) != kind(key.precision) || tiles.end() - found < 2) continue;
      tiles.erase(found);
      is_one_less = true;
    }
    if (is_one_less) {
      const Tile& next = known.tiles[index_of(key)].front();
      const std::vector<Tile> defaults = default_tiles(device, key);
      const bool is_default = std::find(defaults.begin(), defaults.end(), next) != defaults.end();
      known.refused.push_back("the tile for " + to_string(key) + " (" + to_string(tile) + ") gives way to " +
                              (is_default ? "the default" : "the next one (" + to_string(next) + ")") + ": " +
                              head_in_one_line(why));
    }
  }

  TunedTiles tuned(const DeviceInfo& device) {
    std::unique_lock lock(mutex_);
    read();
    TunedTiles all;
    for (const Entry& e : user_->entries) {
      if (is_users(e, device)) all.user.push_back(e.tuned);
    }
    for (const Entry& e : shipped_->entries) {
      if (is_shipped(e, device)) all.shipped.push_back(e.tuned);
      if (is_of_architecture(e, device)) all.of_architecture.push_back(e.tuned);
    }
    all.ignored = user_->ignored;
    all.ignored.insert(all.ignored.end(), shipped_->ignored.begin(), shipped_->ignored.end());
    if (const DeviceTiles* known = find(device)) {
      all.ignored.insert(all.ignored.end(), known->refused.begin(), known->refused.end());
    }
    return all;
  }

  void forget() {
    std::unique_lock lock(mutex_);
    user_.reset();
    shipped_.reset();
    devices_.clear();
  }

 private:
  // Inline PTX is NVIDIA's. Who does not know the device's compute capability tries.
  static bool may_build(const Tile& t, const DeviceInfo& d) {
    const int needed = t.copies == Copies::bulk ? 90 : t.copies == Copies::async || t.has_matrix_unit() ? 80 : 0;
    if (needed == 0) return true;
    return d.vendor.find("NVIDIA") != std::string::npos &&
           (d.compute_capability == 0 || d.compute_capability >= needed);
  }

  static bool is_users(const Entry& e, const DeviceInfo& d) {
    return e.device == d.name && e.driver == d.driver && e.version == d.version;
  }
  static bool is_shipped(const Entry& e, const DeviceInfo& d) { return e.device == d.name; }
  static bool is_of_architecture(const Entry& e, const DeviceInfo& d) {
    return e.device != d.name && !e.architecture.empty() && e.architecture == architecture_of(d);
  }

  DeviceTiles* find(const DeviceInfo& device) const {
    for (const auto& known : devices_) {
      if (known->is_of(device)) return known.get();
    }
    return nullptr;
  }

  DeviceTiles& tiles_of(const DeviceInfo& device) {
    if (DeviceTiles* known = find(device)) return *known;
    read();
    devices_.push_back(std::make_unique<DeviceTiles>(resolved(device)));
    return *devices_.back();
  }

  void read() {
    if (!user_) user_ = read_user();
    if (!shipped_) shipped_ = read_shipped();
  }

  using Found = std::array<std::optional<Tile>, keys>;

  // Of the entries that are for a device; the later of two for one key counts.
  template <class IsFor>
  static Found found_in(const Table& table, const DeviceInfo& d, IsFor is_for) {
    Found found;
    auto is_taken = [&](const Entry& e) { return is_for(e, d) && may_build(e.tuned.tile, d); };
    // To the kernels a product in ZDD is one in DD: its tiles are the latter's where the table has none.
    for (const Entry& e : table.entries) {
      TileKey key = e.tuned.key;
      if (key.precision != Precision::dd || !is_taken(e)) continue;
      key.precision = Precision::zdd;
      if (is_valid(e.tuned.tile, {key.precision})) found[index_of(key)] = e.tuned.tile;
    }
    for (const Entry& e : table.entries) {
      if (is_taken(e)) found[index_of(e.tuned.key)] = e.tuned.tile;
    }
    return found;
  }

  DeviceTiles resolved(const DeviceInfo& d) const {
    DeviceTiles r{d, {}, {}};
    const Found users = found_in(*user_, d, is_users), shipped = found_in(*shipped_, d, is_shipped),
                of_architecture = found_in(*shipped_, d, is_of_architecture);
    for (std::size_t i = 0; i < keys; ++i) {
      std::vector<Tile>& tiles = r.tiles[i];
      auto add = [&](const Tile& t) {
        if (std::find(tiles.begin(), tiles.end(), t) == tiles.end()) tiles.push_back(t);
      };
      for (const Found* found : {&users, &shipped, &of_architecture}) {
        if ((*found)[i]) add(*(*found)[i]);
      }
      for (const Tile& t : default_tiles(d, key_of(i))) add(t);
    }
    return r;
  }

  std::shared_mutex mutex_;
  std::optional<Table> user_, shipped_;
  std::vector<std::unique_ptr<DeviceTiles>> devices_;
};

Json json_of(const DeviceInfo& device, const TunedTile& tuned) {
  Json j;
  put_device(j, device);
  if (const std::string architecture = architecture_of(device); !architecture.empty()) {
    j["architecture"] = architecture;
  }
  put_key(j, tuned.key);
  j["tile"] = json_of(tuned.tile);
  j["gflops"] = tuned.gflops;
  j["date"] = tuned.date;
  j["library"] = tuned.library;
  return j;
}

bool is_replaced(const Json& entry, const DeviceInfo& device, const std::vector<TunedTile>& tiles) try {
  if (!is_of_device(entry, device)) return false;
  const TileKey key = key_at(entry);
  return std::any_of(tiles.begin(), tiles.end(), [&](const TunedTile& t) { return t.key == key; });
} catch (const error&) {
  return false;
}

}  // namespace

std::string_view name(SizeClass size) {
  return std::array<std::string_view, 3>{"small", "medium", "large"}[static_cast<std::size_t>(size)];
}

std::string to_string(const TileKey& key, const std::string& separator) {
  auto lines = [](bool together) { return together ? "together" : "apart"; };
  return std::string(name(key.precision)) + separator + lines(key.left_together) + separator +
         lines(key.right_together) + separator + std::string(name(key.size));
}

SizeClass size_class(std::int64_t m, std::int64_t n) {
  const double side = std::sqrt(static_cast<double>(m) * static_cast<double>(n));
  return side <= 256.0 ? SizeClass::small : side <= 1536.0 ? SizeClass::medium : SizeClass::large;
}

Tile tile_for(const DeviceInfo& device, const TileKey& key) { return Tables::instance().tile(device, key); }

std::vector<Tile> tiles_for(const DeviceInfo& device, const TileKey& key) {
  return Tables::instance().tiles(device, key);
}

void refuse_tile(const DeviceInfo& device, const TileKey& key, const Tile& tile, const std::string& why) {
  Tables::instance().refuse(device, key, tile, why);
}

TunedTiles tuned_tiles(const DeviceInfo& device) { return Tables::instance().tuned(device); }

void store_tiles(const DeviceInfo& device, const std::vector<TunedTile>& tiles) {
  Json added = Json::array();
  for (const TunedTile& tuned : tiles) added.push_back(json_of(device, tuned));
  host::replace_entries(
      host::tuning_file_to_write(), [&](const Json& entry) { return is_replaced(entry, device, tiles); }, added);
  forget_tiles();
}

void forget_tiles() { Tables::instance().forget(); }

std::string library_version() { return HILO_VERSION; }

}  // namespace hilo::tile
