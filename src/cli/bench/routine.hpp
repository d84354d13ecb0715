// What `hilo bench` times and counts of a routine.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/bench/shape.hpp"
#include "cli/operands.hpp"
#include "cli/routine.hpp"

namespace hilo::cli {

/// All of them.
const std::vector<Routine>& bench_routines();

/// Products alone, which the library makes a plan of before they run.
bool is_product(Routine);

/// Whether --transa has an effect; --transb has one on products.
bool takes_left_transpose(Routine);

/// What is measured: a routine in some precision, transposes, place, threads and engine. Sizes are those of a product
/// op(A) · op(B) = C: C m × n, op(A) m × k; of syrk op(A) · op(A)ᵀ, m = n; of trsm op(A) · X = B, m = k; of solve
/// A · X = B, m = k; of factorisations A m × n, k the smaller one.
struct BenchCase : GemmRequest {
  Routine routine = Routine::gemm;
  std::int64_t count = 1;  ///< products of a batch
};

/// The case with a shape's sizes. Throws hilo::error (invalid_argument) where its routine takes others.
BenchCase of_shape(BenchCase what, const Shape& shape);

/// That count, multiplications and additions of real numbers, those of complex ones four times as many (LAPACK Working
/// Note 41, without terms of lower order): gemm 2mnk, batch `count` times that, syrk n²k, trsm m²n, getrf mn² − n³/3
/// for m >= n, potrf n³/3, geqrf 2mn² − 2n³/3 for m >= n, solve 2m³/3 + 2m²n.
double operations(const BenchCase& what);

/// What matrices it takes and gives, in memory at one time.
std::vector<MatrixSize> matrix_sizes(const BenchCase& what);

}  // namespace hilo::cli
