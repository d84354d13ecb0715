// `hilo accuracy`: the errors of all engines against the range of the entries and the length of the sums, and those of
// factors and solutions against the condition.
#pragma once

#include "cli/accuracy/request.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace hilo::cli {

/// Gives a subcommand its options.
void add_accuracy_options(CLI::App& command, AccuracyArguments& arguments);

/// Prints a table, row by row, or a JSON object or comma-separated values, draws and writes. Ctrl-C ends the program
/// with what is measured by then printed, drawn and written, and exit code 130. Returns the program's exit code: 0, or
/// 1 where an error is above its bound. Throws hilo::error; std::runtime_error where gnuplot or the reference fails.
int run_accuracy(const AccuracyArguments& arguments);

}  // namespace hilo::cli
