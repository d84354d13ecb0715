// How enumerators, plans and reports are spelled.
#include <algorithm>
#include <array>
#include <cmath>
#include <hilo/gemm.hpp>
#include <ios>
#include <ostream>
#include <sstream>

#include "host/door.hpp"

namespace hilo {
namespace {

template <std::size_t N, class E>
std::string_view spelling(const std::array<std::string_view, N>& names, E value) {
  auto i = static_cast<std::size_t>(value);
  return i < N ? names[i] : std::string_view("unknown");
}

}  // namespace

std::string_view precisions::name(Precision x) {
  return spelling(std::array<std::string_view, 6>{"s", "d", "c", "z", "dd", "zdd"}, x);
}
std::string_view name(Engine x) {
  return spelling(std::array<std::string_view, 4>{"auto", "direct", "modular", "reproducible"}, x);
}
std::string_view name(Accuracy x) {
  return spelling(std::array<std::string_view, 6>{"classic", "fast", "tight", "normwise", "exact", "bits"}, x);
}
std::string_view name(Path x) {
  return spelling(
      std::array<std::string_view, 6>{"direct", "modular", "modular, balanced along k", "direct, for the operands",
                                      "direct, for the range of exponents", "direct, for speed"},
      x);
}
std::string_view name(Int8Library x) {
  return spelling(std::array<std::string_view, 4>{"auto", "onednn", "plain", "amx"}, x);
}
std::string_view name(ComplexProduct x) { return spelling(std::array<std::string_view, 2>{"four", "three"}, x); }
std::string_view name(Measure x) { return spelling(std::array<std::string_view, 2>{"componentwise", "normwise"}, x); }
std::string_view name(Backend x) { return spelling(std::array<std::string_view, 2>{"cpu", "opencl"}, x); }
std::string_view name(Op x) { return spelling(std::array<std::string_view, 4>{"N", "T", "C", "J"}, x); }
std::string_view name(Layout x) { return spelling(std::array<std::string_view, 2>{"column", "row"}, x); }

std::ostream& operator<<(std::ostream& out, const GemmPlan& p) {
  const bool is_in_words = is_double_double(p.precision);
  out << name(p.precision) << "gemm " << name(p.opa) << name(p.opb) << ' ' << p.m << " x " << p.n << " x " << p.k;
  if (p.batch != 1) out << ", batch of " << p.batch;
  out << ", " << name(p.layout) << " layout\n  engine " << name(p.engine);
  if (p.path != Path::direct && p.path != Path::modular) out << " (" << name(p.path) << ')';
  if (is_in_words || p.engine == Engine::modular) out << ", accuracy " << name(p.accuracy);
  if (p.engine == Engine::modular) {
    out << ", " << p.bits << " bits an entry (" << p.esc << " for the spread of exponents), " << p.moduli << " moduli";
    if (p.levels) out << ", " << p.levels << (p.levels == 1 ? " level" : " levels") << " of Strassen's algorithm";
  } else if (is_in_words) {
    out << (p.fma ? ", FMA" : ", no FMA");
  } else if (p.complex_product == ComplexProduct::three) {
    out << ", three real products (3M)";
  }
  if (p.seconds_direct > 0.0) {
    out << "\n  expected on " << (p.backend == Backend::cpu ? "one core: " : "the device: ");
    if (std::isfinite(p.seconds_modular)) out << "modular " << p.seconds_modular << " s, ";
    out << "direct " << p.seconds_direct << " s";
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

double StreamReport::overlap() const {
  const double transfers = seconds_in + seconds_out;
  if (transfers <= 0.0) return 0.0;
  return std::clamp((seconds_kernel + transfers - seconds) / transfers, 0.0, 1.0);
}

std::ostream& operator<<(std::ostream& out, const StreamReport& x) {
  if (x.panel_rows == 0 && x.bytes_in == 0 && x.bytes_out == 0) return out;
  const std::ios::fmtflags flags = out.flags();
  const std::streamsize precision = out.precision(3);
  out << std::defaultfloat << "  through the device";
  if (x.panel_rows > 0) {
    out << " in " << x.row_panels << " x " << x.column_panels << " panels of " << x.panel_rows << " x "
        << x.panel_columns;
  }
  out << ": " << x.seconds << " s";
  if (x.seconds_expected > 0.0) out << ", " << x.seconds_expected << " expected";
  out << "\n  kernels " << x.seconds_kernel << " s, there " << x.seconds_in << " s, back " << x.seconds_out << " s, "
      << 100.0 * x.overlap() << " % of both ways hidden\n";
  out.flags(flags);
  out.precision(precision);
  return out;
}

std::ostream& operator<<(std::ostream& out, const GemmReport& report) {
  auto write_count = [&](std::int64_t count, const char* what) {
    if (count > 0) out << "  " << count << (count == 1 ? " entry " : " entries ") << what << '\n';
  };
  out << report.plan;
  write_count(report.entries_recomputed, "not finite, recomputed as plain sums in double");
  write_count(report.entries_direct, "by the direct engine");
  return out << report.stream;
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
