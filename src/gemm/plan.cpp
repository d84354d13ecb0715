#include "gemm/plan.hpp"

#include <algorithm>
#include <ostream>
#include <sstream>

#include "host/door.hpp"

namespace hilo {

GemmPlan plan_of(Precision precision, const GemmShape& shape, std::int64_t batch, Backend backend, Accuracy accuracy) {
  GemmPlan plan{};
  plan.precision = precision;
  plan.layout = shape.layout;
  plan.opa = shape.opa;
  plan.opb = shape.opb;
  plan.m = shape.m;
  plan.n = shape.n;
  plan.k = shape.k;
  plan.batch = batch;
  plan.engine = Engine::direct;
  plan.accuracy = accuracy;
  plan.backend = backend;
  return plan;
}

GemmShape shape_of(const GemmPlan& told) {
  return packed_shape(told.layout, told.opa, told.opb, told.m, told.n, told.k, element_bytes(told.precision));
}

void add_to_report(GemmReport& report, const GemmPlan& ran, bool is_first) {
  GemmPlan& plan = report.plan;
  double bound = std::max(is_first ? 0.0 : plan.error_bound_u2, ran.error_bound_u2);
  bool says_more = is_first || ran.path > plan.path || (ran.path == plan.path && ran.moduli > plan.moduli);
  if (says_more) plan = ran;
  plan.error_bound_u2 = bound;
}

std::ostream& operator<<(std::ostream& out, const GemmPlan& p) {
  const bool is_in_words = is_double_double(p.precision);
  out << name(p.precision) << "gemm " << name(p.opa) << name(p.opb) << ' ' << p.m << " x " << p.n << " x " << p.k;
  if (p.batch != 1) out << ", batch of " << p.batch;
  out << ", " << name(p.layout) << " layout\n  engine " << name(p.engine);
  if (p.path != Path::direct && p.path != Path::modular) out << " (" << name(p.path) << ')';
  if (is_in_words || p.engine == Engine::modular) out << ", accuracy " << name(p.accuracy);
  if (p.engine == Engine::modular) {
    out << ", " << p.bits << " bits an entry (" << p.esc << " for the spread of exponents), " << p.moduli << " moduli";
  } else if (is_in_words) {
    out << (p.fma ? ", FMA" : ", no FMA");
  } else if (p.complex_product == ComplexProduct::three) {
    out << ", three real products (3M)";
  }
  if (p.seconds_direct > 0.0) {
    out << "\n  expected on one core: modular " << p.seconds_modular << " s, direct " << p.seconds_direct << " s";
  }
  out << "\n  backend " << name(p.backend) << ": " << p.unit;
  if (p.threads) out << ", " << p.threads << (p.threads == 1 ? " thread" : " threads");
  out << '\n';
  if (p.micro_rows || p.engine == Engine::modular) {
    out << "  ";
    if (p.micro_rows)
      out << "register tile " << p.micro_rows << " x " << p.micro_columns << ", task ";
    else
      out << "panels of C ";
    out << p.tile_rows << " x " << p.tile_columns << ", depth " << p.depth << ", workspace " << p.workspace_bytes
        << " bytes\n";
  }
  return out << "  guaranteed error " << p.error_bound_u2 << " * 2^" << error_unit(p.precision)
             << (p.measure == Measure::normwise ? " (|alpha| |row of A|_2 |column of B|_2 + |beta||C|)"
                                                : " (|alpha||A||B| + |beta||C|)")
             << ", entry by entry\n";
}

std::ostream& operator<<(std::ostream& out, const GemmReport& report) {
  auto write_count = [&](std::int64_t count, const char* what) {
    if (count > 0) out << "  " << count << (count == 1 ? " entry " : " entries ") << what << '\n';
  };
  out << report.plan;
  write_count(report.entries_recomputed, "not finite, recomputed as plain sums in double");
  write_count(report.entries_direct, "by the direct engine");
  return out;
}

std::string to_string(const GemmPlan& plan) {
  return host::door("gemm: no memory for the text of a plan", [&] {
    std::ostringstream out;
    out.exceptions(std::ios::badbit);
    out << plan;
    return out.str();
  });
}

}  // namespace hilo
