// What `hilo svd` prints.
#pragma once

#include <hilo/singular_values.hpp>
#include <iosfwd>

#include "cli/problem/result.hpp"

namespace hilo::cli {

struct SvdResult : ProblemResult {
  std::int64_t m, n;         ///< A is m × n
  bool has_left, has_right;  ///< whether these vectors were asked for
  SingularValueOptions options;
  SingularValueReport report = {};
  double largest = 0.0, smallest = 0.0;  ///< singular values, where there are any
};

/// A table for a person.
void print_table(std::ostream& out, const SvdResult& result);

/// One JSON object with fixed keys; what was not asked for, and what is not finite, is null.
void print_json(std::ostream& out, const SvdResult& result);

}  // namespace hilo::cli
