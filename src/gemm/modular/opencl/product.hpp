// The modular engine on an OpenCL device.
#pragma once

#include <cstdint>
#include <vector>

#include "gemm/modular/opencl/plan.hpp"
#include "gemm/modular/opencl/prepared.hpp"
#include "gemm/modular/outcome.hpp"
#include "opencl/call.hpp"

namespace hilo::modular {

/// Neighbouring lines of C (columns of a column-major C) that are complete after the event.
struct Part {
  std::int64_t first_line, lines;
  cl::Event done;
};

/// entries_recomputed is left to `recomputed`.
struct DeviceOutcome : Outcome {
  opencl::Workspace recomputed;  ///< one cl_uint, of the direct entries; no buffer where there are none
  std::vector<Part> parts;       ///< in increasing order, all of C; empty where it is complete only at the end
};

/// One product; m, n, k >= 1, alpha is not 0; C in at least row_parts parts where its lines allow, 0 as the engine
/// likes. Returns when the last command is enqueued; waits for the device in between, as a Guardrail does. Throws
/// before C is written: unsupported where an accuracy cannot be met, out_of_memory, build_failure. `prepared` operands
/// have begun with the call.
DeviceOutcome execute(const DevicePlan& plan, const DeviceProduct& product, opencl::Call& call, int row_parts = 0,
                      const PreparedOperands& prepared = {});

}  // namespace hilo::modular
