#include "cli/bench_command.hpp"

#include <algorithm>
#include <iostream>

#include "cli/bench_result.hpp"
#include "cli/option.hpp"
#include "cli/plot.hpp"

namespace hilo::cli {
namespace {

constexpr std::int64_t most_sizes = 1000;
constexpr double seconds_of_runs = 0.2;  // a device that was idle does not reach its clock in one short run

// "n" or "from:to:step".
void append_sizes(const std::string& word, std::vector<std::int64_t>& sizes) {
  auto size = [](const std::string& text) { return integer<std::int64_t>("--sizes", text, 1); };
  std::vector<std::string> parts = list(word, ':');
  if (parts.size() != 1 && parts.size() != 3) {
    reject("--sizes '" + word + "' is neither a size nor a range FROM:TO:STEP");
  }
  std::int64_t from = size(parts.front()), to = parts.size() == 3 ? size(parts[1]) : from;
  std::int64_t step = parts.size() == 3 ? size(parts[2]) : 1;
  if (to < from) reject("--sizes " + word + ": the range FROM:TO:STEP falls from " + parts[0] + " to " + parts[1]);
  std::int64_t count = (to - from) / step + 1;
  if (count > most_sizes - std::ssize(sizes)) {
    reject("--sizes " + word + ": there are more than " + std::to_string(most_sizes) + " sizes");
  }
  for (std::int64_t i = 0; i < count; ++i) sizes.push_back(from + i * step);
}

BenchRequest check(const BenchArguments& arguments) {
  BenchRequest r{{}, arguments.engines.empty(), {}, {}};
  for (const std::string& word : list(arguments.sizes)) append_sizes(word, r.sizes);
  std::vector<std::string> engines = list(r.chooses_engines ? "direct,modular" : arguments.engines);
  for (const std::string& engine : engines) {
    if (std::count(engines.begin(), engines.end(), engine) > 1) reject("--engine " + engine + " is asked for twice");
    GemmArguments product = arguments.product;
    product.engine = engine;
    product.n = std::to_string(r.sizes.front());
    r.products.push_back(check_gemm(product));
    r.products.back().least_seconds = seconds_of_runs;
  }
  if (!arguments.reference.empty()) r.reference.emplace(arguments.reference);
  return r;
}

}  // namespace

void add_bench_options(CLI::App& command, BenchArguments& a) {
  command.add_option("--engine", a.engines, "Of auto, direct, modular, reproducible (default: direct,modular)")
      ->type_name("LIST");
  command.add_option("--sizes", a.sizes, "n, or FROM:TO:STEP, of n x n x n products (default: " + a.sizes + ")")
      ->type_name("LIST");
  add_product_options(command, a.product);
  command.add_option("--reference", a.reference, "Run COMMAND n between the products: another library's speed")
      ->type_name("COMMAND");
  command.add_option("--plot", a.plot, "Draw the speeds over n, by gnuplot")->type_name("FILE.svg");
  reject_empty_words(command);
}

void run_bench(const BenchArguments& arguments) {
  BenchRequest request = check(arguments);
  if (!arguments.plot.empty()) check_drawable(arguments.plot);
  Progress progress(arguments.product.json);
  const std::string& init = arguments.product.init;
  BenchResult result{request.products.front(), init.empty() ? "uniform" : init, bench(request, progress),
                     request.reference, arguments.plot};
  if (!arguments.plot.empty()) draw(arguments.plot, title(result), {panel(result)});
  if (arguments.product.json) {
    print_json(std::cout, result);
  } else {
    print_table(std::cout, result);
  }
}

}  // namespace hilo::cli
