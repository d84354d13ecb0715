// The error bound of products in S, D, C and Z.
#pragma once

#include <hilo/gemm.hpp>

namespace hilo::native {

/// The guaranteed bound of a product in S, D, C and Z summed in any order, in units of (|alpha||A||B| + |beta||C|):
/// docs/error-bounds.md, 2.8. With |x||y| >= |Re x||Re y| + |Im x||Im y|, and the same crosswise, each part of a
/// complex entry is within 2 sums of k terms, and both parts together within 2√2 k; of three real products, in
/// three_products.hpp, √10 k.
double error_bound(Precision precision, std::int64_t k, ComplexProduct complex_product);

}  // namespace hilo::native
