// Products on a device of matrices in host memory.
#pragma once

#include <hilo/device.hpp>
#include <hilo/gemm.hpp>

#include "matrix/product.hpp"

namespace hilo {

/// Each product of a batch, m, n, batch.count >= 1. Finished on return; report.plan is
/// the plan before, and what ran after. Throws before C is written, where a batch is of more than one for those done,
/// or says that C is undefined: where it fails while C comes back.
template <gemm_scalar T>
void multiply_host_memory(opencl::QueueState& queue, GemmReport& report, const GemmShape& shape,
                          const GemmOptions& options, const Product<T>& product);

}  // namespace hilo
