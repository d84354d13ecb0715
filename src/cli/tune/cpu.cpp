#include "cli/tune/cpu.hpp"

#include <cmath>
#include <cstdio>
#include <iostream>
#include <optional>
#include <sstream>
#include <utility>

#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/machine.hpp"
#include "cli/option.hpp"
#include "cli/progress.hpp"
#include "cli/stopwatch.hpp"
#include "cli/text.hpp"
#include "cli/tune/command.hpp"
#include "gemm/cost.hpp"
#include "gemm/rate_table.hpp"
#include "host/tuning_entries.hpp"
#include "tune/rates.hpp"

namespace hilo::cli {
namespace {

using json = nlohmann::ordered_json;
using model::CpuRates;

constexpr int most_rounds = 9;

struct Result {
  model::CpuKind kind;
  int rounds;
  std::optional<CpuRates> rates;  ///< nothing where there was no time
  CpuRates before;
};

struct Report {
  std::string file;
  double seconds;
  bool is_interrupted;
  std::vector<Result> results;
  std::vector<std::string> ignored;
};

void reject_options_for_devices(const TuneArguments& a) {
  for (const auto& [option, value] : {std::pair{"-p", &a.place.platform},
                                      {"-d", &a.place.device},
                                      {"--device", &a.place.type},
                                      {"--precision", &a.precisions},
                                      {"--transpose", &a.transposes},
                                      {"--size", &a.sizes}}) {
    if (!value->empty()) {
      reject(std::string(option) + " " + shown(*value) +
             " has no effect: it is for OpenCL devices, and --backend is cpu");
    }
  }
}

Report tune(double limit, Progress& progress, const Interrupt& interrupt) {
  const Stopwatch watch;
  Report report{host::tuning_file_to_write().string(), 0.0, false, {}, ignored_rates()};
  const std::vector<GemmOptions> all = tune::kinds_of_options();
  for (const GemmOptions& options : all) {
    const model::CpuKind kind = cpu_kind(options);
    std::vector<CpuRates> rounds;
    // The first, which products take by default, is measured however little time there is.
    auto has_time = [&] { return watch.seconds() < limit || (report.results.empty() && rounds.empty()); };
    while (rounds.size() < most_rounds && has_time() && !interrupt.has_come()) {
      progress.at(static_cast<double>(report.results.size()) / static_cast<double>(all.size()),
                  for_people(to_string(kind)) + ": round " + std::to_string(rounds.size() + 1));
      rounds.push_back(tune::measure_rates(options));
    }
    Result result{kind, static_cast<int>(rounds.size()), {}, rates_for(options).rates};
    if (!rounds.empty()) {
      result.rates = tune::median(rounds);
      store_rates({kind, *result.rates, cpu_name(), today(), HILO_VERSION});
    }
    report.results.push_back(std::move(result));
  }
  report.is_interrupted = interrupt.has_come();
  report.seconds = watch.seconds();
  return report;
}

std::string from(const CpuRates& rates, Precision precision) {
  const std::int64_t n = crossover(rates, precision, Accuracy::classic);
  return n ? std::to_string(n) : "never";
}

void print_table(const Report& report) {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.0f s", report.seconds);
  std::cout << "CPU        " << (cpu_name().empty() ? "unknown" : cpu_name()) << "\nkept in    " << report.file
            << "\ntime       " << seconds << (report.is_interrupted ? ", interrupted" : "")
            << "\ndd zdd     n from which n x n matrices are the modular engine's, now and before\n\n";
  std::vector<Line> lines = {{"FMA", "rounds", "GOPS", "GFlop/s", "dd", "before", "zdd", "before"}};
  for (const Result& r : report.results) {
    auto rate = [&](double CpuRates::*seconds_each) {
      return r.rates ? std::to_string(std::lround(2e-9 / (*r.rates).*seconds_each)) : "-";
    };
    auto now = [&](Precision p) { return r.rates ? from(*r.rates, p) : "-"; };
    lines.push_back({std::string(name(r.kind.fma)), std::to_string(r.rounds), rate(&CpuRates::byte_product),
                     rate(&CpuRates::direct_step), now(Precision::dd), from(r.before, Precision::dd),
                     now(Precision::zdd), from(r.before, Precision::zdd)});
  }
  std::stringstream figures;
  print_lines(figures, lines, [](std::size_t column) { return column == 0; });
  std::string line, above;
  std::getline(figures, line);
  std::cout << line << '\n';
  for (const Result& r : report.results) {
    const std::string products = "SIMD " + for_people(r.kind.target) + ", bytes by " + r.kind.int8;
    if (products != above) std::cout << '\n' << products << '\n';
    above = products;
    std::getline(figures, line);
    std::cout << line << '\n';
  }
  for (const std::string& what : report.ignored) std::cout << wrapped("ignored    ", 11, in_one_line(what));
}

json json_of(const CpuRates& rates) {
  json j;
  for (const model::RateName& r : model::rate_names()) j[r.name] = rates.*r.rate;
  for (const auto& [name, precision] :
       {std::pair{"modular_from_dd", Precision::dd}, {"modular_from_zdd", Precision::zdd}}) {
    const std::int64_t n = crossover(rates, precision, Accuracy::classic);
    j[name] = n ? json(n) : json();
  }
  return j;
}

void print_json(const Report& report) {
  json j;
  j["cpu"] = cpu_name().empty() ? json() : json(cpu_name());
  j["file"] = report.file;
  j["seconds"] = report.seconds;
  j["interrupted"] = report.is_interrupted;
  json results = json::array();
  for (const Result& r : report.results) {
    results.push_back({{"target", r.kind.target},
                       {"lanes", r.kind.lanes},
                       {"int8", r.kind.int8},
                       {"fma", name(r.kind.fma)},
                       {"rounds", r.rounds},
                       {"rates", r.rates ? json_of(*r.rates) : json()},
                       {"rates_before", json_of(r.before)}});
  }
  j["results"] = results;
  j["ignored"] = report.ignored;
  print_object(std::cout, j);
}

}  // namespace

void run_tune_cpu(const TuneArguments& arguments) {
  const Interrupt interrupt;
  reject_options_for_devices(arguments);
  const auto seconds = static_cast<double>(integer<int>("--time", arguments.seconds, 1));
  check_rates_can_be_stored();  // before it takes minutes
  const Report report = [&] {
    Progress progress(arguments.json);
    return tune(seconds, progress, interrupt);
  }();
  arguments.json ? print_json(report) : print_table(report);
}

}  // namespace hilo::cli
