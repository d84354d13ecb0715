// The modular engine on the CPU.
#pragma once

#include <hilo/gemm.hpp>

#include "gemm/modular/cpu/plan.hpp"
#include "gemm/modular/outcome.hpp"
#include "matrix/product.hpp"

namespace hilo::modular {

/// One product of the plan's batch; alpha is not 0, m, n and k are not 0. Where the entries take more moduli than the
/// plan allows, and the accuracy is one the direct engine has, that is the path. Throws before C is touched:
/// unsupported where the accuracy cannot be met, std::bad_alloc.
template <class T>
Outcome execute(const CpuPlan& plan, const Product<T>& product);

}  // namespace hilo::modular
