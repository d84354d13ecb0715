// Products in S, D, C and Z on an OpenCL device, in its own arithmetic.
#pragma once

#include <vector>

#include "gemm/native/opencl/plan.hpp"

namespace hilo::native {

/// One product or a batch; rows or columns of each matrix are side by side. Nothing is checked here. A table's tile
/// that does not build, or that the device does not launch, gives way to the next (tile/run.hpp). Throws
/// unsupported for D and Z on a device without double precision, build_failure, out_of_memory; all before the first
/// command that writes to C.
tile::Run execute(DevicePlan& plan, const DeviceProduct& product, opencl::QueueState& queue,
                  const std::vector<cl::Event>& wait_list);

}  // namespace hilo::native
