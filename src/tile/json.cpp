#include "tile/json.hpp"

#include <array>
#include <cmath>
#include <hilo/error.hpp>
#include <limits>

#include "host/escaped.hpp"

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
    refuse(std::string("\"") + name + "\": \"" + host::escaped(text) + "\" is neither together nor apart");
  }
  return text == "together";
}

// A tile's value of a parameter, entry `place` of a list of two or, where that is -1, by itself.
int value_at(const Json& tile, const Parameter& p, int place) {
  if (place >= 0) {
    const Json& list = member(tile, p.name);
    if (!list.is_array() || list.size() != 2) refuse(std::string("\"") + p.name + "\" is no list of two integers");
    Json one;
    one[p.name] = list[static_cast<std::size_t>(place)];
    return integer_at(one, p.name);
  }
  if (p.member.is_flag()) return flag_at(tile, p.name);
  if (!p.member.is_copies()) return integer_at(tile, p.name);
  const std::string text = text_at(tile, p.name);
  for (Copies c : {Copies::registers, Copies::async, Copies::bulk}) {
    if (text == name(c)) return static_cast<int>(c);
  }
  refuse(std::string("\"") + p.name + "\": \"" + host::escaped(text) + "\" is none of registers, async and bulk");
}

// Calls f(parameter, its place in a list, or -1).
template <class F>
void for_each_parameter(F f) {
  auto is_pair = [](std::size_t i) {
    return i + 1 < parameters.size() && std::string_view(parameters[i].name) == parameters[i + 1].name;
  };
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    f(parameters[i], is_pair(i) ? 0 : i > 0 && is_pair(i - 1) ? 1 : -1);
  }
}

// Libraries that know only those before it refuse a tile without one of them. It and later ones are written to files
// where they are not the default.
constexpr const Parameter* first_later = parameters.data() + 18;

Json object_of(const Tile& t, bool has_later_defaults) {
  Json j;
  for_each_parameter([&](const Parameter& p, int place) {
    const int x = p.member.of(t);
    if (&p >= first_later && x == p.standard() && !has_later_defaults) return;
    if (place >= 0) {
      j[p.name].push_back(x);
    } else if (p.member.is_flag()) {
      j[p.name] = x != 0;
    } else if (p.member.is_copies()) {
      j[p.name] = name(t.copies);
    } else {
      j[p.name] = x;
    }
  });
  return j;
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
    refuse(std::string("\"") + which + "\": \"" + host::escaped(text) + "\" is unknown");
  };
  return {of("precision",
             std::array{Precision::s, Precision::d, Precision::c, Precision::z, Precision::dd, Precision::zdd}),
          together_at(object, "left"), together_at(object, "right"),
          of("size", std::array{SizeClass::small, SizeClass::medium, SizeClass::large})};
}

Json json_of(const Tile& t) { return object_of(t, false); }
Json whole_json_of(const Tile& t) { return object_of(t, true); }

Tile tile_at(const Json& object, NumberKind kind) {
  const Json& j = member(object, "tile");
  Tile t;
  for_each_parameter([&](const Parameter& p, int place) {
    if (!p.is_needed() && !j.contains(p.name)) return;
    const int x = value_at(j, p, place);
    if (!p.values.has(x)) refuse(std::string("\"") + p.name + "\": " + std::to_string(x) + " is out of range");
    p.member.set(t, x);
  });
  if (!is_valid(t, kind)) {
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
