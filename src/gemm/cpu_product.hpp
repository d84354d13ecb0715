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
CpuPlan plan_product(const GemmShape& shape, std::int64_t batch, const GemmOptions& options,
                     SmallWorkspace small = SmallWorkspace::refused);

/// Throws unsupported where this CPU or build has not the instruction set or the library that products may be asked
/// for.
void check_cpu_kernels(Precision precision, const GemmOptions& options);

/// plan_product, with SmallWorkspace::raised, of a product inside a factorisation, which needs errors only in
/// proportion to the largest entries of rows and columns: in DD and ZDD, where options leave the engine open and do not
/// ask for more than that, the engine follows from the shape alone, and from whether it is for execute_triangle.
template <class T>
CpuPlan plan_inner_product(const GemmShape& shape, const GemmOptions& options, bool is_triangle = false);

/// One product or a batch; m, n, batch >= 1. `report`, which has the plan, gets what ran. Throws std::bad_alloc before
/// C is touched, and unsupported where an accuracy cannot be met.
template <class T>
void execute(const CpuPlan& plan, const Product<T>& product, GemmReport& report);

/// One product in DD or ZDD of which only a triangle is wanted; m, n, k >= 1, alpha not 0. False, and nothing written,
/// where the plan's engine takes none of it: a few entries, an FMA that the CPU lacks, or what the modular engine gives
/// up.
template <class T>
bool execute_triangle(const CpuPlan& plan, const Product<T>& product);

}  // namespace hilo
