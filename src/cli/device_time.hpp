// What a device's time for a product goes to.
#pragma once

#include <cstdint>
#include <functional>
#include <hilo/device.hpp>
#include <hilo/programs.hpp>
#include <string>
#include <vector>

namespace hilo::cli {

/// All launches of a kernel in one product.
struct KernelTime {
  std::string kernel;
  int launches = 0;
  double seconds = 0.0;
};

struct DeviceTime {
  ProgramTally programs;
  std::int64_t bytes_in = 0, bytes_out = 0;    ///< A, B and, where beta reads it, C; and C
  double seconds_in = 0.0, seconds_out = 0.0;  ///< of the transfers alone, the best of as many as there are runs
  std::vector<KernelTime> kernels;             ///< of one run, in the order of their first launches
  double seconds_other = 0.0;                  ///< of that run, between its kernels
};

/// The kernels of a product that is called once, on a queue with profiling, and the time between them.
void trace_kernels(Queue& queue, const std::function<Event()>& product, DeviceTime& time);

}  // namespace hilo::cli
