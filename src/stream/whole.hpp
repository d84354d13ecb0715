// Products on a device of matrices in host memory.
#pragma once

#include <hilo/device.hpp>
#include <hilo/gemm.hpp>

#include "gemm/device_product.hpp"
#include "matrix/product.hpp"

namespace hilo {

/// Each product of a batch, m, n, batch.count >= 1, as planned. Finished on return, and reported. Throws before C is
/// written, where a batch is of more than one for those done, or says that C is undefined: where it fails while C comes
/// back.
template <gemm_scalar T>
void multiply_host_memory(opencl::QueueState& queue, DevicePlan& plan, const GemmShape& shape,
                          const Product<T>& product, GemmReport& report);

}  // namespace hilo
