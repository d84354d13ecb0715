// The known-answer test of a device's double-double arithmetic.
#pragma once

namespace hilo::opencl {

struct ContextState;

/// Throws self_test_failure, naming the device and the operation, unless the device gives the host's bits for composed
/// operations in `lanes`-wide arithmetic. Runs once for each device, driver, kernel text and build options of the
/// process, and for each context that keeps its programs or has loaded them.
void require_self_test(ContextState& context, int lanes);

}  // namespace hilo::opencl
