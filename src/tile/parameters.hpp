// The parameters of a tile, one below the other: what they are, what they are called, which values they may have and
// which of them the tuner tries. All else that knows them by name says how several of them go together.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace hilo::tile {

/// How tiles come to local memory: ASYNC in kernels/product/tile.cl.
enum class Copies {
  registers,  ///< by way of registers
  async,      ///< past them, a few numbers at a time
  bulk        ///< past them, a tile at a time, of panels of both operands
};
constexpr std::string_view name(Copies c) {
  return c == Copies::registers ? "registers" : c == Copies::async ? "async" : "bulk";
}

/// The parameters of kernels/product/multiply.cl and the texts it comes after, under their names there.
struct Tile {
  int lanes = 1;                          ///< numbers of a vector
  int item_rows = 0, item_columns = 0;    ///< of C that a work-item computes, or a warp with a matrix unit
  int group_rows = 0, group_columns = 0;  ///< work-items of a work-group, or warps
  int depth = 0;                          ///< terms of a tile
  int stages = 0;                         ///< tiles in local memory at a time; 0 without it
  Copies copies = Copies::registers;
  bool fetches_ahead = false;       ///< operands come to registers a step ahead
  int row_run = 1, column_run = 1;  ///< numbers side by side that are read at a time
  int raster_rows = 1;              ///< panels computed side by side before the next column of them begins
  int unit_depth = 1;               ///< 1 for the vector units, 4 or more for matrix_unit.cl
  bool in_place = false;            ///< A and B are read where they lie; else panels of what cannot be read well
  bool packs_all = false;           ///< panels are made of both
  int groups_per_unit = 0;          ///< as in opencl/program.hpp
  bool local_chunks = false;        ///< DD: the sums of closed chunks are in local memory
  bool by_operation = false;        ///< DD: a step is computed operation by operation for all entries
  int unroll = 0;                   ///< blocks of unit_depth steps that are unrolled at a time; 0: all of a tile

  constexpr bool has_matrix_unit() const { return unit_depth > 1; }
  constexpr int panel_rows() const { return item_rows * group_rows; }
  constexpr int panel_columns() const { return item_columns * group_columns; }
  constexpr int group_items() const { return group_rows * group_columns * (has_matrix_unit() ? 32 : 1); }

  bool operator==(const Tile&) const = default;
};

/// A member of a tile, as an integer.
class Member {
 public:
  constexpr Member(int Tile::*m) : number_(m) {}
  constexpr Member(bool Tile::*m) : flag_(m) {}
  constexpr Member(Copies Tile::*m) : copies_(m) {}

  constexpr bool is_flag() const { return flag_ != nullptr; }
  constexpr bool is_copies() const { return copies_ != nullptr; }
  constexpr int of(const Tile& t) const {
    return number_ ? t.*number_ : flag_ ? int{t.*flag_} : static_cast<int>(t.*copies_);
  }
  constexpr void set(Tile& t, int x) const {
    if (number_) t.*number_ = x;
    if (flag_) t.*flag_ = x != 0;
    if (copies_) t.*copies_ = static_cast<Copies>(x);
  }
  bool operator==(const Member&) const = default;

 private:
  int Tile::*number_ = nullptr;
  bool Tile::*flag_ = nullptr;
  Copies Tile::*copies_ = nullptr;
};

/// A few integers in ascending order, or all between two.
class Values {
 public:
  constexpr Values(std::initializer_list<int> list) : count_(list.size()) {
    std::copy(list.begin(), list.end(), values_.begin());
  }
  static constexpr Values from_to(int least, int most) {
    Values all = {least, most};
    all.is_range_ = true;
    return all;
  }
  constexpr const int* begin() const { return values_.data(); }
  constexpr const int* end() const { return begin() + count_; }
  constexpr bool has(int x) const {
    return is_range_ ? x >= values_[0] && x <= values_[1] : std::find(begin(), end(), x) != end();
  }

 private:
  std::array<int, 12> values_{};
  std::size_t count_;
  bool is_range_ = false;
};

/// A row of the table. The parameter's default is the struct's; where that is none of its values a file must have one.
struct Parameter {
  const char* name;  ///< in JSON, where two of one name are a list
  Member member;
  const char* macro;  ///< what the kernels call it; empty where it is nothing to them
  Values values;
  Values moves = {};           ///< the tuner goes to those beside the one it is at; the others it varies together
  Values unit_moves = {};      ///< the same for tiles of matrix units
  std::string_view text = {};  ///< for people, where it is not 0: of a flag the text, else "N text"

  constexpr int standard() const { return member.of(Tile{}); }
  constexpr bool is_needed() const { return !values.has(standard()); }
};

namespace table {

constexpr Values flag = {0, 1};
constexpr Values items = {1, 2, 3, 4, 5, 6, 8, 12, 16, 24}, unit_items = {16, 32, 48, 64};
constexpr Values groups = {1, 2, 4, 8, 16, 32}, warps = {1, 2, 4, 6, 8};
constexpr Values depths = {4, 8, 16, 32, 64}, rasters = {1, 2, 4, 8, 16}, residents = {0, 1, 2, 3, 4, 5, 6, 8};
constexpr auto from_to = Values::from_to;

}  // namespace table

/// name, member, macro, values, moves, moves with matrix units, text
inline constexpr std::array parameters = std::to_array<Parameter>({
    {"lanes", &Tile::lanes, "", {1, 2, 4, 8, 16}},
    {"item", &Tile::item_rows, "ITEM_ROWS", table::from_to(1, 128), table::items, table::unit_items},
    {"item", &Tile::item_columns, "ITEM_COLUMNS", table::from_to(1, 128), table::items, table::unit_items},
    {"group", &Tile::group_rows, "GROUP_ROWS", table::from_to(1, 1024), table::groups, table::warps},
    {"group", &Tile::group_columns, "GROUP_COLUMNS", table::from_to(1, 1024), table::groups, table::warps},
    {"depth", &Tile::depth, "DEPTH", table::from_to(1, 128), table::depths, table::depths},
    {"stages", &Tile::stages, "STAGES", table::from_to(0, 8)},
    {"copies", &Tile::copies, "ASYNC", table::from_to(0, 2)},
    {"ahead", &Tile::fetches_ahead, "FETCHES_AHEAD", table::flag},
    {"runs", &Tile::row_run, "ROW_RUN", table::from_to(1, 16), {1, 2, 4}},
    {"runs", &Tile::column_run, "COLUMN_RUN", table::from_to(1, 16), {1, 2, 4}},
    {"raster", &Tile::raster_rows, "RASTER_ROWS", table::from_to(1, 1024), table::rasters, table::rasters},
    {"unit_depth", &Tile::unit_depth, "UNIT_DEPTH", {1, 4, 8, 16}, {}, {4, 8, 16}},
    {"in_place", &Tile::in_place, "", table::flag},
    {"packs_all", &Tile::packs_all, "", table::flag},
    {"groups_per_unit", &Tile::groups_per_unit, "", table::from_to(0, 8), table::residents, table::residents},
    {"local_chunks", &Tile::local_chunks, "LOCAL_CHUNKS", table::flag, table::flag, {}, "chunks in local memory"},
    {"by_operation", &Tile::by_operation, "BY_OPERATION", table::flag, table::flag, {}, "by operation"},
    {"unroll", &Tile::unroll, "UNROLL", table::from_to(0, 128), {0, 1, 2, 4, 8}, {0, 1, 2, 4, 8}, "unrolled at a time"},
});

/// All that a tile is, for keys.
constexpr std::array<int, parameters.size()> numbers_of(const Tile& t) {
  auto numbers = [&]<std::size_t... i>(std::index_sequence<i...>) { return std::array{parameters[i].member.of(t)...}; };
  return numbers(std::make_index_sequence<parameters.size()>());
}

}  // namespace hilo::tile
