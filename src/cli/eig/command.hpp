// `hilo eig`: eigenvalues and eigenvectors of one matrix, from a file or generated, computed and written.
#pragma once

#include "cli/problem/options.hpp"

namespace hilo::cli {

/// What the command line says; files, one at most: A.
struct EigArguments : ProblemArguments {
  std::string vectors;
  bool hermitian = false, upper = false;
};

/// Gives a subcommand eig's options.
void add_eig_options(CLI::App& command, EigArguments& arguments);

/// Computes eigenvalues, and eigenvectors where they are asked for. Returns the program's exit code: 0, or 1 where they
/// are not there as asked for. Throws hilo::error.
int run_eig(const EigArguments& arguments);

}  // namespace hilo::cli
