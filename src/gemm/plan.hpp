// Plans of matrix products.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>

#include "gemm/arguments.hpp"
#include "gemm/engine.hpp"

namespace hilo {

/// What a plan says before an engine fills in how: the problem, its accuracy, the backend, and the direct engine.
GemmPlan plan_of(Precision precision, const GemmShape& shape, std::int64_t batch, Backend backend, Accuracy accuracy);

/// Adds what one product of a batch took to the report of all: the path that says most, and of equal ones the most
/// bits; the largest bound.
void add_to_report(GemmReport& report, const GemmPlan& ran, bool is_first);

/// The guaranteed bound of a product in S, D, C and Z summed in any order, in units of (|alpha||A||B| + |beta||C|):
/// docs/error-bounds.md, 2.8. With |x||y| >= |Re x||Re y| + |Im x||Im y|, and the same crosswise, each part of a
/// complex entry is within 2 sums of k terms, and both parts together within 2√2 k; of three real products, in
/// opencl_three.hpp, √10 k.
double native_error_bound(Precision precision, std::int64_t k, ComplexProduct complex_product);

}  // namespace hilo
