// The rate of the direct engine's step on registers alone: the ceiling of the CPU kernels.
#pragma once

#include <hilo/gemm.hpp>

namespace hilo::bench {

/// GFlop/s of DD multiply-adds (2 flops each) on one thread, no loads and no stores, best of several numbers of
/// independent sums. Compiled for the building machine's CPU.
double register_rate(Accuracy accuracy);

}  // namespace hilo::bench
