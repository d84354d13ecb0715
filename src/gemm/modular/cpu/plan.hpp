// How the modular engine computes a product on the CPU: all that is decided before its entries are seen.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>

#include "gemm/modular/cpu/kernels.hpp"
#include "gemm/modular/cpu/panels.hpp"
#include "matrix/small_workspace.hpp"

namespace hilo::modular {

/// For any product of that precision and shape. Entries may take other moduli than `problem` has, and operands may lie
/// otherwise; then panels are their own.
struct CpuPlan {
  GemmOptions options;       ///< for what the direct engine computes too; `target` is the kernels'
  int most_moduli;           ///< more are slower than the direct engine
  const KernelSet* kernels;  ///< never null
  Int8Library int8_library;  ///< never `automatic`
  int threads;
  std::int64_t workspace;  ///< bytes, at most
  std::int64_t depth;      ///< terms, at most
  PanelProblem problem;
  Panels panels;

  Panels panels_of(const PanelProblem& p) const { return p == problem ? panels : choose_panels(p, workspace, depth); }
};

/// For a product in D, Z, DD or ZDD. Fills `told` as for entries whose exponents do not spread, from its precision, its
/// accuracy and its shape. Throws unsupported for an unknown options.target or a library that is not there,
/// invalid_argument for a workspace that is too small.
CpuPlan plan_product(GemmPlan& told, const GemmOptions& options, int most_moduli,
                     SmallWorkspace small = SmallWorkspace::refused);

}  // namespace hilo::modular
