#include "cli/model/command.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <optional>

#include "cli/model/request.hpp"
#include "cli/model/result.hpp"
#include "cli/model/sweep.hpp"
#include "cli/option.hpp"
#include "cli/plot.hpp"
#include "cli/progress.hpp"

namespace hilo::cli {
namespace {

// Nothing but what prints them.
void list_devices(const CLI::App& command, bool as_json) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() > 0 && name != "--list" && name != "--json") {
      reject("--list tells all devices that are described; " + name + " has no effect");
    }
  }
  as_json ? print_devices_json(std::cout) : print_devices_table(std::cout);
}

// "cpu", "gpu", "c1060", …
std::vector<std::string> names_of_devices() {
  std::vector<std::string> names = {"cpu", "gpu"};
  for (const model::Device& d : model::shipped_devices()) names.push_back(d.key);
  return names;
}

}  // namespace

void add_model_options(CLI::App& command, ModelArguments& a) {
  command.add_option("--device-file", a.device_file, "A device that a file describes")->type_name("FILE.json");
  command.add_flag("--list", a.list, "The devices that the library describes");
  add_place_options(command, a.place);
  takes_word(command.get_option("--device"), names_of_devices(), "",
             ": the first OpenCL device of that type, or a described one (--list)");
  takes_list(command.add_option("--routine", a.routines), names_of(model_routines()), "Of ", " (default: gemm)");
  takes_list(command.add_option("--precision", a.precisions), precision_words(), "Of ", " (default: all)");
  takes_list(command.add_option("--engine", a.engines), {"direct", "modular"}, "Of ", " (default: both)");
  takes_word(command.add_option("--accuracy", a.accuracy), {"classic", "fast"}, "", " (default: classic)");
  command
      .add_option("--sizes", a.sizes,
                  "n, or FROM:TO:STEP, of n x n x n products (default: 256,512,1024,2048 at hand, else "
                  "1024,2048,4096,8192)")
      ->type_name("LIST");
  command.add_option("--threads", a.threads, "CPU threads (default: 0, OpenMP's)")->type_name("NUMBER");
  command.add_flag("--blocking", a.blocks, "What registers, tiles and patterns of instructions allow, by three papers");
  command.add_option("--bus", a.bus, "GB/s between host and device: speeds with transfers (default: the device's own)")
      ->type_name("LIST");
  command.add_option("--gflops", a.gflops, "The kernel's speed that transfers are added to (default: as predicted)")
      ->type_name("NUMBER");
  command.add_flag("--measure", a.measure, "Time the routines on the device at hand beside what is predicted");
  command.add_option("--repeat", a.repeat, "Timed runs of each, at least (default: 3)")->type_name("NUMBER");
  command.add_option("--plot", a.plot, "Draw the roofs and kernels under them, by gnuplot")->type_name("FILE.svg");
  command.add_flag("--json", a.json, "One JSON object instead of tables");
  command.footer("Example: hilo model --measure --sizes 1024 --plot roofs.svg; hilo model --device cypress --blocking");
  reject_empty_words(command);
}

void run_model(const CLI::App& command, const ModelArguments& arguments) {
  if (arguments.list) return list_devices(command, arguments.json);
  const ModelRequest request = check_model(arguments);
  if (!arguments.plot.empty()) check_drawable(arguments.plot);
  std::optional<Queue> queue = open_queue(request.place, Profiling::on);
  ModelResult result;
  result.accuracy = request.options.accuracy;
  result.shows_blocks = arguments.blocks;
  result.plot = arguments.plot;
  {
    Progress progress(arguments.json);
    result.device = model_device(request, queue, progress);
    result.rows = model_rows(request, result.device);
    if (arguments.measure) measure_rows(request, queue, result.rows, progress);
  }
  for (const ModelRow& row : result.rows) result.has_measured |= row.measured > 0.0;
  result.transfers = transfer_rows(request, result.rows);
  const std::exception_ptr not_drawn =
      result.plot.empty()
          ? nullptr
          : try_to_draw(result.plot, "Roofs of matrix products, and what was measured under them", {roofline(result)});
  arguments.json ? print_json(std::cout, result) : print_table(std::cout, result);
  std::cout.flush();
  if (not_drawn) std::rethrow_exception(not_drawn);
}

}  // namespace hilo::cli
