// The spelling of the enumerators.
#include <array>
#include <hilo/gemm.hpp>

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
std::string_view name(Int8Library x) { return spelling(std::array<std::string_view, 3>{"auto", "onednn", "plain"}, x); }
std::string_view name(ComplexProduct x) { return spelling(std::array<std::string_view, 2>{"four", "three"}, x); }
std::string_view name(Measure x) { return spelling(std::array<std::string_view, 2>{"componentwise", "normwise"}, x); }
std::string_view name(Backend x) { return spelling(std::array<std::string_view, 2>{"cpu", "opencl"}, x); }
std::string_view name(Op x) { return spelling(std::array<std::string_view, 4>{"N", "T", "C", "J"}, x); }
std::string_view name(Layout x) { return spelling(std::array<std::string_view, 2>{"column", "row"}, x); }

}  // namespace hilo
