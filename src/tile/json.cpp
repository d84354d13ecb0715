#include "tile/json.hpp"

#include <array>
#include <cmath>
#include <hilo/error.hpp>
#include <limits>

namespace hilo::tile {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw error(errc::parse, what); }

const Json& member(const Json& object, const char* name) {
  if (!object.is_object()) refuse("what should be an object is none");
  auto found = object.find(name);
  if (found == object.end()) refuse(std::string("\"") + name + "\" is missing");
  return *found;
}

bool together_at(const Json& object, const char* name) {
  std::string text = text_at(object, name);
  if (text != "together" && text != "apart") {
    refuse(std::string("\"") + name + "\": \"" + text + "\" is neither together nor apart");
  }
  return text == "together";
}

Copies copies_at(const Json& object, const char* which) {
  const std::string text = text_at(object, which);
  for (Copies c : {Copies::registers, Copies::async, Copies::bulk}) {
    if (text == name(c)) return c;
  }
  refuse(std::string("\"") + which + "\": \"" + text + "\" is none of registers, async and bulk");
}

int pair_at(const Json& object, const char* name, std::size_t i) {
  const Json& pair = member(object, name);
  if (!pair.is_array() || pair.size() != 2) refuse(std::string("\"") + name + "\" is no list of two integers");
  Json one;
  one[name] = pair[i];
  return integer_at(one, name);
}

}  // namespace

std::string text_at(const Json& object, const char* name) {
  const Json& x = member(object, name);
  if (!x.is_string()) refuse(std::string("\"") + name + "\" is no text");
  return x.get<std::string>();
}

int integer_at(const Json& object, const char* name) {
  const Json& x = member(object, name);
  if (!x.is_number_integer()) refuse(std::string("\"") + name + "\" is no integer");
  const double value = x.get<double>();
  if (std::fabs(value) > 1e9) refuse(std::string("\"") + name + "\" is out of range");
  return static_cast<int>(value);
}

bool flag_at(const Json& object, const char* name) {
  const Json& x = member(object, name);
  if (!x.is_boolean()) refuse(std::string("\"") + name + "\" is neither true nor false");
  return x.get<bool>();
}

double number_at(const Json& object, const char* name) {
  const Json& x = member(object, name);
  if (!x.is_number()) refuse(std::string("\"") + name + "\" is no number");
  return x.get<double>();
}

void put_key(Json& object, const TileKey& key) {
  object["precision"] = name(key.precision);
  object["left"] = key.left_together ? "together" : "apart";
  object["right"] = key.right_together ? "together" : "apart";
  object["size"] = name(key.size);
}

TileKey key_at(const Json& object) {
  auto of = [&](const char* which, auto all) {
    std::string text = text_at(object, which);
    for (auto x : all) {
      if (text == name(x)) return x;
    }
    refuse(std::string("\"") + which + "\": \"" + text + "\" is unknown");
  };
  return {of("precision",
             std::array{Precision::s, Precision::d, Precision::c, Precision::z, Precision::dd, Precision::zdd}),
          together_at(object, "left"), together_at(object, "right"),
          of("size", std::array{SizeClass::small, SizeClass::medium, SizeClass::large})};
}

Json json_of(const Tile& t) {
  return {{"lanes", t.lanes},
          {"item", Json::array({t.item_rows, t.item_columns})},
          {"group", Json::array({t.group_rows, t.group_columns})},
          {"depth", t.depth},
          {"stages", t.stages},
          {"copies", name(t.copies)},
          {"ahead", t.fetches_ahead},
          {"runs", Json::array({t.row_run, t.column_run})},
          {"raster", t.raster_rows},
          {"unit_depth", t.unit_depth},
          {"in_place", t.in_place},
          {"packs_all", t.packs_all},
          {"groups_per_unit", t.groups_per_unit},
          {"local_chunks", t.local_chunks},
          {"by_operation", t.by_operation}};
}

Tile tile_at(const Json& object, NumberKind kind) {
  const Json& j = member(object, "tile");
  Tile t{};
  t.lanes = integer_at(j, "lanes");
  t.item_rows = pair_at(j, "item", 0), t.item_columns = pair_at(j, "item", 1);
  t.group_rows = pair_at(j, "group", 0), t.group_columns = pair_at(j, "group", 1);
  t.depth = integer_at(j, "depth");
  t.stages = integer_at(j, "stages");
  t.copies = copies_at(j, "copies");
  t.fetches_ahead = flag_at(j, "ahead");
  t.row_run = pair_at(j, "runs", 0), t.column_run = pair_at(j, "runs", 1);
  t.raster_rows = integer_at(j, "raster");
  t.unit_depth = integer_at(j, "unit_depth");
  t.in_place = flag_at(j, "in_place");
  t.packs_all = flag_at(j, "packs_all");
  t.groups_per_unit = integer_at(j, "groups_per_unit");
  t.local_chunks = flag_at(j, "local_chunks");
  t.by_operation = flag_at(j, "by_operation");
  // Numbers that is_valid multiplies.
  for (int x : {t.item_rows, t.item_columns, t.group_rows, t.group_columns, t.depth, t.row_run, t.column_run}) {
    if (x < 1 || x > 1024) refuse("\"tile\": " + std::to_string(x) + " is out of range");
  }
  if (t.unit_depth < 1 || !is_valid(t, kind)) {
    refuse("\"tile\": " + to_string(t) + " is not for precision " + std::string(name(kind.precision)));
  }
  return t;
}

void put_device(Json& object, const DeviceInfo& device) {
  object["device"] = device.name;
  object["driver"] = device.driver;
  object["version"] = device.version;
}

bool is_of_device(const Json& object, const DeviceInfo& device) {
  return text_at(object, "device") == device.name && text_at(object, "driver") == device.driver &&
         text_at(object, "version") == device.version;
}

}  // namespace hilo::tile
