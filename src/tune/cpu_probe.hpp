// Figures of this CPU by which the model bounds its products, measured by small probes.
#pragma once

#include <hilo/gemm.hpp>
#include <hilo/model.hpp>

#include "model/cpu_cost.hpp"

namespace hilo::tune {

struct CpuFigures {
  model::Device device;             ///< of all threads together, of which `units` run at once
  model::CpuRates rates;            ///< of one core alone
  model::CpuRates rates_in_double;  ///< the same, of modular products in D and Z
  int threads;
};

/// Rates in registers of all threads at once, of memory by copying 64 MiB, and one round of measure_rates: about a
/// second in all. `options` say how many threads. Throws as measure_rates does.
CpuFigures probe_cpu(const GemmOptions& options);

}  // namespace hilo::tune
