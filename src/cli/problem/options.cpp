#include "cli/problem/options.hpp"

#include <CLI/CLI.hpp>

#include "cli/option.hpp"
#include "cli/words.hpp"
#include "host/team.hpp"

namespace hilo::cli {

void add_problem_options(CLI::App& command, ProblemArguments& a, const std::string& generated) {
  takes_word(command.add_option("--init", a.init), generator_words(), "Of A: ", " (default: uniform)");
  command.add_option("--seed", a.seed, "Of " + generated + ": the same on every machine (default: 1)")
      ->type_name("NUMBER");
  takes_word(command.add_option("--precision", a.precision), precision_words(), "", " (default: dd)");
  takes_word(command.add_option("--layout", a.layout), layout_words(), "", " (default: column)");
  takes_word(command.add_option("--engine", a.engine), engine_words(), "Of the products inside: ", " (default: auto)");
  takes_word(command.add_option("--fma", a.fma), fma_words(), "",
             ": fixes the bits; --engine reproducible has it on (default: auto)");
  add_place_options(command, a.place);
  command.add_option("--threads", a.threads, "CPU threads (default: 0, all)")->type_name("NUMBER");
  command
      .add_option("--repeat", a.repeat,
                  "Timed runs after one to warm up; the best counts (default: 0, one run, not warmed up)")
      ->type_name("NUMBER");
}

void add_json_option(CLI::App& command, ProblemArguments& a) {
  command.add_flag("--json", a.json, "Print one JSON object");
}

ProblemRequest read_problem(const ProblemArguments& arguments) {
  return {read_precision(arguments.precision), read_layout(arguments.layout), read_place(arguments.place),
          integer<int>("--repeat", arguments.repeat, 0)};
}

BlockedOptions read_products(const ProblemArguments& arguments) {
  BlockedOptions products;
  products.engine = read_engine(arguments.engine);
  products.fma = read_fma(arguments.fma);
  products.threads = integer<int>("--threads", arguments.threads, 0);
  return products;
}

int threads_of(const BlockedOptions& products) {
  return products.threads > 0 ? products.threads : host::default_threads();
}

}  // namespace hilo::cli
