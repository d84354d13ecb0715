// `hilo tune`: finds the fastest tiles of an OpenCL device, or measures the CPU's rates, and keeps them for the
// library.
#pragma once

#include <string>

#include "cli/place.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace hilo::cli {

/// What the command line says, word for word; empty where it says nothing and there is no default.
struct TuneArguments {
  PlaceWords place = {"opencl", "", "", ""};
  std::string precisions, transposes, sizes, seconds = "300";
  bool json = false;
};

/// Gives a subcommand its options.
void add_tune_options(CLI::App& command, TuneArguments& arguments);

/// Prints a table or a JSON object. Returns an exit code: 1 where no tile gave right products for some key. Throws
/// hilo::error: no_device, io, invalid_argument, unsupported, device_failure, out_of_memory.
int run_tune(const TuneArguments& arguments);

}  // namespace hilo::cli
