// The residues of a modular product's operands on an OpenCL device, as what multiplies bytes takes them.
#pragma once

#include <cstdint>

#include "gemm/modular/opencl/operand.hpp"
#include "gemm/modular/opencl/scaling.hpp"
#include "opencl/call.hpp"

namespace hilo::modular {

/// Neighbouring lines, terms or moduli.
struct Range {
  std::int64_t first = -1, count = 0;
  bool operator==(const Range&) const = default;
};

/// Residues of part of an operand, bytes in panels of tile_lines lines (see ByteTile); lines and terms beyond the
/// counts are 0.
struct ResidueBlock {
  int operand;     ///< 0 A, 1 B
  bool is_signed;  ///< of the second operand of products of bytes
  Range lines, terms, moduli;
  std::int64_t padded_lines, padded_terms;
  int tile_lines;
  cl::Buffer residues;
};

/// Finds residues of one product's operands.
class Residues {
 public:
  /// Builds what it needs, or takes it from the context. `operand` must outlive it. Throws build_failure.
  Residues(opencl::ContextState& context, ElementKind kind, const DeviceOperand (&operand)[2],
           const ScaledOperands& scaled);

  void launch(opencl::Call& call, const ResidueBlock& block);

 private:
  const DeviceOperand (&operand_)[2];
  ScaledOperands scaled_;
  int products_;
  bool has_matrix_unit_;
  opencl::BorrowedKernel kernel_;
  cl::Buffer tables_[2];
  std::int64_t table_words_;
};

}  // namespace hilo::modular
