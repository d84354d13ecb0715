#include "cli/gemm/result.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <hilo/model.hpp>
#include <ostream>
#include <utility>

#include "cli/json.hpp"
#include "cli/machine.hpp"
#include "cli/text.hpp"

namespace hilo::cli {
namespace {

std::string memory(std::int64_t bytes) {
  return bytes < 1 << 20 ? std::to_string((bytes + 1023) >> 10) + " KiB"
                         : std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB";
}

bool is_modular(const GemmPlan& p) { return p.engine == Engine::modular; }

// What a modular product took, and why a product took the path it took.
void print_path(std::ostream& out, const GemmReport& report) {
  const GemmPlan& p = report.plan;
  if (is_modular(p)) {
    out << "           " << count(p.moduli, "modulus", "moduli") << ", " << count(p.bits, "bit", "bits") << " an entry";
    if (p.esc > 0) out << ", of which " << p.esc << " for the spread of exponents";
    out << '\n';
    if (p.levels) out << "           " << count(p.levels, "level", "levels") << " of Strassen's algorithm\n";
    if (report.entries_direct) {
      out << "           " << count(report.entries_direct, "entry", "entries") << " by the direct engine\n";
    }
  }
  if (p.path != Path::direct && p.path != Path::modular) out << "path       " << name(p.path) << '\n';
}

void print_verification(std::ostream& out, const GemmPlan& p, const Verification& v) {
  const char* verdict = !v.verified ? "undecided, as nothing is guaranteed" : *v.verified ? "yes" : "NO";
  out << "verified   " << verdict << ": " << count(v.entries_checked, "entry", "entries")
      << " against MPFR\n           largest error " << digits(v.max_error_u2);
  if (std::isfinite(p.error_bound_u2)) out << ", guaranteed " << digits(p.error_bound_u2);
  out << "\n           (in " << error_unit_name(p.precision)
      << (p.measure == Measure::normwise
              ? " (|alpha| |row of A|_2 |column of B|_2 + |beta||C|),\n           entry by entry)\n"
              : " (|alpha||A||B| + |beta||C|), entry by entry)\n");
  if (v.non_finite_mismatches) {
    out << wrapped("           ", 11,
                   count(v.non_finite_mismatches, "entry is", "entries are") +
                       " Inf or NaN without cause, or finite without cause");
  }
  if (v.mismatches) {
    out << "           " << count(*v.mismatches, "entry differs", "entries differ")
        << " from the exact product rounded once\n";
  }
}

bool has_panels(const GemmResult& result) {
  return std::any_of(result.streams.begin(), result.streams.end(),
                     [](const StreamReport& s) { return s.panel_rows > 0; });
}

double least_seconds(const StreamReport& x) {
  return model::seconds_streamed(x.seconds_kernel, x.seconds_in, x.seconds_out);
}

void print_stream(std::ostream& out, const StreamReport& x) {
  if (x.panel_rows == 0) return;
  out << "panels     " << x.row_panels << " x " << x.column_panels << " of " << x.panel_rows << " x " << x.panel_columns
      << ", " << count(x.passes, "pass", "passes") << "; " << digits(x.seconds_expected) << " s expected, "
      << digits(least_seconds(x)) << " least\n";
  out << "  there    " << memory(x.bytes_in) << ", " << digits(x.seconds_in) << " s; ";
  if (x.bytes_passed > 0) out << "from other devices " << memory(x.bytes_passed) << "; ";
  out << "back " << memory(x.bytes_out) << ", " << digits(x.seconds_out) << " s; " << digits(100.0 * x.overlap())
      << " % hidden\n";
}

nlohmann::ordered_json stream_object(const StreamReport& x) {
  return {{"row_panels", x.row_panels},
          {"column_panels", x.column_panels},
          {"panel_rows", x.panel_rows},
          {"panel_columns", x.panel_columns},
          {"passes", x.passes},
          {"bytes_in", x.bytes_in},
          {"bytes_out", x.bytes_out},
          {"bytes_passed", x.bytes_passed},
          {"seconds", x.seconds},
          {"seconds_kernel", x.seconds_kernel},
          {"seconds_in", x.seconds_in},
          {"seconds_out", x.seconds_out},
          {"seconds_expected", x.seconds_expected},
          {"seconds_least", least_seconds(x)},
          {"overlap", x.overlap()}};
}

}  // namespace

double gflops(const GemmPlan& plan, double seconds) {
  double flops = (is_complex(plan.precision) ? 8.0 : 2.0) * static_cast<double>(plan.m) * static_cast<double>(plan.n) *
                 static_cast<double>(plan.k);
  return seconds > 0.0 ? flops / seconds * 1e-9 : 0.0;
}

void print_table(std::ostream& out, const GemmResult& result) {
  const GemmPlan& p = result.report.plan;
  out << "product    " << name(p.precision) << "gemm " << name(p.opa) << name(p.opb) << ", " << p.m << " x " << p.n
      << " x " << p.k << ", " << name(p.layout) << " layout\n";
  out << "engine     " << name(p.engine) << ", " << result.accuracy;
  bool is_double_double = p.precision == Precision::dd || p.precision == Precision::zdd;
  if (is_double_double && !is_modular(p)) out << (p.fma ? ", FMA" : ", no FMA");
  out << '\n';
  print_path(out, result.report);
  std::string backend = std::string(name(p.backend)) + ": " + (p.backend == Backend::cpu ? with_cpu(p.unit) : p.unit);
  if (p.threads) backend += ", " + count(p.threads, "thread", "threads");
  if (p.workspace_bytes) backend += ", workspace " + memory(p.workspace_bytes);
  out << wrapped("backend    ", 11, backend);
  if (!result.build_options.empty()) out << wrapped("options    ", 11, result.build_options);
  if (!result.loaded.empty()) out << "loaded     " << result.loaded << '\n';
  std::array lines = {std::pair{"kernel", result.seconds_kernel}, std::pair{"total", result.seconds_total}};
  if (result.leads_with_total) std::swap(lines[0], lines[1]);
  for (auto [label, seconds] : lines) {
    out << label << std::string(11 - std::string(label).size(), ' ') << digits(seconds) << " s, "
        << digits(gflops(p, seconds)) << " GFlop/s\n";
  }
  for (const StreamReport& stream : result.streams) print_stream(out, stream);
  if (result.timing) print_breakdown(out, *result.timing);
  if (result.verification) print_verification(out, p, *result.verification);
  if (!result.written.empty()) out << "written    " << result.written << '\n';
}

void print_json(std::ostream& out, const GemmResult& result) {
  const GemmPlan& p = result.report.plan;
  nlohmann::ordered_json j;
  j["precision"] = name(p.precision);
  j["m"] = p.m;
  j["n"] = p.n;
  j["k"] = p.k;
  j["transa"] = name(p.opa);
  j["transb"] = name(p.opb);
  j["layout"] = name(p.layout);
  j["engine"] = name(p.engine);
  j["accuracy"] = result.accuracy;
  j["path"] = name(p.path);
  add_nulls(j, {"bits", "moduli", "esc", "entries_direct", "levels"});
  if (is_modular(p)) {
    j["bits"] = p.bits;
    j["moduli"] = p.moduli;
    j["esc"] = p.esc;
    j["entries_direct"] = result.report.entries_direct;
    j["levels"] = p.levels;
  }
  j["backend"] = name(p.backend);
  j["device"] = p.unit;
  j["threads"] = p.threads;
  j["workspace_bytes"] = p.workspace_bytes;
  add_nulls(j, {"build_options", "loaded"});
  if (!result.build_options.empty()) j["build_options"] = result.build_options;
  if (!result.loaded.empty()) j["loaded"] = result.loaded;
  j["repeat"] = result.repeat;
  j["warmup"] = result.warmup;
  j["seconds_kernel"] = result.seconds_kernel;
  j["seconds_total"] = result.seconds_total;
  j["gflops_kernel"] = gflops(p, result.seconds_kernel);
  j["gflops_total"] = gflops(p, result.seconds_total);
  j["gflops"] = gflops(p, result.leads_with_total ? result.seconds_total : result.seconds_kernel);
  add_nulls(j, {"panels", "timing"});
  if (has_panels(result)) {
    j["panels"] = nlohmann::ordered_json::array();
    for (const StreamReport& stream : result.streams) j["panels"].push_back(stream_object(stream));
  }
  if (result.timing) j["timing"] = breakdown_object(*result.timing);
  add_nulls(j, {"verified", "entries_checked", "mismatches", "max_error_u2", "error_bound_u2"});
  if (result.verification) {
    const Verification& v = *result.verification;
    if (v.verified) j["verified"] = *v.verified;
    j["entries_checked"] = v.entries_checked;
    if (v.mismatches) j["mismatches"] = *v.mismatches;
    if (std::isfinite(v.max_error_u2)) j["max_error_u2"] = v.max_error_u2;
  }
  if (std::isfinite(p.error_bound_u2)) j["error_bound_u2"] = p.error_bound_u2;
  j["measure"] = name(p.measure);
  print_object(out, j);
}

}  // namespace hilo::cli
