#include "cli/gemm_result.hpp"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <ostream>

namespace hilo::cli {
namespace {

bool is_complex(Precision p) { return p == Precision::c || p == Precision::z || p == Precision::zdd; }

double gflops(const GemmPlan& plan, double seconds) {
  double flops = (is_complex(plan.precision) ? 8.0 : 2.0) * static_cast<double>(plan.m) * static_cast<double>(plan.n) *
                 static_cast<double>(plan.k);
  return seconds > 0.0 ? flops / seconds * 1e-9 : 0.0;
}

std::string digits(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

const char* unit(Precision p) {
  switch (p) {
    case Precision::dd:
    case Precision::zdd:
      return "2^-106";
    case Precision::d:
    case Precision::z:
      return "2^-53";
    default:
      return "2^-24";
  }
}

}  // namespace

void print_table(std::ostream& out, const GemmResult& result) {
  const GemmPlan& p = result.report.plan;
  out << "product    " << name(p.precision) << "gemm " << name(p.opa) << name(p.opb) << ", " << p.m << " x " << p.n
      << " x " << p.k << ", " << name(p.layout) << " layout\n";
  out << "engine     " << name(p.engine) << ", " << name(p.accuracy);
  if (p.precision == Precision::dd || p.precision == Precision::zdd) out << (p.fma ? ", FMA" : ", no FMA");
  out << "\nbackend    " << name(p.backend) << ": " << p.unit;
  if (p.threads) out << ", " << p.threads << (p.threads == 1 ? " thread" : " threads");
  for (auto [label, seconds] : {std::pair{"kernel", result.seconds_kernel}, {"total", result.seconds_total}}) {
    out << '\n'
        << label << std::string(11 - std::string(label).size(), ' ') << digits(seconds) << " s, "
        << digits(gflops(p, seconds)) << " GFlop/s";
  }
  out << '\n';
  if (result.verification) {
    const Verification& v = *result.verification;
    out << "verified   " << (v.verified ? "yes" : "NO") << ": " << v.entries_checked
        << " entries against MPFR, largest error " << digits(v.max_error_u2) << ", guaranteed "
        << digits(p.error_bound_u2) << "\n           (in " << unit(p.precision)
        << " (|alpha||A||B| + |beta||C|), entry by entry)\n";
    if (v.non_finite_mismatches) {
      out << "           " << v.non_finite_mismatches
          << " entries are Inf or NaN where they should not be, or not where they should\n";
    }
  }
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
  j["accuracy"] = name(p.accuracy);
  j["backend"] = name(p.backend);
  j["device"] = p.unit;
  j["threads"] = p.threads;
  j["seconds_kernel"] = result.seconds_kernel;
  j["seconds_total"] = result.seconds_total;
  j["gflops_kernel"] = gflops(p, result.seconds_kernel);
  j["gflops_total"] = gflops(p, result.seconds_total);
  j["verified"] = nullptr;
  j["entries_checked"] = nullptr;
  j["max_error_u2"] = nullptr;
  if (result.verification) {
    j["verified"] = result.verification->verified;
    j["entries_checked"] = result.verification->entries_checked;
    if (std::isfinite(result.verification->max_error_u2)) j["max_error_u2"] = result.verification->max_error_u2;
  }
  j["error_bound_u2"] = p.error_bound_u2;
  out << j.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
}

}  // namespace hilo::cli
