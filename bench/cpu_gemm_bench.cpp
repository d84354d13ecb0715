// The speed of ddgemm on the CPU against its ceilings and against the loops it replaces, in one run.
//
//   cpu_gemm_bench [n]      n = 1024 unless given
//
// Every figure is the median of several rounds in which the candidates take turns, so that a noisy machine slows them
// alike. Ratios are what to quote.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <hilo/gemm.hpp>
#include <vector>

#include "register_rate.hpp"
#include "triple_loops.hpp"

namespace {

using hilo::dd_real;
using std::int64_t;

std::vector<dd_real> random_matrix(int64_t n, std::uint64_t seed) {
  std::vector<dd_real> x(static_cast<std::size_t>(n * n));
  auto uniform = [&seed] {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(static_cast<int64_t>(seed) >> 11) * 0x1p-52;
  };
  for (dd_real& e : x) e = dd_real::sum(uniform(), uniform() * 0x1p-53);
  return x;
}

double seconds(const std::function<void()>& run) {
  auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Median seconds of each candidate, over rounds in which they take turns.
std::vector<double> medians(const std::vector<std::function<void()>>& candidates, int rounds, int repeats = 1) {
  std::vector<std::vector<double>> times(candidates.size());
  for (int r = -1; r < rounds; ++r) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      double t = seconds([&] {
        for (int s = 0; s < repeats; ++s) candidates[i]();
      });
      if (r >= 0) times[i].push_back(t / repeats);
    }
  }
  std::vector<double> result;
  for (auto& t : times) {
    std::nth_element(t.begin(), t.begin() + rounds / 2, t.end());
    result.push_back(t[static_cast<std::size_t>(rounds) / 2]);
  }
  return result;
}

void product(int64_t n, const std::vector<dd_real>& a, const std::vector<dd_real>& b, std::vector<dd_real>& c,
             hilo::Accuracy accuracy, int threads) {
  hilo::ddgemm(hilo::Layout::column, hilo::Op::none, hilo::Op::none, n, n, n, 1, a.data(), n, b.data(), n, 0, c.data(),
               n, {.accuracy = accuracy, .threads = threads});
}

void large(int64_t n) {
  auto a = random_matrix(n, 1), b = random_matrix(n, 2), c = a;
  double flops = 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n) * 1e-9;
  auto plan = hilo::plan_gemm<dd_real>(hilo::Layout::column, hilo::Op::none, hilo::Op::none, n, n, n, {.threads = 1});
  std::printf("n = %ld, %s, tile %ld x %ld\n", static_cast<long>(n), plan.unit, static_cast<long>(plan.micro_rows),
              static_cast<long>(plan.micro_columns));
  double ceiling[2] = {};
  for (int i = 0; i < 2; ++i) ceiling[i] = hilo::bench::register_rate(static_cast<hilo::Accuracy>(i));
  int64_t small = std::min<int64_t>(n, 384);
  auto sa = random_matrix(small, 3), sb = random_matrix(small, 4), sc = sa;
  double small_flops = flops * static_cast<double>(small * small * small) / static_cast<double>(n * n * n);
  auto t = medians(
      {[&] { product(n, a, b, c, hilo::Accuracy::classic, 1); }, [&] { product(n, a, b, c, hilo::Accuracy::fast, 1); },
       [&] { product(n, a, b, c, hilo::Accuracy::classic, 2); },
       [&] {
         hilo::bench::qd_triple_loop(small, reinterpret_cast<const double*>(sa.data()),
                                     reinterpret_cast<const double*>(sb.data()), reinterpret_cast<double*>(sc.data()));
       },
       [&] { hilo::bench::dd_triple_loop(small, sa.data(), sb.data(), sc.data()); }},
      5);
  for (int i = 0; i < 2; ++i)
    ceiling[i] = std::max(ceiling[i], hilo::bench::register_rate(static_cast<hilo::Accuracy>(i)));
  double classic = flops / t[0], fast = flops / t[1], two = flops / t[2], qd = small_flops / t[3],
         dd = small_flops / t[4];
  std::printf("  %-34s %7.2f GFlop/s\n", "step in registers, classic", ceiling[0]);
  std::printf("  %-34s %7.2f GFlop/s\n", "step in registers, fast", ceiling[1]);
  std::printf("  %-34s %7.2f GFlop/s  %.3f of registers\n", "ddgemm classic, 1 thread", classic, classic / ceiling[0]);
  std::printf("  %-34s %7.2f GFlop/s  %.3f of registers\n", "ddgemm fast, 1 thread", fast, fast / ceiling[1]);
  std::printf("  %-34s %7.2f GFlop/s  %.2f times 1 thread\n", "ddgemm classic, 2 threads", two, two / classic);
  std::printf("  %-34s %7.2f GFlop/s  ddgemm is %.2f times it (its n = %ld)\n", "libqd triple loop", qd, classic / qd,
              static_cast<long>(small));
  std::printf("  %-34s %7.2f GFlop/s  ddgemm is %.2f times it\n", "hilo::dd_real triple loop", dd, classic / dd);
}

void small_sizes() {
  std::printf("small products, 1 thread, GFlop/s (times the faster loop)\n");
  for (int64_t n : {1, 2, 4, 8, 12, 16, 17, 24, 32, 48, 64}) {
    auto a = random_matrix(n, 1), b = random_matrix(n, 2), c = a;
    double flops = 2.0 * static_cast<double>(n * n * n) * 1e-9;
    int repeats = static_cast<int>(2000000 / (n * n * n) + 1);
    auto t = medians({[&] { product(n, a, b, c, hilo::Accuracy::classic, 1); },
                      [&] { hilo::bench::dd_triple_loop(n, a.data(), b.data(), c.data()); },
                      [&] { hilo::bench::dd_dot_loop(n, a.data(), b.data(), c.data()); }},
                     7, repeats);
    std::printf("  n = %3ld  ddgemm %7.3f   loop j h i %7.3f   loop j i h %7.3f   %.2f\n", static_cast<long>(n),
                flops / t[0], flops / t[1], flops / t[2], std::min(t[1], t[2]) / t[0]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  large(argc > 1 ? std::atoll(argv[1]) : 1024);
  small_sizes();
}
