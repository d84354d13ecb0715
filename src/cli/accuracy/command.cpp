#include "cli/accuracy/command.hpp"

#include <iostream>

#include "cli/option.hpp"
#if HILO_HAS_ACCURACY
#include "cli/accuracy/result.hpp"
#include "cli/accuracy/sweep.hpp"
#include "cli/measurement.hpp"
#include "cli/plot.hpp"
#include "data/decimal.hpp"
#endif

namespace hilo::cli {

void add_accuracy_options(CLI::App& command, AccuracyArguments& a) {
  command.add_option("--precision", a.precision, "dd, zdd, d or z (default: dd)");
  command.add_option("-n", a.n, "Rows and columns of C (default: 64)")->type_name("SIZE");
  command.add_option("--phi", a.phi, "Ranges of entries, at k = 512 (default: " + a.phi + ")")->type_name("LIST");
  command.add_option("--k", a.k, "Lengths of sums, at phi = 1 (default: " + a.k + ")")->type_name("LIST");
  command.add_option("--seed", a.seed, "Of the matrices: the same on every machine (default: 1)")->type_name("NUMBER");
  command.add_option("--threads", a.threads, "CPU threads of the products (default: 0, all)")->type_name("NUMBER");
  command.add_option("--plot", a.plot, "Draw the errors and their bounds, by gnuplot")->type_name("FILE.svg");
  command.add_flag("--json", a.json, "Print one JSON object");
  command.footer("Example: hilo accuracy --plot errors.svg");
  reject_empty_words(command);
}

#if HILO_HAS_ACCURACY

namespace {

double phi(const std::string& text) {
  double value = 0.0;
  std::string wrong = data::read_decimal(text, value);
  if (!wrong.empty()) reject("--phi: " + wrong);
  if (!(value >= 0.0 && value <= 100.0)) reject("--phi " + shown(text) + " is not within 0 and 100");
  return value;
}

SweepRequest check(const AccuracyArguments& arguments) {
  SweepRequest r;
  r.precision =
      choice<Precision>("--precision", arguments.precision,
                        {{"dd", Precision::dd}, {"zdd", Precision::zdd}, {"d", Precision::d}, {"z", Precision::z}});
  r.n = integer<std::int64_t>("-n", arguments.n, 1);
  for (const std::string& word : list(arguments.phi)) r.phi.push_back(phi(word));
  for (const std::string& word : list(arguments.k)) {
    if (word.empty()) reject("--k '" + shown(arguments.k) + "': a number is missing");
    r.k.push_back(integer<std::int64_t>("--k", word, 1));
  }
  r.seed = integer<std::uint64_t>("--seed", arguments.seed, 0);
  r.threads = integer<int>("--threads", arguments.threads, 0);
  return r;
}

}  // namespace

int run_accuracy(const AccuracyArguments& arguments) {
  Measurement measurement;
  const SweepRequest request = check(arguments);
  if (!arguments.plot.empty()) check_drawable(arguments.plot);
  Sweep result;
  AccuracyTable table(std::cout, request);
  Progress progress(arguments.json);
  auto measure = [&] {
    sweep(request, progress, [&](const Sweep& done) {
      measurement.tell([&] {
        result = done;
        if (!arguments.json) table.print_done(result);
      });
    });
  };
  measurement.run(progress, measure, [&](bool is_interrupted) {
    result.is_interrupted = is_interrupted;
    const std::string plot = result.over_phi.empty() ? "" : arguments.plot;
    if (!plot.empty()) draw(plot, title(request), panels(request, result));
    if (arguments.json) {
      print_json(std::cout, request, result, plot);
    } else {
      table.print_end(result, plot);
    }
    std::cout.flush();
  });
  if (result.holds()) return 0;
  std::cerr << "hilo: an error is above what its engine guarantees\n";
  return 1;
}

#else

int run_accuracy(const AccuracyArguments&) {
  throw error(errc::unsupported, "accuracy: this build of hilo has no hilo::accuracy (MPFR)");
}

#endif

}  // namespace hilo::cli
