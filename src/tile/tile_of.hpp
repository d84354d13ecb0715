// Tiles in a line each, for lists of them: the parameters that have two sides in pairs, the others by name.
#pragma once

#include "tile/parameters.hpp"

namespace hilo::tile {

struct Sides {
  int rows, columns;
};

/// `rest` with these items, groups and runs.
constexpr Tile tile_of(Sides item, Sides group, Sides run, Tile rest) {
  rest.item_rows = item.rows, rest.item_columns = item.columns;
  rest.group_rows = group.rows, rest.group_columns = group.columns;
  rest.row_run = run.rows, rest.column_run = run.columns;
  return rest;
}

/// The same with asynchronous copies, a few numbers at a time.
constexpr Tile async_tile_of(Sides item, Sides group, Sides run, Tile rest) {
  rest.copies = Copies::async;
  return tile_of(item, group, run, rest);
}

/// And by matrix units, whose operands are fetched ahead.
constexpr Tile unit_tile_of(Sides item, Sides group, Sides run, Tile rest) {
  rest.unit_depth = 4;
  rest.fetches_ahead = true;
  return async_tile_of(item, group, run, rest);
}

}  // namespace hilo::tile
