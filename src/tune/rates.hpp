// Measures the rates of the cost model on this CPU: what `hilo tune --backend cpu` does.
#pragma once

#include <functional>
#include <hilo/gemm.hpp>
#include <vector>

#include "model/cpu_cost.hpp"

namespace hilo::tune {

/// One round on one core, of the options' instruction set, library of byte products and FMA: it takes about as long as
/// two direct products of 600 × 600 matrices. Throws as gemm does, and std::bad_alloc.
model::CpuRates measure_rates(const GemmOptions& options);

/// The same of modular products in D and Z, which have no direct steps and share products of bytes with those in DD.
model::CpuRates measure_rates_in_double(const GemmOptions& options, const model::CpuRates& in_double_double);

/// Each rate's median over the rounds, of which there must be one, to four digits: what is kept is what it was.
model::CpuRates median(const std::vector<model::CpuRates>& rounds);

/// What may be tuned on this CPU, as options: the instruction sets that it has with each library of byte products and
/// each FMA; first what products take by default.
std::vector<GemmOptions> kinds_of_options();

}  // namespace hilo::tune
