// The residues of a modular product on an OpenCL device: operands to residues, as what multiplies bytes takes them, and
// back, the product's residues to integers, which are rounded into C.
#pragma once

#include <cstdint>

#include "gemm/modular/opencl/operand.hpp"
#include "gemm/modular/opencl/scaling.hpp"
#include "gemm/modular/range.hpp"
#include "opencl/call.hpp"

namespace hilo::modular {

/// Residues of part of an operand, bytes in panels of tile_lines lines (see ByteTile); lines and terms beyond the
/// counts are 0.
struct ResidueBlock {
  int operand;         ///< 0 A, 1 B
  bool is_of_columns;  ///< of products of bytes, or of rows
  Range lines, terms, moduli;
  std::int64_t padded_lines, padded_terms;
  int tile_lines;
  cl::Buffer residues;
  std::int64_t first_byte = 0;   ///< of residues, where the block begins; a multiple of 16, as plane_bytes is
  std::int64_t plane_bytes = 0;  ///< from a plane to the next; 0: the block's
};

/// Finds residues of one product's operands.
class Residues {
 public:
  /// Builds what it needs, or takes it from the context. Panels are those of products with such tiles.
  /// `operand` must outlive it. Throws build_failure.
  Residues(opencl::ContextState& context, ElementKind kind, const DeviceOperand (&operand)[2],
           const ScaledOperands& scaled, const ByteTile& tile);

  void launch(opencl::Call& call, const ResidueBlock& block);
  /// Of two blocks, by one launch where the device has one for that.
  void launch_two(opencl::Call& call, const ResidueBlock& block, const ResidueBlock& second);

  /// Builds what launch_factors() needs. False where factors are to be formed from blocks' residues in memory.
  bool prepare_factors(opencl::ContextState& context, int levels);
  /// The factors of Strassen's algorithm: `block` has the lines and terms of the whole operand,
  /// padded ones are a factor's, and so are the bytes from one factor to the next.
  void launch_factors(opencl::Call& call, const ResidueBlock& block);

  /// Whether launch_both() serves both operands at once: the lines of one are the first of the other's, and so are
  /// their integers.
  bool serves_both() const { return serves_both_; }
  /// Of blocks that begin with the same line and have the same terms and moduli, where serves_both().
  void launch_both(opencl::Call& call, const ResidueBlock& block, const ResidueBlock& other);

 private:
  opencl::residue_arguments arguments_of(const ResidueBlock& block) const;
  void set(opencl::BorrowedKernel& kernel, const ResidueBlock& block, const opencl::residue_arguments& arguments);
  void launch_lines(opencl::Call& call, const cl::Kernel& kernel, std::int64_t lines, std::int64_t terms) const;
  // The work-groups from `first_group` on, of a device with a matrix unit.
  void set_second(const ResidueBlock& block, std::int64_t first_group);
  // Those for so many padded lines and terms.
  static std::int64_t unit_groups(std::int64_t lines, std::int64_t terms);

  const DeviceOperand (&operand_)[2];
  ScaledOperands scaled_;
  bool is_complex_, has_matrix_unit_, in_quads_, serves_both_;
  int limbs_, factor_levels_ = 0;
  ElementKind kind_;
  opencl::BorrowedKernel kernel_, kernel_of_both_, kernels_of_factors_[2];
  cl::Buffer tables_[2];
};

/// What puts residues together.
enum class RebuildUnit : std::uint8_t {
  integers,  ///< anywhere: kernels/modular/rebuild.cl
  mma        ///< the matrix units of NVIDIA from sm_80 on, and doubles: kernels/modular/rebuild_mma.cl
};

/// The best one that a device has.
RebuildUnit rebuild_unit(opencl::ContextState& context);

/// A panel of a product. Its residues are bytes, [plane][padded row][padded column]; padded_columns is a multiple
/// of 16. Entry (r, c) of the panel is the integer times 2^(e_r + f_c − bits), negated on request: e and f are among
/// `exponents`, where those of the whole product's rows begin at row_exponents, of its columns at column_exponents. The
/// view is of the whole C too.
struct ResiduePanel {
  cl::Buffer residues;
  std::int64_t padded_rows, padded_columns, first_row, rows, first_column, columns;
  cl::Buffer exponents;
  std::int64_t row_exponents, column_exponents;
  int bits;
  bool negates;
  cl::Buffer c;
  opencl::matrix_view view;
  opencl::wanted_arguments wanted = {};  ///< of rebuilders of triangles: what of the panel is written
};

/// What becomes of C: alpha times the product plus beta times C.
struct Update {
  dd_complex alpha = dd_complex(1), beta = dd_complex(0);

  bool stores() const { return alpha == dd_complex(1) && beta == dd_complex(0); }
};

/// Rebuilds panels of one product modulo the first `count` numbers.
class Rebuilder {
 public:
  static constexpr int default_warps = 4;

  /// Builds what it needs, or takes it from the context. `warps` share a work-group of the unit mma. Throws
  /// build_failure.
  Rebuilder(opencl::ContextState& context, RebuildUnit unit, ElementKind kind, int count, const Update& update,
            bool is_triangle = false, int warps = default_warps);

  void launch(opencl::Call& call, const ResiduePanel& panel);

 private:
  void build(opencl::ContextState& context, ElementKind kind, const Update& update);
  void launch_warps(opencl::Call& call, const ResiduePanel& panel, opencl::rebuild_arguments arguments);
  void set(const ResiduePanel& panel, const opencl::rebuild_arguments& arguments);

  RebuildUnit unit_;
  int count_, warps_;
  cl_uint wanted_at_;        // the argument that says what is; 0 where all is
  int columns_;              // of an item's or a warp's
  bool negates_ = false;     // instead of an alpha of -1
  int shift_ = 0;            // of the place of an integer's bits
  std::int64_t groups_ = 0;  // of the unit mma, at a time
  opencl::BorrowedKernel kernel_;
  cl::Buffer table_;
};

}  // namespace hilo::modular
