// The speed of ddgemm on the CPU against its ceilings and against the loops it replaces, in one run.
//
//   cpu_gemm_bench [n]      n = 1024 unless given
//
// Candidates take turns, and every figure, ratios too, is the median over the rounds: a noisy machine slows them alike.
// Ratios are what to quote.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <hilo/gemm.hpp>
#include <vector>

#include "random.hpp"
#include "triple_loops.hpp"
#include "tune/register_rate.hpp"

namespace {

using hilo::dd_real;
using hilo::bench::random;
using std::int64_t;

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

double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2), x.end());
  return x[x.size() / 2];
}

// Rates of one round, in GFlop/s.
struct Round {
  double registers[2], product[2], two_threads, qd, dd;
};

void large(int64_t n) {
  auto a = random<dd_real>(n * n, 1), b = random<dd_real>(n * n, 2), c = a;
  double flops = 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n) * 1e-9;
  auto plan = hilo::plan_gemm<dd_real>(hilo::Layout::column, hilo::Op::none, hilo::Op::none, n, n, n, {.threads = 1});
  std::printf("n = %ld, %s, tile %ld x %ld\n", static_cast<long>(n), plan.unit, static_cast<long>(plan.micro_rows),
              static_cast<long>(plan.micro_columns));
  const auto* qd_a = reinterpret_cast<const double*>(a.data());
  const auto* qd_b = reinterpret_cast<const double*>(b.data());
  std::vector<Round> rounds;
  for (int r = -1; r < 7; ++r) {
    Round round{};
    for (int i = 0; i < 2; ++i) {
      auto accuracy = static_cast<hilo::Accuracy>(i);
      // Before and after, so that a change of the machine's speed in between is seen by both.
      double before = hilo::tune::register_rate(accuracy);
      round.product[i] = flops / seconds([&] { product(n, a, b, c, accuracy, 1); });
      round.registers[i] = std::max(before, hilo::tune::register_rate(accuracy));
    }
    round.two_threads = flops / seconds([&] { product(n, a, b, c, hilo::Accuracy::classic, 2); });
    round.qd =
        flops / seconds([&] { hilo::bench::qd_triple_loop(n, qd_a, qd_b, reinterpret_cast<double*>(c.data())); });
    round.dd = flops / seconds([&] { hilo::bench::dd_triple_loop(n, a.data(), b.data(), c.data()); });
    if (r >= 0) rounds.push_back(round);
  }
  auto over_rounds = [&](auto of) {
    std::vector<double> x;
    for (const Round& round : rounds) x.push_back(of(round));
    return median(x);
  };
  for (int i = 0; i < 2; ++i) {
    std::printf("  %-7s step in registers %6.2f GFlop/s, ddgemm %6.2f, ratio %.3f\n", i ? "fast" : "classic",
                over_rounds([i](const Round& x) { return x.registers[i]; }),
                over_rounds([i](const Round& x) { return x.product[i]; }),
                over_rounds([i](const Round& x) { return x.product[i] / x.registers[i]; }));
  }
  std::printf("  2 threads %.2f GFlop/s, %.2f times 1 thread\n",
              over_rounds([](const Round& x) { return x.two_threads; }),
              over_rounds([](const Round& x) { return x.two_threads / x.product[0]; }));
  std::printf("  libqd triple loop %.2f GFlop/s, ddgemm is %.2f times it\n",
              over_rounds([](const Round& x) { return x.qd; }),
              over_rounds([](const Round& x) { return x.product[0] / x.qd; }));
  std::printf("  dd_real triple loop %.2f GFlop/s, ddgemm is %.2f times it\n",
              over_rounds([](const Round& x) { return x.dd; }),
              over_rounds([](const Round& x) { return x.product[0] / x.dd; }));
}

void small_sizes() {
  std::printf("small products, 1 thread, GFlop/s (times the faster loop)\n");
  for (int64_t n : {1, 2, 3, 4, 8, 12, 16, 17, 24, 32, 48, 64}) {
    auto a = random<dd_real>(n * n, 1), b = random<dd_real>(n * n, 2), c = a;
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
