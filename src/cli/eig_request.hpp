// An eigenproblem as asked for: eig's arguments with every word checked.
#pragma once

#include <hilo/eigenvalues.hpp>

#include "cli/eig_command.hpp"
#include "cli/solve_result.hpp"
#include "cli/words.hpp"

namespace hilo::cli {

/// What run_eig does.
struct EigRequest {
  Precision precision;
  Layout layout;
  SystemKind kind;  ///< symmetric or Hermitian
  bool by_upper, wants_vectors;
  EigenvalueOptions options;
  data::Generator generator;
  std::uint64_t seed = 1;
  std::int64_t n = 0;  ///< of a generated matrix
};

/// Throws hilo::error (invalid_argument, parse) that names the option, its value and what was expected; unsupported for
/// what there is not.
EigRequest check_eig(const EigArguments& arguments);

}  // namespace hilo::cli
