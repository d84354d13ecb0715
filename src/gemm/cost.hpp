// Which engine is expected to be faster on the CPU: by a model whose rates come from a table, and so the same in every
// run.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>

#include "matrix/arguments.hpp"
#include "model/cpu_cost.hpp"

namespace hilo {

/// The moduli of a product in D, Z, DD or ZDD of k terms whose exponents do not spread.
int expected_moduli(Precision precision, Accuracy accuracy, std::int64_t k);

/// The same inside a factorisation, where rows and columns are scaled by their largest entries and nothing else is
/// asked.
int inner_moduli(Precision precision, std::int64_t k);

/// The least n, in steps of 16 and from 2048 on of n / 64, from which on the modular engine is expected to be faster
/// for n × n matrices; 0 if none up to 2^16.
std::int64_t crossover(const model::CpuRates& rates, Precision precision, Accuracy accuracy);

/// What a DD or ZDD product is expected to take by either engine on one core, for entries whose exponents do not
/// spread. Zeros where it is too small to ask: the direct engine's.
struct Expectation {
  double seconds_direct, seconds_modular;
  Engine faster() const { return seconds_modular < seconds_direct ? Engine::modular : Engine::direct; }
};
Expectation expected_seconds(Precision precision, const GemmShape& shape, const GemmOptions& options);

/// The same inside a factorisation; of the lower or upper triangle or trapezium alone, if it says so.
Expectation expected_inside(Precision precision, const GemmShape& shape, const GemmOptions& options,
                            bool is_triangle = false);

/// Seconds on one core of such a product, in DD or ZDD, by these rates: of the engine that options name, where they
/// leave it open of the faster one.
double inner_seconds(const model::CpuRates& rates, Precision precision, const GemmShape& shape,
                     const GemmOptions& options, bool is_triangle);

/// The most moduli with which the modular engine is still expected to be as fast as the direct one.
int most_moduli_worthwhile(Precision precision, const GemmShape& shape, const GemmOptions& options);

}  // namespace hilo
