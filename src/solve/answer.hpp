// What is told of a system, and written, wherever its matrix lies.
#pragma once

#include <cmath>
#include <hilo/solve.hpp>
#include <string>
#include <utility>

#include "blas/arguments.hpp"
#include "solve/ladder.hpp"

namespace hilo::solver {

template <class Entry>
void check_finite(const blas::Arguments& check, const char* name, std::int64_t rows, std::int64_t columns,
                  Entry entry) {
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) {
      const double size = size_of(entry(i, j));
      if (size - size == 0.0) continue;
      check.reject(errc::invalid_argument,
                   std::string(name) + "(" + std::to_string(i) + ", " + std::to_string(j) + ") is not finite");
    }
  }
}

inline SolveReport nothing_to_solve(const SolveOptions& options) {
  SolveReport report;
  report.is_solved = true;
  report.accuracy = options.accuracy;
  report.error_estimate = 0.0;
  if (options.certify) report.is_certified = true, report.error_bound = 0.0;
  return report;
}

/// X, or, where one of its entries overflows, a report that says so. Nothing takes memory once X is written.
template <class T, class System>
SolveReport written(const System& system, SolveReport report, const MatrixView<T>& x) {
  const auto for_all = [&x](auto f) {
    for (std::int64_t j = 0; j < x.columns; ++j) {
      for (std::int64_t i = 0; i < x.rows; ++i) f(i, j);
    }
  };
  SolveReport refused;
  for_all([&](std::int64_t i, std::int64_t j) {
    const double size = size_of(rounded_to<T>(system.solution(i, j)));
    if (size - size == 0.0 || !refused.reason.empty()) return;
    refused.path = report.path;
    refused.condition = report.condition;
    refused.growth = report.growth;
    refused.reason = "X(" + std::to_string(i) + ", " + std::to_string(j) + ") overflows";
  });
  if (!refused.reason.empty()) return refused;
  for_all([&](std::int64_t i, std::int64_t j) { x(i, j) = rounded_to<T>(system.solution(i, j)); });
  return report;
}

template <class T, class System>
SolveReport climb(System& system, const SolveOptions& options) {
  SolveReport report = Ladder(system, options).climb();
  // X is rounded once more, unless it is 0.
  if (!double_double<T> && report.error_estimate > 0.0)
    report.error_estimate += std::ldexp(1.0, precisions::error_unit(precision_of<T>));
  return report;
}

}  // namespace hilo::solver
