// What one core of this CPU computes on registers alone, by its best instruction set: the ceilings of the CPU kernels.
#pragma once

#include <hilo/gemm.hpp>

namespace hilo::tune {

/// GFlop/s of multiply-adds of single or double precision (2 flops each) on the calling thread, no loads and no stores,
/// best of several numbers of independent sums. Takes some 30 ms.
double multiply_add_rate(Precision precision);

/// The same of the direct engine's steps, DD multiply-adds (2 flops each), in `classic` or `fast`. Some 50 ms.
double register_rate(Accuracy accuracy);

}  // namespace hilo::tune
