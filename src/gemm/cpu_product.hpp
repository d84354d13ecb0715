// Products on the CPU: the plan, its execution, its report.
#pragma once

#include <hilo/gemm.hpp>
#include <variant>

#include "gemm/direct/cpu/plan.hpp"
#include "gemm/modular/cpu/plan.hpp"
#include "matrix/arguments.hpp"
#include "matrix/product.hpp"

namespace hilo {

/// All that is decided before a product runs, once, for any product of the shape.
struct CpuPlan {
  struct Native {};  ///< S, D, C and Z by native/cblas.hpp

  GemmPlan told;
  std::variant<Native, direct::CpuPlan, modular::CpuPlan> engine = {};
};

/// Throws unsupported for engines and accuracies that the precision does not have, invalid_argument for a workspace
/// that is too small.
template <class T>
CpuPlan plan_product(const GemmShape& shape, std::int64_t batch, const GemmOptions& options);

/// One product or a batch; m, n, batch >= 1. `report`, which has the plan, gets what ran. Throws std::bad_alloc before
/// C is touched, and unsupported where an accuracy cannot be met.
template <class T>
void execute(const CpuPlan& plan, const Product<T>& product, GemmReport& report);

}  // namespace hilo
