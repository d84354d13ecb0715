// How the modular engine computes a product on an OpenCL device: all that is decided before its entries are seen.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>
#include <optional>

#include "gemm/modular/block_products.hpp"
#include "gemm/modular/moduli.hpp"
#include "gemm/modular/opencl/bytes.hpp"
#include "gemm/modular/opencl/operand.hpp"
#include "matrix/small_workspace.hpp"

namespace hilo::modular {

/// What is cut so that its residues fit a workspace. Rows of the product are lines of the first operand, columns those
/// of the second.
struct DevicePanelProblem {
  std::int64_t rows, columns, terms;
  int moduli;
  bool is_complex;
  ByteTile tile;
  ByteTile edge;  ///< as edge_tile() has it

  /// Planes of bytes of moduli first … first + count − 1.
  int planes(std::int64_t first, std::int64_t count) const {
    return planes_of(static_cast<int>(first + count), is_complex) - planes_of(static_cast<int>(first), is_complex);
  }
  /// The columns beyond whole tiles where they take a tile of their own, and those before them.
  std::int64_t edge_columns() const { return edge.columns < tile.columns ? columns % tile.columns : 0; }
  std::int64_t main_columns() const { return columns - edge_columns(); }
};

/// A panel of C, the terms and the moduli whose residues are there at a time; rows, columns and depth are padded to
/// whole tiles. The edge goes with the last of the main columns.
struct DevicePanels {
  std::int64_t rows, columns, edge, depth;
  int chunk;
  int levels = 0;  ///< of products of blocks (block_products.hpp), of which all of C is one panel, with all terms

  std::int64_t all_columns() const { return columns + edge; }
  std::int64_t operand_bytes(const DevicePanelProblem& p, std::int64_t lines) const {
    const std::int64_t blocks = std::int64_t{1} << 2 * levels;
    // The last moduli have most planes.
    return p.planes(p.moduli - chunk, chunk) * (lines * depth / blocks) * block_factors(levels);
  }
  std::int64_t result_bytes(const DevicePanelProblem& p, std::int64_t of_columns) const {
    return p.planes(0, p.moduli) * rows * of_columns;
  }
  std::int64_t bytes(const DevicePanelProblem& p) const {
    return operand_bytes(p, rows + all_columns()) + result_bytes(p, all_columns());
  }
};

/// The largest that fit both bounds, of all buffers and of one; the least there are where nothing fits.
DevicePanels choose_device_panels(const DevicePanelProblem& problem, std::int64_t bytes, std::int64_t buffer_bytes,
                                  std::int64_t most_depth);

/// The same with so many levels; nothing where it does not fit, or where not every block has lines and terms.
std::optional<DevicePanels> choose_device_blocks(const DevicePanelProblem& problem, int levels, std::int64_t bytes,
                                                 std::int64_t buffer_bytes, std::int64_t most_depth);

/// Whether every block has lines and terms, and a product of blocks as many terms as it can add up.
bool has_blocks(const DevicePanelProblem& problem, int levels, std::int64_t most_depth);

/// What a plane of a product of blocks takes.
struct BlockCosts {
  double stored;  ///< for an entry of C besides, in operations
  double moved;   ///< of an operand besides, in its bytes
};
BlockCosts block_costs(int levels, bool is_complex);

/// For any product of that precision and shape. Entries may take other moduli than `problem` has, and then panels of
/// their own.
struct DevicePlan {
  Accuracy accuracy;
  int bits;                ///< for Accuracy::bits
  bool fma;                ///< of the direct engine's entries
  int most_moduli;         ///< more are slower than the direct engine
  bool is_bounded;         ///< the workspace, by the caller
  std::int64_t workspace;  ///< bytes, at most
  std::int64_t buffer;     ///< of one buffer
  std::int64_t depth;      ///< terms, at most
  bool is_transposed;      ///< lines of B are rows of the products of bytes, as neighbours in C are columns of theirs
  ByteUnit unit;
  int levels;         ///< of products of blocks; −1: as many as pay
  bool is_unwatched;  ///< normwise, and nobody waits for figures: entries of lines with Inf or NaN are NaN
  DevicePanelProblem problem;
  DevicePanels panels;
  bool is_tentative =
      false;  ///< nothing is done where not all rows and columns can be scaled, or moduli do not suffice
  /// Of a product that begins before its own figures are there: operations on bytes, where all of it does, and else
  /// bytes of its operands' residues.
  double most_begun_operations = 1e12, most_begun_residues = 1e9;

  /// The levels asked for, or the most that may pay.
  int levels_at_most() const { return levels >= 0 ? levels : unit == ByteUnit::wgmma ? max_block_levels : 0; }
  /// Blocks have no edge.
  DevicePanelProblem problem_of(int count, int of_levels) const;
  /// Of products of blocks where may_have_blocks and `levels` has them, or they pay.
  DevicePanels panels_of(int count, bool may_have_blocks) const;
};

/// For a product in D, Z, DD or ZDD on that unit of the device. Fills `told` as for entries whose exponents do not
/// spread, from its precision and accuracy. Throws unsupported for what a device cannot do, invalid_argument for a
/// workspace that is too small.
DevicePlan plan_product(GemmPlan& told, const DeviceInfo& device, ByteUnit unit, const DeviceProduct& product,
                        const GemmOptions& options, int most_moduli, SmallWorkspace small = SmallWorkspace::refused);

}  // namespace hilo::modular
