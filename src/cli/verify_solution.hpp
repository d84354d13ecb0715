// A system's solution held against MPFR.
#pragma once

#include "cli/progress.hpp"
#include "cli/solve_result.hpp"
#include "cli/words.hpp"
#include "data/matrix.hpp"

namespace hilo::cli {

/// What --verify asks for of A · x = b: what solve promises of a solution that it reports so. Errors of entries, which
/// take n³ operations in many bits, only for up to 256 rows, or where all is asked for. Throws as hilo::accuracy does;
/// unsupported in a build without it.
template <class T>
SolveVerification verify_solution(Verify verify, const data::Matrix<T>& a, const data::Matrix<T>& b,
                                  const data::Matrix<T>& x, const SolveReport& report, Progress& progress);

}  // namespace hilo::cli
