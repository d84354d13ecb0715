// What `hilo solve` prints.
#pragma once

#include <hilo/solve.hpp>
#include <iosfwd>
#include <optional>
#include <string_view>

#include "cli/problem/result.hpp"

namespace hilo::cli {

/// Errors against MPFR, in u² = 2^-106 for DD and ZDD, 2^-53 for D and Z, 2^-24 for S and C.
struct SolveVerification {
  bool verified;
  std::optional<double> backward_error_u2;  ///< of what is not of least squares
  /// Against an elimination in many bits, if there was one.
  struct Errors {
    bool is_singular;  ///< found so by the elimination
    double largest_u2, largest_of_entry_u2;
    std::optional<std::int64_t> bounds_violated;  ///< where there are proved bounds
  };
  std::optional<Errors> errors;
};

/// What A is taken for, and what x is.
enum class SystemKind : std::uint8_t { general, positive, symmetric, hermitian, least_squares };

/// "positive definite", and so on.
std::string_view name(SystemKind kind);

struct SolveResult : ProblemResult {
  SystemKind kind;
  std::int64_t m, n, nrhs;  ///< A is m × n
  SolveOptions options;
  SolveReport report = {};
  std::optional<SolveVerification> verification = {};
};

/// A table for a person.
void print_table(std::ostream& out, const SolveResult& result);

/// One JSON object with fixed keys; what was not asked for, and what is not finite, is null.
void print_json(std::ostream& out, const SolveResult& result);

}  // namespace hilo::cli
