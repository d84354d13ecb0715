#include "cli/accuracy/command.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <sstream>

#include "cli/csv.hpp"
#include "cli/option.hpp"
#if HILO_HAS_ACCURACY
#include "cli/accuracy/plot.hpp"
#include "cli/accuracy/result.hpp"
#include "cli/accuracy/table.hpp"
#include "cli/measurement.hpp"
#endif

namespace hilo::cli {

void add_accuracy_options(CLI::App& command, AccuracyArguments& a) {
  takes_list(command.add_option("--routine", a.routines), names_of(accuracy_routines()), "Of ",
             " (default: " + a.routines + ")");
  takes_word(command.add_option("--precision", a.precision), accuracy_precision_words(), "", " (default: dd)");
  command.add_option("-n", a.n, "Rows and columns of C, or of A (default: 64)")->type_name("SIZE");
  command
      .add_option("--phi", a.phi, "Ranges of products' entries, at k = 512 (default: " + std::string(default_phi) + ")")
      ->type_name("LIST");
  command.add_option("--k", a.k, "Lengths of products' sums, at phi = 1 (default: " + std::string(default_k) + ")")
      ->type_name("LIST");
  command
      .add_option("--conditions", a.conditions,
                  "Of matrices that are factored or solved with, at most 1e30, in d and z 1e15 (default: " +
                      std::string(default_conditions) + ")")
      ->type_name("LIST");
  command
      .add_option("--reference", a.reference,
                  "Run COMMAND for each product, too: another library's, as QD's by bench/qd_product")
      ->type_name("COMMAND");
  command
      .add_option(
          "--reference-time", a.reference_seconds,
          "The most seconds that COMMAND may take for one (default: " + std::string(default_reference_seconds) + ")")
      ->type_name("SECONDS");
  command.add_option("--seed", a.seed, "Of the matrices: the same on every machine (default: 1)")->type_name("NUMBER");
  command.add_option("--threads", a.threads, "CPU threads that compute (default: 0, all)")->type_name("NUMBER");
  command.add_option("--plot", a.plot, "Draw the errors and their bounds, by gnuplot")->type_name("FILE.svg");
  add_csv_option(command, a.csv);
  command.add_flag("--json", a.json, "Print one JSON object");
  command.footer("Example: hilo accuracy --routine gemm,getrf,solve --plot errors.svg");
  reject_empty_words(command);
}

#if HILO_HAS_ACCURACY

namespace {

// Draws, writes and prints what is measured.
void finish(const AccuracyRequest& request, const Sweep& sweep, const std::string& asked_plot, const CsvTarget& csv,
            AccuracyTable& table) {
  std::string plot = sweep.rows() == 0 ? "" : asked_plot;
  const std::exception_ptr not_drawn =
      plot.empty() ? nullptr : try_to_draw(plot, title(request), panels(request, sweep));
  if (!csv.path.empty()) {
    std::ostringstream text;
    print_csv(text, request, sweep);
    write_csv(csv.path, text.str());
  }
  if (csv.output == Output::table) table.print_end(sweep, plot, csv.path);
  if (csv.output == Output::json) print_json(std::cout, request, sweep, plot);
  if (csv.output == Output::csv) print_csv(std::cout, request, sweep);
  std::cout.flush();
  if (not_drawn) std::rethrow_exception(not_drawn);
}

}  // namespace

int run_accuracy(const AccuracyArguments& arguments) {
  Measurement measurement;
  const AccuracyRequest request = check_accuracy(arguments);
  if (!arguments.plot.empty()) check_drawable(arguments.plot);
  const CsvTarget csv = csv_target(arguments.csv, arguments.json, arguments.plot);
  Sweep result;
  AccuracyTable table(std::cout, request);
  Progress progress(csv.output == Output::json);
  auto measure = [&] {
    sweep(request, progress, [&](const Sweep& done) {
      measurement.tell([&] {
        result = done;
        if (csv.output == Output::table) table.print_done(result);
      });
    });
  };
  measurement.run(progress, measure, [&](bool is_interrupted) {
    result.is_interrupted = is_interrupted;
    finish(request, result, arguments.plot, csv, table);
  });
  if (result.holds()) return 0;
  std::cerr << "hilo: an error is above what is guaranteed\n";
  return 1;
}

#else

int run_accuracy(const AccuracyArguments&) {
  throw error(errc::unsupported, "accuracy: this build of hilo has no hilo::accuracy (MPFR)");
}

#endif

}  // namespace hilo::cli
