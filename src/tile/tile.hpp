// Tiles: how a kernel of products is cut. Nothing here can change a bit of a result in DD or ZDD.
#pragma once

#include <array>
#include <cstdint>
#include <hilo/device.hpp>
#include <hilo/gemm.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace hilo::tile {

/// How tiles come to local memory: ASYNC in kernels/tile_copy.cl.
enum class Copies {
  registers,  ///< by way of registers
  async,      ///< past them, a few numbers at a time
  bulk        ///< past them, a tile at a time, of panels of both operands
};
constexpr std::string_view name(Copies c) {
  return c == Copies::registers ? "registers" : c == Copies::async ? "async" : "bulk";
}

/// The parameters of kernels/multiply.cl and the texts it comes after, under their names there.
struct Tile {
  int lanes;
  int item_rows, item_columns;
  int group_rows, group_columns;
  int depth;
  int stages;
  Copies copies = Copies::registers;
  bool fetches_ahead = false;
  int row_run = 1, column_run = 1;
  int raster_rows = 1;
  int unit_depth = 1;       ///< 1 for the vector units, 4 or more for matrix_unit.cl
  bool in_place = false;    ///< A and B are read where they lie; otherwise panels are made of what cannot be read well
  bool packs_all = false;   ///< panels are made of both
  int groups_per_unit = 0;  ///< as in opencl/program.hpp
  bool local_chunks = false;
  bool by_operation = false;

  constexpr bool has_matrix_unit() const { return unit_depth > 1; }
  constexpr int panel_rows() const { return item_rows * group_rows; }
  constexpr int panel_columns() const { return item_columns * group_columns; }
  constexpr int group_items() const { return group_rows * group_columns * (has_matrix_unit() ? 32 : 1); }

  bool operator==(const Tile&) const = default;
};

/// What a number of a product is to the kernels: a ZDD product is one in DD.
struct NumberKind {
  Precision precision;

  constexpr bool is_double_double() const { return precision == Precision::dd || precision == Precision::zdd; }
  constexpr bool is_complex() const { return precision == Precision::c || precision == Precision::z; }
  constexpr int word_bytes() const { return precision == Precision::s || precision == Precision::c ? 4 : 8; }
  constexpr int words() const { return is_double_double() || is_complex() ? 2 : 1; }
  constexpr int bytes() const { return words() * word_bytes(); }
};

/// What the kernel has of local memory at the most.
constexpr int local_bytes(const Tile& t, NumberKind kind) {
  const int pad = kind.is_double_double() ? 0 : kind.bytes() == 4 ? 4 : 32 / kind.bytes();
  const int tiles = t.stages * t.depth * (t.panel_rows() + t.panel_columns() + 2 * pad);
  return kind.bytes() * (tiles + (t.local_chunks ? t.panel_rows() * t.panel_columns() : 0)) +
         (t.copies == Copies::bulk ? 8 * t.stages : 0);
}

/// Whether the kernels take the parameters for numbers of that kind.
bool is_valid(const Tile& tile, NumberKind kind);

std::string to_string(const Tile& tile);

/// All that a tile is, for keys.
constexpr std::array<int, 18> numbers_of(const Tile& t) {
  return {t.lanes,      t.item_rows,   t.item_columns,  t.group_rows,      t.group_columns, t.depth,
          t.stages,     int(t.copies), t.fetches_ahead, t.row_run,         t.column_run,    t.raster_rows,
          t.unit_depth, t.in_place,    t.packs_all,     t.groups_per_unit, t.local_chunks,  t.by_operation};
}

/// -D options that say what a number is, and those of a tile.
std::string number_options(NumberKind kind, int lanes, bool fma);
std::string tile_options(const Tile& tile, NumberKind kind);

/// The texts of the program that multiplies panels, one after the other.
std::vector<const char*> multiply_files(const Tile& tile, NumberKind kind);

}  // namespace hilo::tile
