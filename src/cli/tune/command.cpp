#include "cli/tune/command.hpp"

#include <CLI/CLI.hpp>
#include <hilo/error.hpp>
#include <hilo/gemm.hpp>

#include "cli/option.hpp"
#include "cli/tune/cpu.hpp"
#include "cli/words.hpp"
#if HILO_HAS_OPENCL
#include <algorithm>
#include <cstdio>
#include <iostream>

#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/stopwatch.hpp"
#include "cli/tune/result.hpp"
#include "host/tuning_file.hpp"
#endif

namespace hilo::cli {

void add_tune_options(CLI::App& command, TuneArguments& a) {
  takes_word(command.add_option("--backend", a.place.backend),
             {{"opencl", "a device's tiles"}, {"cpu", "the rates that choose an engine"}}, " (default: opencl)");
  add_device_options(command, a.place);
  takes_list(command.add_option("--precision", a.precisions), precision_words(), "Of ",
             " (default: all the device has)");
  takes_list(command.add_option("--transpose", a.transposes), {"nn", "nt", "tn", "tt"}, "Of ",
             " (default: all); dd and zdd have one for all");
  takes_list(command.add_option("--size", a.sizes), {"small", "medium", "large"}, "Of ", " (default: all)");
  command.add_option("--time", a.seconds, "Seconds in all (default: " + a.seconds + ")")->type_name("SECONDS");
  command.add_flag("--json", a.json, "One JSON object instead of a table");
  command.footer("Example: hilo tune --time 600");
  reject_empty_words(command);
}

namespace {

#if !HILO_HAS_OPENCL
int tune_device(const TuneArguments&) {
  throw error(errc::no_device, "tune: this build has no OpenCL; --backend cpu tunes the CPU");
}
#else

using tile::SizeClass;
using tile::TileKey;

template <class E>
std::vector<E> choices(const char* option, const std::string& text,
                       std::initializer_list<std::pair<const char*, E> > all) {
  std::vector<E> chosen;
  for (const std::string& word : list(text)) chosen.push_back(choice<E>(option, word, all));
  return chosen;
}

template <class E>
bool holds(const std::vector<E>& all, E x) {
  return std::find(all.begin(), all.end(), x) != all.end();
}

// What the command line leaves of the device's keys.
std::vector<TileKey> keys(const TuneArguments& a, const DeviceInfo& device) {
  const auto precisions = choices<Precision>("--precision", a.precisions.empty() ? "s,d,c,z,dd,zdd" : a.precisions,
                                             {{"s", Precision::s},
                                              {"d", Precision::d},
                                              {"c", Precision::c},
                                              {"z", Precision::z},
                                              {"dd", Precision::dd},
                                              {"zdd", Precision::zdd}});
  // Whether the rows of op(A) and the columns of op(B) lie side by side, in two bits.
  const auto transposes = choices<int>("--transpose", a.transposes.empty() ? "nn,nt,tn,tt" : a.transposes,
                                       {{"nn", 2}, {"nt", 3}, {"tn", 0}, {"tt", 1}});
  const auto sizes =
      choices<SizeClass>("--size", a.sizes.empty() ? "small,medium,large" : a.sizes,
                         {{"small", SizeClass::small}, {"medium", SizeClass::medium}, {"large", SizeClass::large}});
  std::vector<TileKey> chosen;
  for (const TileKey& key : tune::keys_of(device)) {
    const bool is_dd = tile::NumberKind{key.precision}.is_double_double();
    if (holds(precisions, key.precision) && holds(sizes, key.size) &&
        (is_dd || holds(transposes, 2 * key.left_together + key.right_together))) {
      chosen.push_back(key);
    }
  }
  for (Precision p : precisions) {
    auto is_of = [&](const TileKey& key) { return key.precision == p; };
    if (a.precisions.empty() || std::any_of(chosen.begin(), chosen.end(), is_of)) continue;
    throw error(errc::unsupported, "--precision " + std::string(name(p)) + ": device " + device.name +
                                       " has no double precision (cl_khr_fp64)");
  }
  return chosen;
}

TuneReport tune(Queue& queue, const std::vector<TileKey>& all, double limit, Progress& progress,
                const Interrupt& interrupt) {
  const DeviceInfo device = queue.context().device();
  Stopwatch watch;
  TuneReport report{device, host::tuning_file()->string(), 0.0, false, {}, {}};
  tune::TuningLog log(device);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string product = head(all[i]);
    int tiles = 0;
    tune::TuneOptions options;
    options.seconds = std::max(limit - watch.seconds(), 0.0) / static_cast<double>(all.size() - i);
    options.stops = [&interrupt] { return interrupt.has_come(); };
    options.reports = [&](const tune::Measurement&, const tune::Measurement& best) {
      char rate[32];
      std::snprintf(rate, sizeof rate, "%.4g GFlop/s", best.gflops);
      progress.at(watch.seconds() / limit, product + ": " + std::to_string(++tiles) + " tiles, " + rate);
    };
    progress.at(watch.seconds() / limit, product);
    report.results.push_back(tune::tune(queue, all[i], options, log));
    if (const auto& best = report.results.back().best) {
      tile::store_tiles(device, {{all[i], best->tile, best->gflops, today(), tile::library_version()}});
    }
  }
  report.is_interrupted = interrupt.has_come();
  report.seconds = watch.seconds();
  return report;
}

int tune_device(const TuneArguments& arguments) {
  Interrupt interrupt;
  const auto seconds = static_cast<double>(integer<int>("--time", arguments.seconds, 1));
  Queue queue = *open_queue(read_place(arguments.place), Profiling::on);
  const std::vector<TileKey> all = keys(arguments, queue.context().device());
  const std::vector<std::string> ignored = tile::tuned_tiles(queue.context().device()).ignored;
  // Before it takes minutes: whether the file can be written.
  tile::store_tiles(queue.context().device(), {});
  TuneReport report = [&] {
    Progress progress(arguments.json);
    return tune(queue, all, seconds, progress, interrupt);
  }();
  report.ignored = ignored;
  if (arguments.json) {
    print_json(std::cout, report);
  } else {
    print_table(std::cout, report);
  }
  auto is_wrong = [](const tune::TuneResult& r) { return !r.best && !r.measurements.empty(); };
  return std::any_of(report.results.begin(), report.results.end(), is_wrong) ? 1 : 0;
}
#endif

}  // namespace

int run_tune(const TuneArguments& arguments) {
  if (read_backend(arguments.place.backend) == Backend::opencl) return tune_device(arguments);
  run_tune_cpu(arguments);
  return 0;
}

}  // namespace hilo::cli
