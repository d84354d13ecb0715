// The modular engine on an OpenCL device.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>
#include <vector>

#include "gemm/direct/opencl/product.hpp"
#include "gemm/modular/opencl/bytes.hpp"
#include "gemm/modular/outcome.hpp"
#include "opencl/sequence.hpp"

namespace hilo::modular {

/// C = alpha · A · B + beta · C, A m × k, B k × n; m, n, k >= 1, alpha is not 0. Real alpha and beta in D and Z are
/// hi words.
struct OpenclProduct {
  Precision precision;
  std::int64_t m, n, k;
  dd_complex alpha, beta;
  tile::OpenclMatrix a, b, c;
  Accuracy accuracy;
  int bits;                             ///< for Accuracy::bits
  bool fma;                             ///< of the direct engine's entries
  int most_moduli;                      ///< more are slower than the direct engine
  std::int64_t workspace_bytes, depth;  ///< bounds, 0 for the engine's own
  int row_parts = 0;                    ///< of C at least, where its lines allow; 0 as the engine likes
};

/// Neighbouring lines of C (columns of a column-major C) that are complete after the event.
struct Part {
  std::int64_t first_line, lines;
  cl::Event done;
};

/// Fills a D, Z, DD or ZDD plan from its shape and the options, as for entries whose exponents do not spread. Throws
/// unsupported for what a device cannot do, invalid_argument for a workspace that is too small, and what
/// modular::byte_unit throws.
void plan_opencl(GemmPlan& plan, opencl::ContextState& context, const GemmOptions& options);

/// entries_recomputed is left to `recomputed`.
struct OpenclOutcome : Outcome {
  opencl::Workspace recomputed;  ///< one cl_uint, of the direct entries; no buffer where there are none
  std::vector<Part> parts;       ///< in increasing order, all of C; empty where it is complete only at the end
};

/// Returns when the last command is enqueued; waits for the device in between, as scale() of opencl_scaling.hpp does.
/// Throws before C is written: unsupported where an accuracy cannot be met, out_of_memory, build_failure.
OpenclOutcome enqueue(opencl::QueueState& queue, opencl::Sequence& sequence, const OpenclProduct& product);

/// C = alpha · A · B + beta · C in D or Z as plain sums in increasing order; k = 0 or alpha = 0: C = beta · C.
void enqueue_plain(opencl::QueueState& queue, opencl::Sequence& sequence, const OpenclProduct& product);

}  // namespace hilo::modular
