// `hilo model`: bounds of the speed of products on a device, described or at hand, and what they are measured to be.
#pragma once

#include <string>

#include "cli/place.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace hilo::cli {

/// What the command line says, word for word; empty where it says nothing.
struct ModelArguments {
  std::string device_file;
  PlaceWords place;  ///< whose type may be the name of a described device instead
  std::string routines, precisions, engines, accuracy = "classic", sizes, threads;
  std::string bus, gflops, repeat, plot;
  bool list = false, blocks = false, measure = false, json = false;
};

/// Gives a subcommand model's options.
void add_model_options(CLI::App& command, ModelArguments& arguments);

/// Prints and draws bounds; `command` is what add_model_options was given. Throws hilo::error.
void run_model(const CLI::App& command, const ModelArguments& arguments);

}  // namespace hilo::cli
