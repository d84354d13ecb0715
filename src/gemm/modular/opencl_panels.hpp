// How a product on a device is cut so that its residues fit a workspace.
#pragma once

#include <cstdint>

#include "gemm/modular/opencl_bytes.hpp"

namespace hilo::modular {

/// Rows of the product are lines of the first operand, columns those of the second.
struct DevicePanelProblem {
  std::int64_t rows, columns, terms;
  int moduli;
  int products;  ///< of bytes for each modulus: 1, or 3 for complex elements
  ByteTile tile;
};

/// A panel of C, the terms and the moduli whose residues are there at a time; rows, columns and depth are padded to
/// whole tiles.
struct DevicePanels {
  std::int64_t rows, columns, depth;
  int chunk;

  std::int64_t row_bytes(const DevicePanelProblem& p) const { return chunk * p.products * rows * depth; }
  std::int64_t column_bytes(const DevicePanelProblem& p) const { return chunk * p.products * columns * depth; }
  std::int64_t result_bytes(const DevicePanelProblem& p) const { return p.moduli * p.products * rows * columns; }
  std::int64_t bytes(const DevicePanelProblem& p) const { return row_bytes(p) + column_bytes(p) + result_bytes(p); }
};

/// The largest that fit both bounds, of all buffers and of one; the least there are where nothing fits.
DevicePanels choose_device_panels(const DevicePanelProblem& problem, std::int64_t bytes, std::int64_t buffer_bytes,
                                  std::int64_t most_depth);

}  // namespace hilo::modular
