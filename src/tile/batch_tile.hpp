// How a work-group of kernels/batch/multiply.cl is cut.
#pragma once

namespace hilo::tile {

/// Its parameters, under their names there. Nothing here can change a bit of a result in DD or ZDD.
struct BatchTile {
  int products;                   ///< of a work-group
  int item_rows, item_columns;    ///< entries of a work-item
  int group_rows, group_columns;  ///< work-items of a product
  int depth;                      ///< terms of a stage

  constexpr int rows() const { return item_rows * group_rows; }
  constexpr int columns() const { return item_columns * group_columns; }
  constexpr int items() const { return products * group_rows * group_columns; }

  bool operator==(const BatchTile&) const = default;
};

}  // namespace hilo::tile
