// Products of blocks by Strassen's algorithm on an OpenCL device: residues of all blocks, their sums, their products.
#pragma once

#include <cstdint>

#include "gemm/modular/opencl/bytes.hpp"
#include "gemm/modular/opencl/plan.hpp"
#include "gemm/modular/opencl/residues.hpp"
#include "opencl/call.hpp"

namespace hilo::modular {

/// The panels of a product in at least row_parts parts: of products of blocks where the plan has them and the device
/// multiplies them.
DevicePanels panels_for(opencl::ContextState& context, const DevicePlan& plan, int count, int row_parts);

/// Residues of the factors of Strassen's algorithm that an operand has.
class BlockFactors {
 public:
  /// Builds what it needs, or takes it from the context. `residues` must outlive it. may_form_at_once: from residues
  /// that are not in memory before, where the device can. Throws build_failure.
  BlockFactors(opencl::ContextState& context, Residues& residues, int levels, bool may_form_at_once = true);
  /// Whether it does so.
  bool forms_at_once() const { return forms_at_once_; }

  /// `all` has the lines and terms of the whole operand; padded ones are a block's, and so is tile_lines. Factors lie
  /// one after the other from the beginning of all.residues on, plane after plane, of which first_plane is the first.
  void find(opencl::Call& call, ResidueBlock all, int first_plane, int planes, const cl::Buffer& plane_moduli);

 private:
  Residues& residues_;
  const int levels_;
  opencl::BorrowedKernel sums_[2];
  const bool forms_at_once_;
};

/// Launches a product of blocks.
void multiply_blocks(opencl::Call& call, const ByteMultiplier& multiplier, ByteProduct product);

/// Of a product whose panels have levels.
class BlockProduct {
 public:
  /// Builds what it needs, or takes it from the context. All that is given must outlive it; `residues` are those of the
  /// product's operands, of which `first` has its rows. Throws build_failure.
  BlockProduct(opencl::ContextState& context, Residues& residues, const ByteMultiplier& multiplier,
               const DevicePanelProblem& problem, const DevicePanels& panels, int first);

  /// An operand's factors modulo a chunk of the moduli: of the product's rows (place 0) or its columns. Memory as
  /// DevicePanels::operand_bytes() has it.
  void find_factors(opencl::Call& call, int place, Range chunk, const cl::Buffer& factors,
                    const cl::Buffer& plane_moduli);
  /// Residues of C modulo a chunk, whose factors are there.
  void multiply(opencl::Call& call, Range chunk, const cl::Buffer& row_factors, const cl::Buffer& column_factors,
                const cl::Buffer& result, const cl::Buffer& plane_moduli);

 private:
  const ByteMultiplier& multiplier_;
  const DevicePanelProblem& problem_;
  const DevicePanels& panels_;
  int first_;
  BlockFactors factors_;
};

}  // namespace hilo::modular
