// How a product in S, D, C or Z is computed on an OpenCL device: all that is decided before it runs.
#pragma once

#include <optional>

#include "matrix/device_product.hpp"
#include "tile/run.hpp"
#include "tile/table.hpp"

namespace hilo::native {

/// How the kernel reads an operand.
struct Reading {
  bool is_packed, is_together;
  int copy;  ///< numbers that one copy takes

  bool operator==(const Reading&) const = default;
};

/// How a product is cut so that packed operands fit the workspace: blocks of C, and slices of k. One block and one
/// slice where nothing is packed, but for sizes beyond the kernels'.
struct Cut {
  std::int64_t rows, columns, steps;
  std::int64_t left_bytes, right_bytes;
};

/// For any product of that precision, shape and batch. Where a tile is refused as it runs, or matrices lie so that they
/// must be read in another way than those planned for, the plan is left as it ran.
struct DevicePlan {
  Precision precision;
  bool is_turned;          ///< C' = B' A', as C's rows are apart
  bool is_three_products;  ///< C and Z: by three real products (three_products.hpp)
  std::int64_t workspace;  ///< bytes, at most
  bool is_chosen;          ///< the tile, which nothing stands in for
  tile::TileKey key;
  tile::Tile listed;  ///< as the tables have the tile
  tile::Tile tile;    ///< as the product runs
  Reading left, right;
  Cut cut;
  std::int64_t plane_bytes;              ///< of the parts of three products
  std::optional<tile::BatchTile> batch;  ///< the whole batch by kernels/batch/multiply.cl
  tile::Form batch_form;

  /// Whether operands that lie like these are read so; `product` as with_rows_together has it, also below.
  bool suits(const DeviceProduct& product) const;
  void set_tile(const tile::Tile& t, const DeviceProduct& product);
  tile::Form form() const;
};

DevicePlan plan_product(const DeviceInfo& device, const DeviceProduct& product, ComplexProduct complex_product,
                        const tile::Choice& choice = {});

/// The product with C's rows side by side: C' = B' A' where they are apart.
DeviceProduct with_rows_together(const DeviceProduct& product);
inline bool is_left_together(const DeviceProduct& p) { return p.a.row_stride == 1; }
inline bool is_right_together(const DeviceProduct& p) { return p.b.column_stride == 1; }

/// Sizes for which no product of theirs overflows an int of the kernels.
inline constexpr std::int64_t most_lines = std::int64_t{1} << 24;

}  // namespace hilo::native
