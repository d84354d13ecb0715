// The direct engine on an OpenCL device: pack, multiply, finish (kernels/).
#pragma once

#include <hilo/complex.hpp>
#include <vector>

#include "tile/run.hpp"

namespace hilo::direct {

/// C = alpha · A · B + beta · C, A m × k, B k × n; nothing is checked here. m, n >= 1.
struct OpenclProduct {
  bool is_complex;
  std::int64_t m, n, k;
  dd_complex alpha, beta;
  tile::OpenclMatrix a, b, c;
  Accuracy accuracy;
  bool fma;
};

/// As a device is expected to cut it by itself; m, n, k >= 1.
tile::Form planned_form(const DeviceInfo& device, const OpenclProduct& product);

/// A table's tile that does not build, or that the device does not launch, gives way to the default (tile_table.hpp).
/// Throws unsupported for a device without double precision, self_test_failure, build_failure, out_of_memory; all
/// before the first command that writes to C.
tile::Run enqueue(opencl::QueueState& queue, const OpenclProduct& product, const std::vector<cl::Event>& wait_list,
                  const tile::Choice& choice = {});

}  // namespace hilo::direct
