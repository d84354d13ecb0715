// What `hilo eig` prints.
#pragma once

#include <hilo/eigenvalues.hpp>
#include <iosfwd>

#include "cli/problem/result.hpp"
#include "cli/solve/result.hpp"

namespace hilo::cli {

struct EigResult : ProblemResult {
  SystemKind kind;  ///< symmetric or Hermitian
  std::int64_t n;
  bool has_vectors;  ///< whether eigenvectors were asked for
  EigenvalueOptions options;
  EigenvalueReport report = {};
  double smallest = 0.0, largest = 0.0;  ///< eigenvalues, where there are any
};

/// A table for a person.
void print_table(std::ostream& out, const EigResult& result);

/// One JSON object with fixed keys; what was not asked for, and what is not finite, is null.
void print_json(std::ostream& out, const EigResult& result);

}  // namespace hilo::cli
