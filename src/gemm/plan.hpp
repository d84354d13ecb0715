// Plans of matrix products.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>

#include "gemm/arguments.hpp"

namespace hilo {

/// What a plan says before an engine fills in how: the problem, its accuracy, the backend, and the direct engine.
GemmPlan plan_of(Precision precision, const GemmShape& shape, std::int64_t batch, Backend backend, Accuracy accuracy);

/// The engine that `reproducible` takes: the same for a shape on every machine.
Engine reproducible_engine(const GemmShape& shape);

/// What a DD or ZDD product is expected to take by either engine on one core, for entries whose exponents do not
/// spread. Zeros where it is too small to ask: the direct engine's.
struct Expectation {
  double seconds_direct, seconds_modular;
  Engine faster() const { return seconds_modular < seconds_direct ? Engine::modular : Engine::direct; }
};
Expectation expected_seconds(Precision precision, const GemmShape& shape, const GemmOptions& options);

/// The most moduli with which the modular engine is still expected to be as fast as the direct one.
int most_moduli_worthwhile(Precision precision, const GemmShape& shape, const GemmOptions& options);

}  // namespace hilo
