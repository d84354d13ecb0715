// Structs that the host passes to kernels, by the text that kernels read.
#pragma once

#include "opencl/bindings.hpp"

#define HILO_LONG cl_long
#define HILO_INT cl_int

namespace hilo::opencl {

#include "../../kernels/number/arguments.clh"
#include "../../kernels/number/factors.clh"
#include "../../kernels/spectral/pairs.clh"

// As OpenCL C lays them out.
static_assert(sizeof(matrix_view) == 32 && sizeof(batch_view) == 32);
static_assert(sizeof(shape) == 128 && alignof(shape) == 8);
static_assert(sizeof(finish_arguments) == 144 && sizeof(small_arguments) == 120);
static_assert(sizeof(batch_operand) == 56 && sizeof(batch_arguments) == 168);
static_assert(sizeof(result_scale) == 8);
static_assert(sizeof(residue_arguments) == 112 && sizeof(rebuild_arguments) == 72);
static_assert(sizeof(initialise_arguments) == 12 && sizeof(scan_arguments) == 104 && sizeof(uneven_arguments) == 96);
static_assert(sizeof(balance_arguments) == 32 && sizeof(bit_arguments) == 48 && sizeof(term_arguments) == 20);
static_assert(sizeof(mask_arguments) == 28 && sizeof(count_arguments) == 76 && sizeof(list_arguments) == 28);
static_assert(sizeof(square_arguments) == 24 && sizeof(magnitude_arguments) == 48);
static_assert(sizeof(plain_arguments) == 112 && sizeof(combine_arguments) == 40);
static_assert(sizeof(byte_product_arguments) == 56 && sizeof(stair_arguments) == 12 && sizeof(wanted_arguments) == 8);
static_assert(sizeof(sum_test_arguments) == 16);
static_assert(sizeof(step_arguments) == 12 && sizeof(block_sum_arguments) == 16);
static_assert(sizeof(copy_arguments) == 88 && sizeof(triangle_arguments) == 104 && sizeof(panel_arguments) == 64);
static_assert(sizeof(move_arguments) == 56 && sizeof(turn_arguments) == 48);
static_assert(sizeof(block_arguments) == 40 && sizeof(open_arguments) == 112);
static_assert(sizeof(vector_view) == 16 && sizeof(vector_arguments) == 48);
static_assert(sizeof(sum_arguments) == 48);
static_assert(sizeof(qr_arguments) == 104);
static_assert(sizeof(row_arguments) == 96 && sizeof(solve_arguments) == 64 && sizeof(update_arguments) == 104);
static_assert(sizeof(largest_arguments) == 72 && sizeof(take_arguments) == 48 && sizeof(residual_arguments) == 32);
static_assert(sizeof(block_product_arguments) == 64);
static_assert(sizeof(factors) == 64);
static_assert(sizeof(pair_arguments) == 56 && sizeof(cluster_member) == 40 && sizeof(side_arguments) == 64);

}  // namespace hilo::opencl

#undef HILO_LONG
#undef HILO_INT
