// Which engine computes a product, as far as that is decided by what is asked for.
#pragma once

#include <hilo/gemm.hpp>

#include "matrix/arguments.hpp"

namespace hilo {

/// The engine that `reproducible` takes in DD and ZDD: the same for a shape on every machine.
Engine reproducible_engine(const GemmShape& shape);

/// `automatic` where it is to be the one expected to be faster. Throws unsupported for engines and accuracies that the
/// precision does not have there.
Engine engine_asked_for(Precision precision, Backend backend, const GemmShape& shape, const GemmOptions& options);

}  // namespace hilo
