// What sums in double err by in proofs, whatever their order, and what covers that: docs/solve.md counts it.
#pragma once

#include <cstdint>
#include <hilo/blas.hpp>

#include "solve/precision.hpp"

namespace hilo::solver {

/// Rows and columns of a triangle's blocks, and columns that are made at a time.
inline constexpr std::int64_t proof_strip = 256;
/// Terms that a product by parts adds up at most before they are added to others.
inline constexpr std::int64_t proof_depth = 2048;

/// More than what all that underflows may add.
inline constexpr double underflow = 0x1p-1000;

/// Covers the roundings of a sum of n products that are not negative, and of what it is made of.
inline double above_sums(std::int64_t n) { return 1.0 + 8.0 * static_cast<double>(n + 16) * 0x1p-53; }

/// What a sum of n products and what is done with it errs by at most, relative to its terms: n + 1 roundings, and those
/// of words that are not leading. A complex product has two terms in each part, and the larger part √2 as much.
template <gemm_scalar F>
double unit_of_sums(std::int64_t n) {
  return (is_complex_of<F> ? 3.0 * static_cast<double>(n + 64) : static_cast<double>(n + 16)) * 0x1p-53;
}

/// The same of sums of products by parts, which are not worth it where there are few. Sums of them have as many terms
/// as there are parts and halves.
inline bool is_by_parts(std::int64_t n) { return n > proof_depth; }
template <gemm_scalar F>
double unit_of_parts(std::int64_t n) {
  return unit_of_sums<F>(is_by_parts(n) ? proof_depth + n / proof_strip : n);
}

/// What a proof's product in double-double is made by: a norm-wise bound is none entry by entry.
inline BlockedOptions for_entries(BlockedOptions options) {
  if (options.accuracy == Accuracy::normwise) options.accuracy = Accuracy::classic;
  return options;
}

}  // namespace hilo::solver
