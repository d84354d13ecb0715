// `hilo accuracy`: the errors of all engines against the range of the entries and the length of the sums.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace hilo::cli {

/// What the command line says, word for word.
struct AccuracyArguments {
  std::string precision = "dd", n = "64", phi = "0,0.5,1,2,3,4", k = "64,128,256,512,1024,2048,4096,8192";
  std::string seed = "1", threads = "0", plot;
  bool json = false;
};

/// Gives a subcommand its options.
void add_accuracy_options(CLI::App& command, AccuracyArguments& arguments);

/// Prints a table, row by row, or a JSON object, and draws. Ctrl-C ends the program with what is measured by then
/// printed and drawn, and exit code 130. Returns the program's exit code: 0, or 1 where an error is above its bound.
/// Throws hilo::error; std::runtime_error where gnuplot fails.
int run_accuracy(const AccuracyArguments& arguments);

}  // namespace hilo::cli
