// `hilo bench`: the speed of the engines over the size of the matrices.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/gemm_command.hpp"

namespace hilo::cli {

/// What the command line says, word for word; empty where it says nothing and there is no default.
struct BenchArguments {
  GemmArguments product = [] {
    GemmArguments arguments;
    arguments.repeat = "5";
    return arguments;
  }();
  std::string engines, sizes, reference, reference_seconds = "600", plot;
};

/// Gives a subcommand its options.
void add_bench_options(CLI::App& command, BenchArguments& arguments);

/// Prints a table, size by size, or a JSON object, and draws. Ctrl-C ends the program with what is measured by then
/// printed and drawn, and exit code 130. Throws hilo::error; std::runtime_error where gnuplot or the reference fails.
void run_bench(const BenchArguments& arguments);

}  // namespace hilo::cli
