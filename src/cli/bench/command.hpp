// `hilo bench`: the speed of products over their sizes.
#pragma once

#include "cli/bench/request.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace hilo::cli {

/// Gives a subcommand its options.
void add_bench_options(CLI::App& command, BenchArguments& arguments);

/// Prints a table, size by size, or a JSON object, and draws. Ctrl-C ends the program with what is measured by then
/// printed and drawn, and exit code 130. Or compares two such objects. Returns the program's exit code: 0, or 1 where
/// something is slower than --fail-on-slower allows. Throws hilo::error; std::runtime_error where gnuplot or the
/// reference fails.
int run_bench(const BenchArguments& arguments);

}  // namespace hilo::cli
