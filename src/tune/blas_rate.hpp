// What the BLAS that S, D, C and Z are left to comes to on this CPU.
#pragma once

#include <hilo/gemm.hpp>

namespace hilo::tune {

/// GFlop/s of its product of 1024 × 1024 matrices of uniform numbers by the options' threads (8n³ flops of complex
/// numbers): the best of three, which take 0.2 s in D on a core with AVX-512. Of S, D, C and Z; throws as gemm
/// does, and std::bad_alloc.
double blas_rate(Precision precision, const GemmOptions& options);

}  // namespace hilo::tune
