// How the modular engine computes a product on an OpenCL device: all that is decided before its entries are seen.
#pragma once

#include <hilo/gemm.hpp>

#include "gemm/modular/opencl/operand.hpp"
#include "gemm/modular/opencl/panels.hpp"

namespace hilo::modular {

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
  DevicePanelProblem problem;
  DevicePanels panels;

  DevicePanelProblem problem_of(int count) const;
  DevicePanels panels_of(int count) const;
};

/// For a product in D, Z, DD or ZDD on that unit of the device. Fills `told` as for entries whose exponents do not
/// spread, from its precision and accuracy. Throws unsupported for what a device cannot do, invalid_argument for a
/// workspace that is too small.
DevicePlan plan_product(GemmPlan& told, const DeviceInfo& device, ByteUnit unit, const DeviceProduct& product,
                        const GemmOptions& options, int most_moduli);

}  // namespace hilo::modular
