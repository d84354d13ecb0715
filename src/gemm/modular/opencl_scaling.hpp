// The guardrail of the modular engine on an OpenCL device: exponents, their spread, bits and moduli (scaling.hpp is the
// CPU's, docs/modular.md defines both).
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>

#include "gemm/modular/opencl_operand.hpp"
#include "opencl/sequence.hpp"

namespace hilo::modular {

struct DeviceScaling {
  Path path = Path::modular;
  int bits[2] = {0, 0};   ///< p: what scales A's lines to integers, and B's, beside their exponents
  int extra[2] = {0, 0};  ///< bits that a line's integers may have beyond p
  int moduli = 0;
  int esc = 0;
  double error_bound_u2 = 0.0;
  /// Exponents of the lines of A and of B (int), as the kernels' LINE_ constants say where a line has none.
  opencl::Workspace exponents[2];
  /// The balance of each term (int); no buffer where there is none.
  opencl::Workspace balance;
  /// Entries for the direct engine, (row, column) as ints.
  opencl::Workspace direct;
  std::int64_t entries_direct = 0;
};

struct DeviceScalingRequest {
  Accuracy accuracy;
  int bits;         ///< for Accuracy::bits
  int most_moduli;  ///< more are slower than the direct engine
};

/// Bytes that scale() takes at most, for a product m × n × k whose exponents do not spread widely.
std::int64_t scaling_bytes(Accuracy accuracy, ElementKind kind, std::int64_t m, std::int64_t n, std::int64_t k);

/// Reads both operands (k >= 1), and waits for the device: once where the exponents of an ordinary matrix tell how many
/// moduli it takes, a few times more where terms are balanced or many moduli needed. Throws unsupported where `tight`
/// or `exact` cannot be met, out_of_memory.
DeviceScaling scale(opencl::QueueState& queue, opencl::Sequence& sequence, ElementKind kind,
                    const DeviceOperand (&operand)[2], const DeviceScalingRequest& request);

}  // namespace hilo::modular
