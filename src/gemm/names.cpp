// The spelling of the enumerators, and the print-out of a plan.
#include <array>
#include <hilo/gemm.hpp>
#include <ostream>
#include <sstream>

namespace hilo {
namespace {

template <std::size_t N, class E>
std::string_view spelling(const std::array<std::string_view, N>& names, E value) {
  auto i = static_cast<std::size_t>(value);
  return i < N ? names[i] : std::string_view("unknown");
}

}  // namespace

std::string_view name(Precision x) {
  return spelling(std::array<std::string_view, 6>{"s", "d", "c", "z", "dd", "zdd"}, x);
}
std::string_view name(Engine x) { return spelling(std::array<std::string_view, 2>{"auto", "direct"}, x); }
std::string_view name(Accuracy x) { return spelling(std::array<std::string_view, 2>{"classic", "fast"}, x); }
std::string_view name(Backend x) { return spelling(std::array<std::string_view, 2>{"cpu", "opencl"}, x); }
std::string_view name(Op x) { return spelling(std::array<std::string_view, 3>{"N", "T", "C"}, x); }
std::string_view name(Layout x) { return spelling(std::array<std::string_view, 2>{"column", "row"}, x); }

std::ostream& operator<<(std::ostream& out, const GemmPlan& p) {
  out << name(p.precision) << "gemm " << name(p.opa) << name(p.opb) << ' ' << p.m << " x " << p.n << " x " << p.k;
  if (p.batch != 1) out << ", batch of " << p.batch;
  out << ", " << name(p.layout) << " layout\n"
      << "  engine " << name(p.engine) << ", accuracy " << name(p.accuracy) << (p.fma ? ", FMA" : ", no FMA") << '\n'
      << "  backend " << name(p.backend) << ": " << p.unit;
  if (p.threads) out << ", " << p.threads << (p.threads == 1 ? " thread" : " threads");
  out << '\n';
  if (p.micro_rows) {
    out << "  register tile " << p.micro_rows << " x " << p.micro_columns << ", task " << p.tile_rows << " x "
        << p.tile_columns << ", depth " << p.depth << ", workspace " << p.workspace_bytes << " bytes\n";
  }
  return out << "  guaranteed error " << p.error_bound_u2 << " units\n";
}

std::string to_string(const GemmPlan& plan) {
  std::ostringstream out;
  out << plan;
  return out.str();
}

}  // namespace hilo
