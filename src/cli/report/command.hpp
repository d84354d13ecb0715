// `hilo report`: one page of this machine, its speed and accuracy, and the model beside what is measured.
#pragma once

#include <string>

#include "cli/place.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace hilo::cli {

/// What the command line says, word for word; empty where it says nothing.
struct ReportArguments {
  std::string file, sizes, orders, parts, threads, title;
  PlaceWords place;
  bool json = false;
};

/// Gives a subcommand report's options.
void add_report_options(CLI::App& command, ReportArguments& arguments);

/// Measures by the other commands of this program, one after the other, and writes the page, complete or not at all.
/// Returns 0, or 4 where one of them failed, which the page and a line on standard error say. An interrupt ends the
/// program with a page of what was done by then, and exit code 130. Throws hilo::error.
int run_report(const ReportArguments& arguments);

}  // namespace hilo::cli
