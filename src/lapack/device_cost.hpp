// What LU and Cholesky in DD are expected to take on an OpenCL device.
#pragma once

#include <hilo/device.hpp>
#include <hilo/gemm.hpp>

#include "gemm/modular/opencl/bytes.hpp"

namespace hilo::lapack {

/// Expected seconds of an n × n matrix in the memory of a device of NVIDIA's, whose work-groups may meet, by what an
/// H200 takes for its products, panels, solves and exchanges of rows, as its text calls for them.
double lu_seconds_on_device(const DeviceInfo& device, modular::ByteUnit unit, std::int64_t n);
double cholesky_seconds_on_device(const DeviceInfo& device, modular::ByteUnit unit, std::int64_t n);

}  // namespace hilo::lapack
