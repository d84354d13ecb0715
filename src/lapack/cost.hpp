// What LU and Cholesky in DD and ZDD are expected to take on the CPU.
#pragma once

#include <hilo/gemm.hpp>

#include "model/cpu_cost.hpp"

namespace hilo::lapack {

/// Expected seconds on one core by these rates, of an n × n matrix, products by the engine that options name: those of
/// its products and of the blocks between them, as its text calls for them; of exchanged rows nothing.
double lu_seconds(const model::CpuRates& rates, Precision precision, std::int64_t n, const GemmOptions& options);
double cholesky_seconds(const model::CpuRates& rates, Precision precision, std::int64_t n, const GemmOptions& options);

}  // namespace hilo::lapack
