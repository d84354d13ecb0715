// What `hilo svd` prints.
#pragma once

#include <hilo/singular_values.hpp>
#include <iosfwd>
#include <string>
#include <vector>

namespace hilo::cli {

struct SvdResult {
  Precision precision;
  Layout layout;
  std::int64_t m, n;         ///< A is m × n
  bool has_left, has_right;  ///< whether these vectors were asked for
  SingularValueOptions options;
  int threads;
  SingularValueReport report;
  double largest, smallest;  ///< singular values, where there are any
  std::string failure;       ///< why what was asked for is not there; empty where it is
  double seconds;
  std::vector<std::string> written;  ///< the outputs' names
};

/// A table for a person.
void print_table(std::ostream& out, const SvdResult& result);

/// One JSON object with fixed keys; what was not asked for, and what is not finite, is null.
void print_json(std::ostream& out, const SvdResult& result);

}  // namespace hilo::cli
