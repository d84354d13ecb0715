// How the direct engine cuts a product on an OpenCL device. Nothing here can change a bit of the result.
#pragma once

#include <cstdint>
#include <hilo/device.hpp>
#include <string>

namespace hilo::direct {

/// The parameters of kernels/multiply.cl, under their names there.
struct OpenclTile {
  int lanes;
  int item_rows, item_columns;
  int group_rows, group_columns;
  int depth;
  int local_stages;
  int sum_in_global;

  constexpr int panel_rows() const { return item_rows * group_rows; }
  constexpr int panel_columns() const { return item_columns * group_columns; }
  constexpr int local_bytes() const { return 16 * local_stages * depth * (panel_rows() + panel_columns()); }
};

/// Whether the kernel takes the parameters: loads divide evenly, chunks are whole numbers of tiles.
constexpr bool is_valid(const OpenclTile& t) {
  bool lanes = t.lanes == 1 || t.lanes == 2 || t.lanes == 4 || t.lanes == 8;
  if (!lanes || t.item_rows < 1 || t.item_columns < 1 || t.group_rows < 1 || t.group_columns < 1) return false;
  if (t.item_rows % t.lanes || t.depth < 4 || 64 % t.depth || t.local_stages < 0 || t.local_stages > 2) return false;
  int items = t.group_rows * t.group_columns;
  if (items > 1024) return false;
  if (!t.local_stages) return true;
  return t.lanes == 1 && t.depth * t.panel_rows() % items == 0 && t.depth * t.panel_columns() % items == 0;
}

/// The parameters for a device.
OpenclTile tile_for(const DeviceInfo& device);

std::string to_string(const OpenclTile& tile);

/// -D options for kernels/multiply.cl.
std::string multiply_options(const OpenclTile& tile, Accuracy accuracy, bool fma);

/// A product as real steps: m × columns of `steps` steps, in blocks of C and slices of k that fit the workspace.
struct OpenclBlocks {
  std::int64_t rows, columns;  ///< of a block of C, padded to whole panels
  std::int64_t planes;         ///< super-chunks of a slice of k
  std::int64_t depth;          ///< steps of a panel: planes super-chunks, or fewer where k is short
  std::int64_t slices;
  std::int64_t left_bytes, right_bytes, partial_bytes, total_bytes;

  std::int64_t bytes() const { return left_bytes + right_bytes + partial_bytes + total_bytes; }
};

/// As few blocks as `workspace` bytes allow; at the least one panel by one panel by one super-chunk.
OpenclBlocks block_product(const OpenclTile& tile, std::int64_t rows, std::int64_t columns, std::int64_t steps,
                           std::int64_t workspace);

/// What block_product is given for a device: 1 GiB, a quarter of its memory, or its largest allocation.
std::int64_t default_workspace(const DeviceInfo& device);

}  // namespace hilo::direct
