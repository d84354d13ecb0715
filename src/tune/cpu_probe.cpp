#include "tune/cpu_probe.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>
#include <vector>

#include "gemm/rate_table.hpp"
#include "host/cpu_name.hpp"
#include "host/door.hpp"
#include "host/processors.hpp"
#include "host/team.hpp"
#include "tune/rates.hpp"
#include "tune/register_rate.hpp"

namespace hilo::tune {
namespace {

// Of all threads at once: they share clocks, and some of them a core.
template <class Rate>
double of_all(int threads, Rate rate) {
  std::vector<double> each(static_cast<std::size_t>(threads));
  host::on_team(threads, [&](int thread) { each[static_cast<std::size_t>(thread)] = rate(); });
  return std::accumulate(each.begin(), each.end(), 0.0);
}

// 10^9 bytes a second, read and written: more than caches hold, so that all of it comes from memory.
double copy_rate(int threads) {
  constexpr std::int64_t bytes = 64 << 20;
  constexpr int runs = 6;  // the first of them touches memory for the first time
  std::vector<char> from(bytes, 1), to(bytes);
  double best = 0.0;
  for (int i = 0; i < runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    host::for_parts(threads, bytes, [&](std::int64_t first, std::int64_t last) {
      std::memcpy(to.data() + first, from.data() + first, static_cast<std::size_t>(last - first));
    });
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    best = std::max(best, 2e-9 * static_cast<double>(bytes) / seconds);
  }
  return best;
}

}  // namespace

CpuFigures probe_cpu(const GemmOptions& options) {
  return host::door("no memory to measure the CPU's rates", [&] {
    const int asked = options.threads ? options.threads : host::default_threads();
    // More take turns, and what each measures in its own turn does not add up.
    const int threads = host::running_threads(asked);
    const model::CpuRates rates = measure_rates(options);
    CpuFigures figures{{}, rates, measure_rates_in_double(options, rates), asked};
    model::Device& d = figures.device;
    d.key = "cpu";
    d.name = host::cpu_name();
    d.source = "measured by probes now";
    d.units = threads;
    d.has_fma = cpu_kind(options).fma == model::StepFma::native;
    d.gflops_s = of_all(threads, [] { return multiply_add_rate(Precision::s); });
    d.gflops_d = of_all(threads, [] { return multiply_add_rate(Precision::d); });
    d.dd_gflops = of_all(threads, [] { return register_rate(Accuracy::classic); });
    d.dd_gflops_fast = of_all(threads, [] { return register_rate(Accuracy::fast); });
    d.byte_gops = 2e-9 / figures.rates.byte_product * threads;
    d.memory_gbytes = copy_rate(threads);
    return figures;
  });
}

}  // namespace hilo::tune
