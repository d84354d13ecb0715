// The direct engine on an OpenCL device: pack, multiply, finish (kernels/).
#pragma once

#include <vector>

#include "gemm/direct/opencl/plan.hpp"

namespace hilo::direct {

/// One product; nothing is checked here. A table's tile that does not build, or that the device does not launch, gives
/// way to the next (tile/run.hpp). Throws unsupported for a device without double precision, self_test_failure,
/// build_failure, out_of_memory; all before the first command that writes to C.
tile::Run execute(DevicePlan& plan, const DeviceProduct& product, opencl::QueueState& queue,
                  const std::vector<cl::Event>& wait_list);

}  // namespace hilo::direct
