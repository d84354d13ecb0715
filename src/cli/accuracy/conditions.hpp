// Errors of factors and of solutions of one order over the condition of the matrix.
#pragma once

#include <functional>
#include <hilo/solve.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/accuracy/condition_methods.hpp"
#include "cli/progress.hpp"

namespace hilo::cli {

/// What one method made of one matrix.
struct ConditionFinding {
  const ConditionMethod* method;
  std::string failure = {};  ///< why there are no factors, or no solution; empty where there are
  /// LAPACK's ratios: of factors, and of Q's columns, which only geqrf has.
  double residual_ratio = 0.0, orthogonality_ratio = 0.0;
  /// Of solutions, as hilo::accuracy has them.
  double max_error_u2 = 0.0, max_entry_error_u2 = 0.0, backward_error_u2 = 0.0;
  SolvePath path = SolvePath::none;             ///< of hilo::solve
  std::optional<SolveAccuracy> delivered = {};  ///< the same
  bool holds = true;                            ///< whether the errors are within what is promised of the method

  bool is_of_solution() const { return method->asked == Routine::solve; }
};

struct ConditionRow {
  bool is_of_solutions;
  double condition;
  std::vector<ConditionFinding> findings;  ///< by methods_of()
};

/// Factors for all conditions, then solutions, against MPFR; `append` takes each row. Throws hilo::error.
void sweep_conditions(const AccuracyRequest& request, Progress& progress,
                      const std::function<void(ConditionRow)>& append);

}  // namespace hilo::cli
