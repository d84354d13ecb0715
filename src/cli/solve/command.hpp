// `hilo solve`: one system, from files or generated, solved, verified, written.
#pragma once

#include "cli/problem/options.hpp"
#include "cli/ranks/options.hpp"

namespace hilo::cli {

/// What the command line says; files: A and b.
struct SolveArguments : ProblemArguments {
  std::string m, nrhs, verify;
  std::string accuracy = "full", factors = "auto";
  RanksWords ranks;
  bool positive = false, symmetric = false, hermitian = false, least_squares = false;
};

/// Gives a subcommand solve's options.
void add_solve_options(CLI::App& command, SolveArguments& arguments);

/// Solves the system. Returns the program's exit code: 0, or 1 where it was not solved as asked for or the verification
/// failed. Throws hilo::error.
int run_solve(const SolveArguments& arguments);

}  // namespace hilo::cli
