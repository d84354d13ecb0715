// Figures of an OpenCL device by which the model bounds its products, measured by small probes.
#pragma once

#include <hilo/device.hpp>
#include <hilo/model.hpp>

namespace hilo::tune {

/// Rates of instructions in registers, of memory by copying a buffer, and what multiplies bytes. The queue has
/// profiling. Some seconds where programs are built. Throws hilo::error.
model::Device probe_device(Queue& queue);

}  // namespace hilo::tune
