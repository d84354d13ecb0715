// A singular value decomposition as asked for: svd's arguments with every word checked.
#pragma once

#include <hilo/singular_values.hpp>

#include "cli/svd/command.hpp"

namespace hilo::cli {

/// What run_svd does.
struct SvdRequest : ProblemRequest {
  bool wants_left = false, wants_right = false;
  bool is_full = false;  ///< vectors are columns of whole unitary matrices
  SingularValueOptions options = {};
  std::int64_t m = 0;  ///< rows of a generated matrix
};

/// Throws hilo::error (invalid_argument, parse) that names the option, its value and what was expected; unsupported for
/// what there is not.
SvdRequest check_svd(const SvdArguments& arguments);

}  // namespace hilo::cli
