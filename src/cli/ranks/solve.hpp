// `hilo solve` over the ranks of an MPI job.
#pragma once

#include "cli/solve/request.hpp"

namespace hilo::cli {

/// Throws hilo::error (unsupported) for what of solve's options there is not over ranks.
void check_solve_on_ranks(const SolveArguments& arguments, const SolveRequest& request);

/// Solves the system of a request that has `ranks`; rank 0 prints what came of it. Returns the exit code, on every rank
/// the same, and throws on every rank what one of them met.
template <class T>
int solve_on_ranks(const SolveArguments& arguments, const SolveRequest& request);

}  // namespace hilo::cli
