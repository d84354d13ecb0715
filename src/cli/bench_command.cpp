#include "cli/bench_command.hpp"

#include <algorithm>
#include <iostream>

#include "cli/bench_result.hpp"
#include "cli/measurement.hpp"
#include "cli/option.hpp"
#include "cli/plot.hpp"

namespace hilo::cli {
namespace {

constexpr const char* default_sizes = "256,512,1024,2048,4096,8192";
constexpr double default_seconds = 60.0;
constexpr double seconds_of_runs = 0.2;  // a device that was idle does not reach its clock in one short run

BenchRequest check(const BenchArguments& arguments) {
  BenchRequest r{{}, arguments.engines.empty(), {}, {}, {}};
  if (arguments.sizes.empty()) r.seconds = default_seconds;
  r.sizes = read_sizes(arguments.sizes.empty() ? default_sizes : arguments.sizes);
  std::vector<std::string> engines = list(r.chooses_engines ? "direct,modular" : arguments.engines);
  for (const std::string& engine : engines) {
    if (std::count(engines.begin(), engines.end(), engine) > 1)
      reject("--engine " + shown(engine) + " is asked for twice");
    GemmArguments product = arguments.product;
    product.engine = engine;
    product.n = std::to_string(r.sizes.front());
    r.products.push_back(check_gemm(product));
    r.products.back().least_seconds = seconds_of_runs;
  }
  check_effects(arguments.product, r.products);
  const std::chrono::seconds limit(integer<int>("--reference-time", arguments.reference_seconds, 1));
  if (!arguments.reference.empty()) r.reference.emplace(arguments.reference, limit);
  return r;
}

}  // namespace

void add_bench_options(CLI::App& command, BenchArguments& a) {
  command.add_option("--engine", a.engines, "Of auto, direct, modular, reproducible (default: direct,modular)")
      ->type_name("LIST");
  command
      .add_option("--sizes", a.sizes,
                  std::string("n, or FROM:TO:STEP, of n x n x n products (default: as many of ") + default_sizes +
                      " as take a minute)")
      ->type_name("LIST");
  add_product_options(command, a.product);
  command.add_option("--reference", a.reference, "Run COMMAND n between the products: another library's speed")
      ->type_name("COMMAND");
  command
      .add_option("--reference-time", a.reference_seconds,
                  "The most seconds that COMMAND may take for one n (default: " + a.reference_seconds + ")")
      ->type_name("SECONDS");
  command.add_option("--plot", a.plot, "Draw the speeds over n, by gnuplot")->type_name("FILE.svg");
  reject_empty_words(command);
}

namespace {

// Draws and prints what is measured.
void finish(BenchResult& result, BenchTable* table) {
  const std::vector<BenchSize>& sizes = result.findings.sizes;
  if (sizes.empty() || sizes.front().products.empty()) {
    result.plot.clear();
  } else if (!result.plot.empty()) {
    draw(result.plot, title(result), {panel(result)});
  }
  if (table) {
    table->print_end(result);
  } else {
    print_json(std::cout, result);
  }
  std::cout.flush();
}

}  // namespace

void run_bench(const BenchArguments& arguments) {
  Measurement measurement;
  BenchRequest request = check(arguments);
  if (!arguments.plot.empty()) check_drawable(arguments.plot);
  const bool as_json = arguments.product.json;
  const std::string& init = arguments.product.init;
  BenchResult result{request.products.front(), init.empty() ? "uniform" : init,
                     request.products,         request.sizes,
                     request.reference,        arguments.plot};
  BenchTable table(std::cout);
  Progress progress(as_json);
  auto measure = [&] {
    bench(request, progress, [&](const BenchFindings& findings) {
      measurement.tell([&] {
        result.findings = findings;
        if (!as_json) table.print_done(result);
      });
    });
  };
  measurement.run(progress, measure, [&](bool is_interrupted) {
    result.is_interrupted = is_interrupted;
    finish(result, as_json ? nullptr : &table);
  });
}

}  // namespace hilo::cli
