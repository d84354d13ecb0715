// `hilo solve`: one system, from files or generated, solved, verified, written.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace hilo::cli {

/// What the command line says, word for word; empty where it says nothing and there is no default.
struct SolveArguments {
  std::vector<std::string> files;
  std::string output;
  std::string m, n, nrhs, init, seed;
  std::string precision = "dd", layout = "column", accuracy = "full", factors = "auto";
  std::string engine = "auto", fma = "auto", backend = "cpu", threads = "0", verify;
  bool positive = false, symmetric = false, hermitian = false, least_squares = false;
  bool certify = false, json = false;
};

/// Gives a subcommand solve's options.
void add_solve_options(CLI::App& command, SolveArguments& arguments);

/// Solves the system. Returns the program's exit code: 0, or 1 where it was not solved as asked for or the verification
/// failed. Throws hilo::error.
int run_solve(const SolveArguments& arguments);

}  // namespace hilo::cli
