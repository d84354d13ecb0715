// Operations on arrays, packs and single numbers against libqd, and dot and axpy against their ceilings, in one run.
//
//   array_bench [options of Google Benchmark]
//
// Candidates take turns in random order, and the tables at the end show medians of CPU time. Ratios are what to quote.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <hilo/array.hpp>
#include <map>
#include <string>
#include <vector>

#include "array_ceilings.hpp"
#include "number_loops.hpp"

namespace {

using hilo::dd_real;
using hilo::bench::dd_real_loops;
using hilo::bench::NumberLoops;
using hilo::bench::pack_loops;
using hilo::bench::qd_loops;
using std::int64_t;
using Numbers = std::vector<dd_real>;

constexpr int64_t array_size = 4096;
constexpr int64_t chain_steps = 1000;
const int64_t sizes[] = {10'000, 100'000, 1'000'000, 10'000'000};

// Numbers in (1, 2), all words filled.
Numbers numbers(int64_t n, std::uint64_t seed) {
  Numbers x(static_cast<std::size_t>(n));
  auto uniform = [&seed] {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(seed >> 12) * 0x1p-52;
  };
  for (dd_real& e : x) {
    double hi = 1.0 + uniform();
    e = dd_real::sum(hi, uniform() * 0x1p-53);
  }
  return x;
}

double* words(Numbers& x) { return reinterpret_cast<double*>(x.data()); }

// Runs `call`, which treats n elements, as the benchmark of that name.
template <class Call>
void add_benchmark(const std::string& name, int64_t n, Call call) {
  benchmark::RegisterBenchmark(name.c_str(), [n, call](benchmark::State& state) {
    for (auto _ : state) {
      call();
      benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations() * n);
  });
}

// Medians of nanoseconds an element, by name.
class Medians : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      auto items = run.counters.find("items_per_second");
      if (run.aggregate_name == "median" && items != run.counters.end()) {
        medians_[run.run_name.function_name] = 1e9 / items->second;
      }
    }
    ConsoleReporter::ReportRuns(runs);
  }
  bool has(const std::string& name) const { return medians_.count(name) != 0; }
  double operator[](const std::string& name) const { return has(name) ? medians_.at(name) : 0.0; }

 private:
  std::map<std::string, double> medians_;
};

struct Operation {
  const char* name;
  void (*array)(hilo::array::Input x, hilo::array::Input y, hilo::array::Output out);
  NumberLoops::Loop NumberLoops::*loop;
  NumberLoops::Loop NumberLoops::*scalar_loop;
};
template <auto f>
constexpr auto unary = [](hilo::array::Input x, hilo::array::Input, hilo::array::Output out) { f(x, out); };

const Operation operations[] = {
    {"+", hilo::array::add, &NumberLoops::add, &NumberLoops::scalar_add},
    {"*", hilo::array::multiply, &NumberLoops::multiply, &NumberLoops::scalar_multiply},
    {"/", hilo::array::divide, &NumberLoops::divide, &NumberLoops::scalar_divide},
    {"sqrt", unary<hilo::array::sqrt>, &NumberLoops::sqrt, nullptr},
    {"exp", unary<hilo::array::exp>, &NumberLoops::exp, nullptr},
    {"log", unary<hilo::array::log>, &NumberLoops::log, nullptr},
    {"sin", unary<hilo::array::sin>, &NumberLoops::sin, nullptr},
    {"cos", unary<hilo::array::cos>, &NumberLoops::cos, nullptr},
};

struct Chain {
  const char* name;
  NumberLoops::Chain NumberLoops::*chain;
};
const Chain chains[] = {
    {"x + a", &NumberLoops::add_chain},
    {"x * a", &NumberLoops::multiply_chain},
    {"x * a + b", &NumberLoops::multiply_add_chain},
    {"a / x", &NumberLoops::divide_chain},
    {"sqrt(x + a)", &NumberLoops::sqrt_chain},
    {"exp(-x)", &NumberLoops::exp_chain},
    {"log(x + a) + a", &NumberLoops::log_chain},
    {"sin(x + a)", &NumberLoops::sin_chain},
};

struct Buffers {
  Numbers x, y, out;
  explicit Buffers(int64_t n) : x(numbers(n, 1)), y(numbers(n, 2)), out(numbers(n, 3)) {}
};

void add_array_benchmarks(Buffers& b) {
  for (const Operation& operation : operations) {
    std::string name = operation.name;
    add_benchmark(name + "/array", array_size, [=, &b] { operation.array(b.x, b.y, b.out); });
    auto add_loop = [&](const std::string& kind, NumberLoops::Loop loop) {
      add_benchmark(name + kind, array_size, [=, &b] { loop(array_size, words(b.x), words(b.y), words(b.out)); });
    };
    add_loop("/pack", pack_loops.*operation.loop);
    add_loop("/dd_real", dd_real_loops.*operation.loop);
    add_loop("/QD", qd_loops.*operation.loop);
    if (operation.scalar_loop) add_loop("/QD scalar", qd_loops.*operation.scalar_loop);
  }
}

void add_chain_benchmarks() {
  for (const Chain& chain : chains) {
    auto add = [&](const std::string& kind, NumberLoops::Chain run) {
      add_benchmark(chain.name + kind, chain_steps, [run] { benchmark::DoNotOptimize(run(chain_steps)); });
    };
    add("/dd_real", dd_real_loops.*chain.chain);
    add("/QD", qd_loops.*chain.chain);
  }
}

void add_reduction_benchmarks(std::vector<Buffers>& buffers) {
  for (Buffers& b : buffers) {
    auto n = static_cast<int64_t>(b.x.size());
    std::string of = " of " + std::to_string(n);
    add_benchmark("dot" + of, n, [&b] { benchmark::DoNotOptimize(hilo::array::dot(b.x, b.y)); });
    add_benchmark("dot" + of + "/bytes", n,
                  [&b, n] { benchmark::DoNotOptimize(hilo::bench::read_two(n, words(b.x), words(b.y))); });
    add_benchmark("axpy" + of, n, [&b] { hilo::array::axpy(0x1p-60, b.x, b.y); });
    add_benchmark("axpy" + of + "/bytes", n, [&b, n] { hilo::bench::read_two_write_one(n, words(b.x), words(b.out)); });
  }
  for (int vectors : {4, 8, 12}) {
    for (bool unpacks : {false, true}) {
      std::string name = std::string(unpacks ? "/shuffles" : "/registers") + std::to_string(vectors);
      add_benchmark("dot" + name, 9600,
                    [=] { benchmark::DoNotOptimize(hilo::bench::dot_in_registers(9600, vectors, unpacks)); });
      add_benchmark("axpy" + name, 9600,
                    [=] { benchmark::DoNotOptimize(hilo::bench::axpy_in_registers(9600, vectors, unpacks)); });
    }
  }
}

// Of that width, blank where nothing was measured.
std::string cell(int width, int digits, double value) {
  char text[32];
  if (value > 0.0 && value < HUGE_VAL) {
    std::snprintf(text, sizeof text, "%*.*f", width, digits, value);
  } else {
    std::snprintf(text, sizeof text, "%*s", width, "");
  }
  return text;
}

void print_arrays(const Medians& t) {
  std::printf("\nn = %d, ns an element; QD's plain loops of operators are vectorised, its scalar ones are not\n",
              int{array_size});
  std::printf("         array    pack  dd_real       QD  QD scalar   QD / array  QD scalar / array\n");
  for (const Operation& operation : operations) {
    std::string name = operation.name;
    double array = t[name + "/array"], qd = t[name + "/QD"], scalar = t[name + "/QD scalar"];
    std::string line = cell(8, 3, array) + cell(8, 3, t[name + "/pack"]) + cell(9, 3, t[name + "/dd_real"]) +
                       cell(9, 3, qd) + cell(11, 3, scalar) + cell(13, 2, qd / array) + cell(19, 2, scalar / array);
    std::printf("  %-4s%s\n", operation.name, line.c_str());
  }
}

void print_chains(const Medians& t) {
  std::printf("\ndependent steps, ns each\n                   dd_real       QD   QD / dd_real\n");
  for (const Chain& chain : chains) {
    double hilo = t[std::string(chain.name) + "/dd_real"], qd = t[std::string(chain.name) + "/QD"];
    std::printf("  %-15s%s%s%s\n", chain.name, cell(9, 2, hilo).c_str(), cell(9, 2, qd).c_str(),
                cell(15, 2, qd / hilo).c_str());
  }
}

void print_reductions(const Medians& t) {
  std::printf(
      "\nns an element; of the ceiling: the larger of bytes and registers, or of bytes and shuffles, over the time\n");
  std::printf("                          time    bytes  registers  with shuffles   of registers  of shuffles\n");
  for (const char* name : {"dot", "axpy"}) {
    auto best = [&](const std::string& kind) {
      return std::min({t[name + kind + "4"], t[name + kind + "8"], t[name + kind + "12"]});
    };
    double registers = best("/registers"), shuffles = best("/shuffles");
    for (int64_t n : sizes) {
      std::string of = std::string(name) + " of " + std::to_string(n);
      double time = t[of], bytes = t[of + "/bytes"];
      std::printf("  %-18s  %8.3f %8.3f   %8.3f       %8.3f        %7.2f      %7.2f\n", of.c_str(), time, bytes,
                  registers, shuffles, std::max(bytes, registers) / time, std::max(bytes, shuffles) / time);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  // Defaults that the command line may override.
  std::string defaults[] = {"--benchmark_repetitions=9", "--benchmark_enable_random_interleaving=true",
                            "--benchmark_report_aggregates_only=true", "--benchmark_min_time=0.02"};
  std::vector<char*> arguments = {argv[0]};
  for (std::string& option : defaults) arguments.push_back(option.data());
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;

  Buffers small(array_size);
  std::vector<Buffers> large;
  for (int64_t n : sizes) large.emplace_back(n);
  add_array_benchmarks(small);
  add_chain_benchmarks();
  add_reduction_benchmarks(large);
  Medians medians;
  benchmark::RunSpecifiedBenchmarks(&medians);
  print_arrays(medians);
  print_chains(medians);
  print_reductions(medians);
}
