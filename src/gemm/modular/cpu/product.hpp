// The modular engine on the CPU.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>

#include "gemm/modular/moduli.hpp"
#include "gemm/modular/outcome.hpp"
#include "matrix/product.hpp"

namespace hilo::modular {

/// Fills a D, Z, DD or ZDD plan from its shape and the options, as for entries whose exponents do not spread. Throws
/// unsupported for an unknown options.target or a library that is not there, invalid_argument for a workspace that is
/// too small.
void plan_cpu(GemmPlan& plan, const GemmOptions& options);

/// One product of the plan's batch; alpha is not 0, m, n and k are not 0. Where the
/// entries take more than `most_moduli` moduli, and the accuracy is one the direct engine has, that is the path. Throws
/// before C is touched: unsupported where the accuracy cannot be met, std::bad_alloc.
template <class T>
Outcome run_cpu(const GemmPlan& plan, const GemmOptions& options, int most_moduli, const Product<T>& product);

}  // namespace hilo::modular
