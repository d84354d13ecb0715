// A user's plain loop over std::vector<dd_real> against the same loop with an asm barrier in it, which keeps it scalar.
// The bar: at least 4 times as fast, compiled with -O3 -march=native by g++.
#include <benchmark/benchmark.h>

#include <hilo/dd_real.hpp>
#include <vector>

namespace {

using hilo::dd_real;
using Numbers = std::vector<dd_real>;

struct MultiplyAdd {
  static dd_real apply(dd_real a, dd_real b, dd_real c) { return a + b * c; }
};
struct Add {
  static dd_real apply(dd_real, dd_real b, dd_real c) { return b + c; }
};
struct Multiply {
  static dd_real apply(dd_real, dd_real b, dd_real c) { return b * c; }
};
struct Divide {
  static dd_real apply(dd_real, dd_real b, dd_real c) { return b / c; }
};

template <class Operation>
[[gnu::noinline]] void plain(Numbers& a, const Numbers& b, const Numbers& c) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = Operation::apply(a[i], b[i], c[i]);
}

template <class Operation>
[[gnu::noinline]] void barred(Numbers& a, const Numbers& b, const Numbers& c) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = Operation::apply(a[i], b[i], c[i]);
    asm volatile("" : : : "memory");
  }
}

template <void (*loop)(Numbers&, const Numbers&, const Numbers&)>
void number(benchmark::State& state) {
  constexpr std::size_t n = 4096;
  Numbers a(n), b(n), c(n);
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = dd_real(1) / static_cast<int>(i + 3);
    b[i] = dd_real(2) / static_cast<int>(i + 7);
    c[i] = dd_real(5) / static_cast<int>(i + 11);
  }
  for (auto _ : state) {
    loop(a, b, c);
    benchmark::ClobberMemory();
  }
  state.counters["s/element"] = benchmark::Counter(
      static_cast<double>(n), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK(number<plain<MultiplyAdd>>)->Name("multiply-add/plain");
BENCHMARK(number<barred<MultiplyAdd>>)->Name("multiply-add/barrier");
BENCHMARK(number<plain<Add>>)->Name("add/plain");
BENCHMARK(number<barred<Add>>)->Name("add/barrier");
BENCHMARK(number<plain<Multiply>>)->Name("multiply/plain");
BENCHMARK(number<barred<Multiply>>)->Name("multiply/barrier");
BENCHMARK(number<plain<Divide>>)->Name("divide/plain");
BENCHMARK(number<barred<Divide>>)->Name("divide/barrier");

}  // namespace

BENCHMARK_MAIN();
