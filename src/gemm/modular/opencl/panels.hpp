// How a product on a device is cut so that its residues fit a workspace.
#pragma once

#include <cstdint>

#include "gemm/modular/opencl/bytes.hpp"

namespace hilo::modular {

/// Rows of the product are lines of the first operand, columns those of the second.
struct DevicePanelProblem {
  std::int64_t rows, columns, terms;
  int moduli;
  int products;  ///< of bytes for each modulus: 1, or 3 for complex elements
  ByteTile tile;
  ByteTile edge;  ///< as edge_tile() has it

  /// The columns beyond whole tiles where they take a tile of their own, and those before them.
  std::int64_t edge_columns() const { return edge.columns < tile.columns ? columns % tile.columns : 0; }
  std::int64_t main_columns() const { return columns - edge_columns(); }
};

/// A panel of C, the terms and the moduli whose residues are there at a time; rows, columns and depth are padded to
/// whole tiles. The edge goes with the last of the main columns.
struct DevicePanels {
  std::int64_t rows, columns, edge, depth;
  int chunk;

  std::int64_t all_columns() const { return columns + edge; }
  std::int64_t operand_bytes(const DevicePanelProblem& p, std::int64_t lines) const {
    return chunk * p.products * lines * depth;
  }
  std::int64_t result_bytes(const DevicePanelProblem& p, std::int64_t of_columns) const {
    return p.moduli * p.products * rows * of_columns;
  }
  std::int64_t bytes(const DevicePanelProblem& p) const {
    return operand_bytes(p, rows + all_columns()) + result_bytes(p, all_columns());
  }
};

/// The largest that fit both bounds, of all buffers and of one; the least there are where nothing fits.
DevicePanels choose_device_panels(const DevicePanelProblem& problem, std::int64_t bytes, std::int64_t buffer_bytes,
                                  std::int64_t most_depth);

}  // namespace hilo::modular
