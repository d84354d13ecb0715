// Whether work-groups of a device may wait for each other, which OpenCL does not promise (kernels/blas/meeting.cl).
#pragma once

#include <mutex>

#include "opencl/native.hpp"

namespace hilo::opencl {

/// Whether they may, one a multiprocessor: on NVIDIA's devices of compute capability 7.0 and more where a test of them
/// passed and no launch was given up. Runs the test once for each context.
bool may_meet(ContextState& context);

/// A launch was given up: from now on they may not.
void forbid_meeting(ContextState& context);

/// Whether they must count arrivals, since the driver does not take words with tags: those of 2023 and before, which do
/// not know PTX 8.3. No, until `count_arrivals` was called.
bool must_count_arrivals(ContextState& context);
void count_arrivals(ContextState& context);

/// Held while a kernel runs whose work-groups wait for each other: two of them at once could each hold half of the
/// device and wait for ever. One for each device of the process.
std::unique_lock<std::mutex> turn_to_meet(const ContextState& context);

}  // namespace hilo::opencl
