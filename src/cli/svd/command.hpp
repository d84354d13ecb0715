// `hilo svd`: singular values and vectors of one matrix, from a file or generated, computed and written.
#pragma once

#include "cli/problem/options.hpp"

namespace hilo::cli {

/// What the command line says; files, one at most: A.
struct SvdArguments : ProblemArguments {
  std::string left, right, m;
  bool full = false, relative = false;
};

/// Gives a subcommand svd's options.
void add_svd_options(CLI::App& command, SvdArguments& arguments);

/// Computes singular values, and vectors where they are asked for. Returns the program's exit code: 0, or 1 where they
/// are not there as asked for. Throws hilo::error.
int run_svd(const SvdArguments& arguments);

}  // namespace hilo::cli
