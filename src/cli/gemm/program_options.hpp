// How `hilo gemm` has a device's kernels compiled, kept and loaded.
#pragma once

#include <hilo/device.hpp>
#include <hilo/gemm.hpp>
#include <iosfwd>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace hilo::cli {

/// What the command line says, word for word; empty where it says nothing.
struct ProgramWords {
  std::string flags_file, build_options, dump, load;
};

/// Gives a subcommand --flags, --build-options, --dump and --load.
void add_program_options(CLI::App& command, ProgramWords& words);

/// Throws hilo::error (invalid_argument) where one of them is given and the CPU computes, which has no programs.
void check_program_options(const ProgramWords& words, Backend backend);

/// Has the programs of new contexts made as the words say; a file is read once for all of them. Throws hilo::error that
/// names the option: invalid_argument for build options that are refused and for a file that is for another device,
/// driver, hilo or options; parse for one that is damaged; io.
void prepare_programs(const std::vector<Context>& contexts, const ProgramWords& words);

/// The option that has to do with how kernels are built, before the message of one that is not: "--load", "with
/// --build-options -g". Empty where there is none.
std::string option_of_builds(const ProgramWords& words);

/// What --dump has written.
struct Dump {
  std::string path;
  std::size_t bytes;
  DeviceInfo device;
  std::string version, build_options;
  GemmPlan plan;  ///< of the product whose programs they are
};

/// Writes all programs of a context that --dump had prepared; the file is there whole or not at all. Throws as
/// data::OutputFile does.
Dump write_programs(const Context& context, const std::string& path, const GemmPlan& plan);

/// A table for a person.
void print_table(std::ostream& out, const Dump& dump);

/// One JSON object with fixed keys; build options that were not given are null.
void print_json(std::ostream& out, const Dump& dump);

}  // namespace hilo::cli
