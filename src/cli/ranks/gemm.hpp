// `hilo gemm` over the ranks of an MPI job.
#pragma once

#include "cli/gemm/request.hpp"

namespace hilo::cli {

/// Throws hilo::error (unsupported) for what of gemm's options there is not over ranks.
void check_gemm_on_ranks(const GemmArguments& arguments, const GemmRequest& request);

/// Runs the product of a request that has `ranks`; rank 0 prints what came of it. Returns the exit code, on every rank
/// the same, and throws on every rank what one of them met.
template <class T>
int gemm_on_ranks(const GemmArguments& arguments, const GemmRequest& request, T alpha, T beta);

}  // namespace hilo::cli
