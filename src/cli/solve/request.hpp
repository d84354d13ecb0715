// A system as asked for: solve's arguments with every word checked.
#pragma once

#include <hilo/solve.hpp>

#include "cli/solve/command.hpp"
#include "cli/solve/result.hpp"

namespace hilo::cli {

/// What run_solve does.
struct SolveRequest : ProblemRequest {
  SystemKind kind = SystemKind::general;
  SolveOptions options = {};
  Verify verify = Verify::none;
  std::int64_t m = 0, nrhs = 1;  ///< of generated matrices: A is m × n
  /// Where it is solved over the ranks of an MPI job.
  std::optional<RanksRequest> ranks = {};
};

/// Throws hilo::error (invalid_argument, parse) that names the option, its value and what was expected; unsupported for
/// what there is not, in this build or at all.
SolveRequest check_solve(const SolveArguments& arguments);

}  // namespace hilo::cli
