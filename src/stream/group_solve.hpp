// Systems with factors in the memories of a group's devices.
#pragma once

#include <functional>

#include "lapack/opencl/place.hpp"
#include "stream/carrier.hpp"
#include "stream/group_matrix.hpp"

namespace hilo::stream {

/// Of factors and B.
using SolveOnDevice = std::function<void(lapack::DevicePlace&, const DeviceView&, const DeviceView&)>;

/// run(place, factors, B) on the first device, which the others give all of theirs; B, not empty, comes from host
/// memory and returns. has_begun: it may have been written to.
Traffic solve_on_first(GroupMatrixState& factors, const HostMatrix& b, const BlockedOptions& options, bool& has_begun,
                       const SolveOnDevice& run);

}  // namespace hilo::stream
