// What results of commands on the problem of one matrix (solve, eig, svd) have alike.
#pragma once

#include <hilo/matrix.hpp>
#include <hilo/precision.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "cli/machine.hpp"

namespace hilo::cli {

struct ProblemResult {
  Precision precision;
  Layout layout;
  Run run = {};
  std::string failure = {};               ///< why what was asked for is not there; empty where it is
  std::vector<std::string> written = {};  ///< the outputs' names
};

/// Lines of a table.
inline void print_written(std::ostream& out, const ProblemResult& result) {
  for (const std::string& path : result.written) out << "written    " << path << '\n';
}

}  // namespace hilo::cli
