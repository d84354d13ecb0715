// What `hilo eig` prints.
#pragma once

#include <hilo/eigenvalues.hpp>
#include <iosfwd>
#include <string>
#include <vector>

#include "cli/solve_result.hpp"

namespace hilo::cli {

struct EigResult {
  Precision precision;
  Layout layout;
  SystemKind kind;  ///< symmetric or Hermitian
  std::int64_t n;
  bool has_vectors;  ///< whether eigenvectors were asked for
  EigenvalueOptions options;
  int threads;
  EigenvalueReport report;
  double smallest, largest;  ///< eigenvalues, where there are any
  std::string failure;       ///< why what was asked for is not there; empty where it is
  double seconds;
  std::vector<std::string> written;  ///< the outputs' names
};

/// A table for a person.
void print_table(std::ostream& out, const EigResult& result);

/// One JSON object with fixed keys; what was not asked for, and what is not finite, is null.
void print_json(std::ostream& out, const EigResult& result);

}  // namespace hilo::cli
