// The ways to factor matrices and to solve systems that `hilo accuracy` compares over the condition.
#pragma once

#include <array>
#include <hilo/solve.hpp>
#include <optional>
#include <vector>

#include "cli/accuracy/request.hpp"

namespace hilo::cli {

/// A way to factor a matrix or to solve a system, as `hilo accuracy` compares them.
struct ConditionMethod {
  Routine asked;                               ///< by this of --routine
  const char* routine;                         ///< that runs
  std::optional<SolveAccuracy> accuracy = {};  ///< of hilo::solve
  bool in_double = false;                      ///< on the leading words of double-double numbers, for comparison
  const char *head, *title;                    ///< in a table and in a picture
  const char* colour;
};
inline constexpr std::array<ConditionMethod, 10> condition_methods = {{
    {Routine::getrf, "getrf", {}, false, "getrf", "getrf", "#0072b2"},
    {Routine::getrf, "getrf", {}, true, "double", "getrf in double", "#56b4e9"},
    {Routine::potrf, "potrf", {}, false, "potrf", "potrf", "#d55e00"},
    {Routine::potrf, "potrf", {}, true, "double", "potrf in double", "#e69f00"},
    {Routine::geqrf, "geqrf", {}, false, "geqrf", "geqrf", "#009e73"},
    {Routine::geqrf, "geqrf", {}, true, "double", "geqrf in double", "#b5bd00"},
    {Routine::solve, "solve", SolveAccuracy::full, false, "full", "solve to full accuracy", "#009e73"},
    {Routine::solve, "solve", SolveAccuracy::backward, false, "backward", "solve to backward accuracy", "#0072b2"},
    {Routine::solve, "getrs", {}, false, "getrs", "getrf and getrs", "#d55e00"},
    {Routine::solve, "getrs", {}, true, "double", "getrf and getrs in double", "#cc79a7"},
}};

/// The methods that a request compares, of factors or of solutions.
std::vector<const ConditionMethod*> methods_of(const AccuracyRequest& request, bool of_solutions);

/// How many rows there will be.
std::size_t condition_rows(const AccuracyRequest& request);

}  // namespace hilo::cli
