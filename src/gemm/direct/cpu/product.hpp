// The direct engine on the CPU: packed panels, register tiles, threads.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>

#include "matrix/product.hpp"

namespace hilo::direct {

/// Fills unit, threads, fma, tiles, depth and workspace of a DD or ZDD plan from its shape and the options.
/// Throws unsupported for an unknown options.target.
void plan_cpu(GemmPlan& plan, const GemmOptions& options);

/// Each product of a batch, as `plan` says; alpha is not 0 and k is not 0.
/// Returns how many real sums were recomputed as plain doubles. T is dd_real or dd_complex. Throws std::bad_alloc
/// before C is touched.
template <class T>
std::int64_t run_cpu(const GemmPlan& plan, const Product<T>& product);

}  // namespace hilo::direct
