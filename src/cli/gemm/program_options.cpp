#include "cli/gemm/program_options.hpp"

#include <CLI/CLI.hpp>
#include <hilo/programs.hpp>
#include <sstream>

#include "cli/json.hpp"
#include "cli/option.hpp"
#include "cli/text.hpp"
#include "data/file.hpp"

namespace hilo::cli {
namespace {

std::string text_of(const GemmPlan& plan) {
  std::ostringstream text;
  text << plan;
  std::string line;
  std::istringstream words(text.str());
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

std::string product_of(const GemmPlan& p) {
  return std::string(name(p.precision)) + "gemm " + std::string(name(p.opa)) + std::string(name(p.opb)) + ", " +
         std::to_string(p.m) + " x " + std::to_string(p.n) + " x " + std::to_string(p.k) + ", " +
         std::string(name(p.layout)) + " layout, engine " + std::string(name(p.engine));
}

}  // namespace

void add_program_options(CLI::App& command, ProgramWords& words) {
  command.add_option("--flags", words.flags_file, "A file of OpenCL build options for the kernels")
      ->type_name("FILE.txt");
  command.add_option("--build-options", words.build_options, "OpenCL build options for the kernels")
      ->type_name("OPTIONS");
  command.add_option("--dump", words.dump, "Write the product's compiled kernels to a file, and stop")
      ->type_name("FILE.bin");
  command.add_option("--load", words.load, "Take all kernels from a file of --dump, and compile none")
      ->type_name("FILE.bin");
}

void check_program_options(const ProgramWords& words, Backend backend) {
  if (backend == Backend::opencl) return;
  for (const auto& [option, value] : {std::pair{"--flags ", words.flags_file},
                                      {"--build-options ", words.build_options},
                                      {"--dump ", words.dump},
                                      {"--load ", words.load}}) {
    if (value.empty()) continue;
    reject(option + shown(value) + " has no effect: it is for kernels on a device, and --backend is cpu");
  }
}

void prepare_programs(const std::vector<Context>& contexts, const ProgramWords& words) {
  const auto set_options = [&](const std::string& option, const std::string& options) {
    named(option, [&] {
      for (const Context& context : contexts) set_build_options(context, options);
    });
  };
  std::string options;
  if (!words.flags_file.empty()) {
    named("--flags", [&] { options = data::read_file(words.flags_file); });
    set_options("--flags " + words.flags_file, options);
  }
  if (!words.build_options.empty()) set_options("--build-options", options + ' ' + words.build_options);
  if (!words.dump.empty()) {
    named("--dump", [&] { data::check_target(words.dump); });
    for (const Context& context : contexts) keep_programs(context);
  }
  if (!words.load.empty()) {
    named("--load", [&] {
      const std::string bytes = data::read_file(words.load);
      for (const Context& context : contexts) use_programs(context, bytes, words.load);
    });
  }
}

std::string option_of_builds(const ProgramWords& words) {
  if (!words.load.empty()) return "--load";
  std::string options;
  if (!words.flags_file.empty()) options = " --flags " + words.flags_file;
  if (!words.build_options.empty()) {
    options += std::string(options.empty() ? "" : " and") + " --build-options " + words.build_options;
  }
  return options.empty() ? "" : "with" + options;
}

Dump write_programs(const Context& context, const std::string& path, const GemmPlan& plan) {
  const std::string bytes = kept_programs(context, product_of(plan));
  named("--dump", [&] {
    data::OutputFile file(path);
    file.write(bytes);
    file.commit();
  });
  return {path, bytes.size(), context.device(), HILO_VERSION, build_options(context), plan};
}

void print_table(std::ostream& out, const Dump& dump) {
  out << wrapped("kernels    ", 11, "of " + product_of(dump.plan))
      << wrapped("           ", 11,
                 "for " + dump.device.name + ", driver " + dump.device.driver + ", hilo " + dump.version);
  if (!dump.build_options.empty()) out << wrapped("options    ", 11, dump.build_options);
  out << "written    " << dump.path << "\n           " << dump.bytes << " bytes\n";
}

void print_json(std::ostream& out, const Dump& dump) {
  nlohmann::ordered_json j;
  j["file"] = dump.path;
  j["bytes"] = dump.bytes;
  j["device"] = dump.device.name;
  j["driver"] = dump.device.driver;
  j["version"] = dump.version;
  add_nulls(j, {"build_options"});
  if (!dump.build_options.empty()) j["build_options"] = dump.build_options;
  j["plan"] = text_of(dump.plan);
  print_object(out, j);
}

}  // namespace hilo::cli
