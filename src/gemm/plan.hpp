// Plans of matrix products, but for how an engine computes them: which engine, for which problem, with which bound.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>

#include "matrix/arguments.hpp"

namespace hilo {

/// `automatic` where it is to be the one expected to be faster. Throws unsupported for engines and accuracies that the
/// precision does not have there.
Engine engine_asked_for(Precision precision, Backend backend, const GemmShape& shape, const GemmOptions& options);

/// What a plan says before an engine fills in how: the problem, its accuracy, the backend, and the direct engine.
GemmPlan plan_of(Precision precision, const GemmShape& shape, std::int64_t batch, Backend backend, Accuracy accuracy);

/// The guaranteed bound of engine direct, from the precision, k, accuracy, fma and complex_product of a plan.
double direct_error_bound(const GemmPlan& told);

/// The problem of a plan, with the least leading dimensions.
GemmShape shape_of(const GemmPlan& told);

/// Adds what one product of a batch took to the report of all: the path that says most, and of equal ones the most
/// bits; the largest bound.
void add_to_report(GemmReport& report, const GemmPlan& ran, bool is_first);

}  // namespace hilo
