#include "cli/bench/command.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <sstream>

#include "cli/bench/compare.hpp"
#include "cli/bench/plot.hpp"
#include "cli/bench/table.hpp"
#include "cli/csv.hpp"
#include "cli/measurement.hpp"
#include "cli/option.hpp"
#include "cli/plot.hpp"

namespace hilo::cli {
namespace {

// What describes one product may be a list.
void takes_several(CLI::App& command) {
  struct Words {
    const char *option, *before, *after;
  };
  for (const Words& list : {Words{"--precision", "Of ", " (default: dd)"},
                            {"--transa", "op(A): of ", " (default: N)"},
                            {"--transb", "op(B): of ", " (default: N)"},
                            {"--backend", "Of ", " (default: cpu, or opencl with a device)"}}) {
    CLI::Option* option = command.get_option(list.option);
    takes_list(option, value_of(*option).words, list.before, list.after);
  }
  for (const auto& [option, what] : {std::pair{"--threads", "Numbers of CPU threads (default: 0, all)"},
                                     {"-d", "OpenCL devices of that platform, counted from 0"}}) {
    command.get_option(option)->description(what)->type_name("LIST");
  }
}

}  // namespace

void add_bench_options(CLI::App& command, BenchArguments& a) {
  takes_list(command.add_option("--routine", a.routines), names_of(bench_routines()), "Of ",
             " (default: gemm); a batch is of products");
  command.add_option("--batch", a.batch, "How many products a batch has (default: " + a.batch + ")")
      ->type_name("NUMBER");
  takes_list(command.add_option("--engine", a.engines), engine_words(), "Of ",
             " (default: direct,modular; of routines on top of products auto)");
  command
      .add_option("--sizes", a.sizes,
                  std::string("n, or FROM:TO:STEP, of n x n matrices (default: as many of ") + default_bench_sizes +
                      " as take a minute)")
      ->type_name("LIST");
  command
      .add_option("--shapes", a.shapes,
                  "m,n,k or mxnxk, apart by spaces, as 512,512,64 4096x64x4096; m,n of factorisations, n,k of syrk, "
                  "n,nrhs of solve")
      ->type_name("LIST");
  add_product_options(command, a.product);
  takes_several(command);
  command.get_option("--repeat")->description("Timed runs, at least (default: " + a.product.repeat + ")");
  command
      .add_option("--min-time", a.min_time,
                  "Seconds of runs of each, at least: a device that was idle needs a while to reach its clock "
                  "(default: " +
                      a.min_time + ")")
      ->type_name("SECONDS");
  command.add_flag("--ceiling", a.has_ceilings, "Measure what each can at best come to, too: the percentage of it");
  command.add_option("--reference", a.reference, "Run COMMAND n between the products: another library's speed")
      ->type_name("COMMAND");
  command
      .add_option("--reference-time", a.reference_seconds,
                  "The most seconds that COMMAND may take for one n (default: " + a.reference_seconds + ")")
      ->type_name("SECONDS");
  command.add_option("--plot", a.plot, "Draw the speeds over n, by gnuplot")->type_name("FILE.svg");
  add_csv_option(command, a.csv);
  CLI::Option* compare = command
                             .add_option("--compare", a.compared,
                                         "Measure nothing: tell what changed beyond noise between two files of --json")
                             ->type_name("A.json B.json")
                             ->expected(2);
  for (CLI::Option* other : command.get_options()) {
    if (other != compare && other->get_name() != "--help" && other->get_name() != "--json") compare->excludes(other);
  }
  command
      .add_option("--fail-on-slower", a.fail_on_slower,
                  "Exit code 1 where something takes PERCENT longer, beyond noise")
      ->type_name("PERCENT")
      ->needs(compare);
  command.footer("Example: hilo bench --routine gemm,getrf --sizes 500,1000 --plot speed.svg");
  reject_empty_words(command);
}

namespace {

// Draws, writes and prints what is measured.
void finish(BenchResult& result, Output output, BenchTable& table) {
  const std::vector<BenchSize>& sizes = result.findings.sizes;
  if (sizes.empty() || sizes.front().rows.empty()) result.plot.clear();
  const std::exception_ptr not_drawn =
      result.plot.empty() ? nullptr : try_to_draw(result.plot, title(result), {panel(result)});
  if (!result.csv.empty()) {
    std::ostringstream text;
    print_csv(text, result);
    write_csv(result.csv, text.str());
  }
  if (output == Output::table) table.print_end(result);
  if (output == Output::json) print_json(std::cout, result);
  if (output == Output::csv) print_csv(std::cout, result);
  std::cout.flush();
  if (not_drawn) std::rethrow_exception(not_drawn);
}

}  // namespace

int run_bench(const BenchArguments& arguments) {
  if (!arguments.compared.empty()) {
    std::optional<double> most;
    if (!arguments.fail_on_slower.empty()) most = number("--fail-on-slower", arguments.fail_on_slower);
    return compare_benches(arguments.compared, most, arguments.product.json);
  }
  Measurement measurement;
  const BenchRequest request = check_bench(arguments);
  if (!arguments.plot.empty()) check_drawable(arguments.plot);
  const CsvTarget csv = csv_target(arguments.csv, arguments.product.json, arguments.plot);
  const std::string& init = arguments.product.init;
  BenchResult result{request, init.empty() ? "uniform" : init, arguments.plot, csv.path};
  BenchTable table(std::cout);
  Progress progress(csv.output == Output::json);
  auto measure = [&] {
    bench(request, progress, [&](const BenchFindings& findings) {
      measurement.tell([&] {
        result.findings = findings;
        if (csv.output == Output::table) table.print_done(result);
      });
    });
  };
  measurement.run(progress, measure, [&](bool is_interrupted) {
    result.is_interrupted = is_interrupted;
    finish(result, csv.output, table);
  });
  return 0;
}

}  // namespace hilo::cli
