// What the modular engine leaves to others on an OpenCL device: single entries, and in D and Z whole products.
#pragma once

#include <cstdint>

#include "gemm/modular/opencl/operand.hpp"
#include "gemm/modular/opencl/product.hpp"

namespace hilo::modular {

/// Throws unsupported, naming what needs it, where a device has no double precision; self_test_failure where it is not
/// IEEE arithmetic.
void require_doubles(opencl::ContextState& context, ElementKind kind, const char* what);

/// Entries of a product that the direct engine computes (D and Z: plain sums in increasing order).
class DirectDeviceEntries {
 public:
  /// Computes them, alpha and beta too, without touching C. positions: (row, column) as ints.
  DirectDeviceEntries(opencl::Call& call, const DevicePlan& plan, const DeviceProduct& product,
                      const cl::Buffer& positions, std::int64_t count);

  /// Puts them in their places. Returns the count of those that were computed again as doubles, one cl_uint; no buffer
  /// in D and Z.
  opencl::Workspace write();

  double error_bound_u2() const;

 private:
  void compute_double_doubles();
  void compute_doubles();

  opencl::Call& call_;
  const DevicePlan& plan_;
  const DeviceProduct& p_;
  ElementKind kind_;
  cl::Buffer positions_;
  std::int64_t count_;
  opencl::BorrowedKernel scatter_;
  cl::Buffer values_;
  opencl::Workspace recomputed_;
};

}  // namespace hilo::modular
