#include "tile/tile.hpp"

#include <algorithm>
#include <bit>

namespace hilo::tile {
namespace {

// Whether OpenCL C has a type of as many bytes as so many numbers, which are 4 bytes or more.
bool has_chunk(NumberKind kind, int run) {
  return std::has_single_bit(static_cast<unsigned>(run)) && run * kind.bytes() <= 128;
}

// Whatever a Tile is made of.
struct Anything {
  template <class T>
  operator T() const;
};
template <class... Known>
constexpr std::size_t members_of_a_tile() {
  if constexpr (requires { Tile{Known{}..., Anything{}}; }) return members_of_a_tile<Known..., Anything>();
  return sizeof...(Known);
}
static_assert(parameters.size() == members_of_a_tile(), "a member of Tile has no row");

}  // namespace

bool is_valid(const Tile& t, NumberKind kind) {
  if (!std::all_of(parameters.begin(), parameters.end(),
                   [&](const Parameter& p) { return p.values.has(p.member.of(t)); })) {
    return false;
  }
  if (t.group_items() > 1024 || (t.in_place && t.packs_all)) return false;
  if (t.item_rows % t.row_run || t.item_columns % t.column_run) return false;
  if (!has_chunk(kind, t.row_run) || !has_chunk(kind, t.column_run)) return false;
  if (t.lanes > 1 && (t.row_run != t.lanes || t.stages || t.in_place || kind.word_bytes() * t.lanes > 64)) return false;
  if (t.lanes == 1 && std::max(t.row_run, t.column_run) * kind.bytes() > 16) return false;
  // Tiles are whole chunks' parts, and whole intervals of renormalisation.
  if (kind.is_double_double() && (64 % t.depth || t.depth % 4 || t.in_place || t.has_matrix_unit())) return false;
  if (kind.precision == Precision::zdd && t.panel_columns() % 2) return false;
  if ((t.local_chunks || t.by_operation) && (!kind.is_double_double() || t.lanes > 1)) return false;
  const bool is_async = t.copies != Copies::registers;
  if (t.stages == 0) return !t.in_place && !is_async && !t.fetches_ahead && !t.has_matrix_unit();
  const int copy_steps = kind.bytes() == 16 ? 4 : 32 / kind.bytes();
  if (t.depth % copy_steps) return false;
  // Lines are copied 16 bytes at a time.
  const int copy_lines = 16 / kind.bytes();
  if (is_async && (t.panel_rows() % copy_lines || t.panel_columns() % copy_lines)) return false;
  if (is_async ? t.stages < 2 : t.stages > 2 || t.fetches_ahead) return false;
  // Tiles that are copied whole are both of panels.
  if (t.copies == Copies::bulk &&
      (t.fetches_ahead || t.has_matrix_unit() || !(t.packs_all || kind.is_double_double()))) {
    return false;
  }
  if (t.depth % (t.unit_depth * (t.fetches_ahead ? 2 : 1))) return false;
  if (!t.has_matrix_unit()) return true;
  return kind.word_bytes() == 8 && t.item_rows % 16 == 0 && t.item_columns % 16 == 0 && t.row_run * kind.bytes() == 16;
}

std::string to_string(const Tile& t) {
  auto by = [](int x, int y) { return std::to_string(x) + "x" + std::to_string(y); };
  std::string text = (t.has_matrix_unit() ? "matrix units of depth " + std::to_string(t.unit_depth) + ", warp "
                                          : "lanes " + std::to_string(t.lanes) + ", item ") +
                     by(t.item_rows, t.item_columns) + ", group " + by(t.group_rows, t.group_columns) + ", depth " +
                     std::to_string(t.depth) + ", stages " + std::to_string(t.stages);
  if (t.copies != Copies::registers) text += " " + std::string(name(t.copies));
  if (t.fetches_ahead) text += ", fetched ahead";
  text += ", runs " + by(t.row_run, t.column_run) + ", raster " + std::to_string(t.raster_rows);
  for (const Parameter& p : parameters) {
    const int x = p.member.of(t);
    if (p.text.empty() || x == 0) continue;
    text += ", " + (p.member.is_flag() ? "" : std::to_string(x) + " ") + std::string(p.text);
  }
  if (t.groups_per_unit) text += ", " + std::to_string(t.groups_per_unit) + " groups a unit";
  return text + (t.in_place ? ", in place" : t.packs_all ? ", all packed" : ", packed");
}

}  // namespace hilo::tile
