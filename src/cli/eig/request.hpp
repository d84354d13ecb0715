// An eigenproblem as asked for: eig's arguments with every word checked.
#pragma once

#include <hilo/eigenvalues.hpp>

#include "cli/eig/command.hpp"
#include "cli/solve/result.hpp"

namespace hilo::cli {

/// What run_eig does.
struct EigRequest : ProblemRequest {
  SystemKind kind = SystemKind::symmetric;  ///< symmetric or Hermitian
  bool by_upper = false, wants_vectors = false;
  EigenvalueOptions options = {};
};

/// Throws hilo::error (invalid_argument, parse) that names the option, its value and what was expected; unsupported for
/// what there is not.
EigRequest check_eig(const EigArguments& arguments);

}  // namespace hilo::cli
