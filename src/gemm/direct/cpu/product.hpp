// The direct engine on the CPU: packed panels, register tiles, threads.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>

#include "gemm/direct/cpu/plan.hpp"
#include "matrix/product.hpp"

namespace hilo::direct {

/// Each product of a batch; alpha is not 0 and k is not 0. Returns how many real sums were recomputed as plain doubles.
/// T is dd_real or dd_complex. Throws std::bad_alloc before C is touched.
template <class T>
std::int64_t execute(const CpuPlan& plan, const Product<T>& product);

}  // namespace hilo::direct
