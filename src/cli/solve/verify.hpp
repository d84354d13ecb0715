// A system's solution held against MPFR.
#pragma once

#include "cli/progress.hpp"
#include "cli/solve/result.hpp"
#include "cli/words.hpp"
#include "data/matrix.hpp"

namespace hilo::cli {

/// What solve promises of a solution's residual and of each entry's error. Double-double numbers that are rounded once
/// to fewer bits then have an error of one unit, and hardly more.
template <class T>
constexpr double promised_u2 = double_double<T> ? 4.0 : 1.001;

/// Throws hilo::error (unsupported) for least squares, A m × n, that are too large for the errors of entries, of which
/// all is known by them.
void check_verifiable(Verify verify, SystemKind kind, std::int64_t m, std::int64_t n);

/// What --verify asks for of A · x = b: what solve promises of a solution that it reports so. Errors of entries, which
/// take n³ operations in many bits, (m + n)³ of least squares, only for up to 256 rows, or where all is asked for.
/// Throws as hilo::accuracy does; unsupported in a build without it.
template <class T>
SolveVerification verify_solution(Verify verify, SystemKind kind, const data::Matrix<T>& a, const data::Matrix<T>& b,
                                  const data::Matrix<T>& x, const SolveReport& report, Progress& progress);

}  // namespace hilo::cli
