// What the modular engine leaves to others on an OpenCL device: which entries, what they are, and in D and Z whole
// products.
#pragma once

#include <cstdint>

#include "gemm/modular/opencl/plan.hpp"
#include "gemm/modular/opencl/spread_test.hpp"

namespace hilo::modular {

/// Throws unsupported, naming what needs it, where a device has no double precision; self_test_failure where it is not
/// IEEE arithmetic.
void require_doubles(opencl::ContextState& context, ElementKind kind, const char* what);

/// Entries of lines with Inf or NaN, and those whose e + f, of their lines' exponents, is above most_exponent.
struct UnscalableEntries {
  std::int64_t count = 0;
  bool has_overflow = false;  ///< some are above
  std::int64_t most_exponent = 0;
};

/// With the figures of lines read; waits for the device where there is an overflow.
UnscalableEntries count_unscalable(const Scan& scan, std::int64_t most_exponent);

struct DirectList {
  cl::Buffer positions;  ///< (row, column) as ints, until the end of the call; null where there are none
  std::int64_t count = 0;
};

/// Those that cannot be scaled and those that spread beyond what was found, of a triangle (as triangle_of() has it)
/// only its own. Throws unsupported for more than it lists.
DirectList list_direct(const Scan& scan, const UnscalableEntries& unscalable, const SpreadTest& spread, int triangle);

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

/// C = alpha · A · B + beta · C in D or Z as plain sums in increasing order; k = 0 or alpha = 0: C = beta · C.
void execute_plain(const DeviceProduct& product, opencl::Call& call);

}  // namespace hilo::modular
