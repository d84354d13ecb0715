// Many small products of one shape in one launch.
#pragma once

#include "gemm/batch/opencl/plan.hpp"

namespace hilo::batch {

/// What direct products in DD and ZDD are computed by; of the others none of it is read.
struct Arithmetic {
  int renormalise_every = 1;
  bool fma = true;
};

/// All products of a batch, m, n >= 1, by `tile`, after the events of wait_list. Throws before C is written.
tile::Run execute(const BatchTile& tile, const Arithmetic& arithmetic, const DeviceProduct& product,
                  opencl::QueueState& queue, const std::vector<cl::Event>& wait_list);

}  // namespace hilo::batch
