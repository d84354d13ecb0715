// `hilo eig`: eigenvalues and eigenvectors of one matrix, from a file or generated, computed and written.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace hilo::cli {

/// What the command line says, word for word; empty where it says nothing and there is no default.
struct EigArguments {
  std::vector<std::string> files;
  std::string output, vectors;
  std::string n, init, seed;
  std::string precision = "dd", layout = "column";
  std::string engine = "auto", fma = "auto", backend = "cpu", threads = "0";
  bool hermitian = false, upper = false, certify = false, json = false;
};

/// Gives a subcommand eig's options.
void add_eig_options(CLI::App& command, EigArguments& arguments);

/// Computes eigenvalues, and eigenvectors where they are asked for. Returns the program's exit code: 0, or 1 where they
/// are not there as asked for. Throws hilo::error.
int run_eig(const EigArguments& arguments);

}  // namespace hilo::cli
