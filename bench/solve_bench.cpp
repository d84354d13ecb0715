// What hilo::solve takes and how far its answers are from exact ones, by condition; and its time beside factorisations.
//
//   solve_bench [n [n_of_times]]     100 and 4000 unless given
//
// Systems have singular values in geometric progression and random orthogonal vectors. Times are medians of three
// rounds in which candidates take turns, on one thread and on two.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <hilo/accuracy.hpp>
#include <hilo/solve.hpp>
#include <vector>

#include "random.hpp"
#include "rounds.hpp"

namespace {

using hilo::dd_real;
using std::int64_t;

template <class T>
hilo::MatrixView<T> by_columns(std::vector<T>& x, int64_t n, int64_t columns) {
  return hilo::view(hilo::Layout::column, hilo::Op::none, x.data(), n, columns, n);
}

// Orthogonal to double.
std::vector<dd_real> orthogonal(int64_t n, std::uint64_t seed) {
  const std::vector<dd_real> random = hilo::bench::random<dd_real>(n * n, seed);
  std::vector<double> q(random.size()), tau(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < q.size(); ++i) q[i] = random[i].hi;
  hilo::geqrf(by_columns(q, n, n), std::span(tau));
  hilo::ungqr(by_columns(q, n, n), std::span<const double>(tau));
  return {q.begin(), q.end()};
}

std::vector<dd_real> matrix(int64_t n, double condition) {
  std::vector<dd_real> left = orthogonal(n, 1), right = orthogonal(n, 2), a(left.size());
  for (int64_t j = 0; j < n; ++j) {
    const double value = std::pow(condition, -static_cast<double>(j) / static_cast<double>(n - 1));
    for (int64_t i = 0; i < n; ++i) left[static_cast<std::size_t>(i + j * n)] *= value;
  }
  hilo::gemm(dd_real(1), by_columns(left, n, n), by_columns(right, n, n), dd_real(0), by_columns(a, n, n));
  return a;
}

// Whether all bounds hold.
bool print_errors(int64_t n) {
  std::printf("n = %ld, errors in u^2: of x relative to its largest entry, of an entry to itself\n",
              static_cast<long>(n));
  bool holds = true;
  for (const double condition : {1e2, 1e8, 1e11, 1e13, 1e14, 1e15, 1e16, 1e17, 1e20, 1e24, 1e28, 1e29, 1e30, 1e32}) {
    std::vector<dd_real> a = matrix(n, condition), b = hilo::bench::random<dd_real>(n, 3), x(b.size());
    for (const auto accuracy : {hilo::SolveAccuracy::full, hilo::SolveAccuracy::backward}) {
      for (const auto factors : {hilo::SolveFactors::in_double, hilo::SolveFactors::in_double_double}) {
        const auto report = hilo::solve(by_columns(a, n, n), by_columns(b, n, 1), by_columns(x, n, 1),
                                        {.accuracy = accuracy, .factors = factors, .certify = true});
        std::printf("  condition %.0e, %-8s, %-19s: ", condition, std::string(name(accuracy)).c_str(),
                    std::string(name(report.path)).c_str());
        if (!report.is_solved) {
          std::printf("%s\n", report.reason.c_str());
          continue;
        }
        const auto error = hilo::accuracy::solve_error<dd_real>(by_columns(a, n, n), by_columns(b, n, 1),
                                                                by_columns(x, n, 1), report.bounds);
        std::printf("%2d steps, backward error %.2f, errors %.2g, %.2g, bound %.3g%s\n", report.steps,
                    report.backward_error_u2, error.max_error_u2, error.max_entry_error_u2,
                    report.error_bound * 0x1p106, error.bounds_violated > 0 ? " VIOLATED" : "");
        holds = holds && error.bounds_violated == 0;
      }
    }
  }
  return holds;
}

void print_times(int64_t n, int threads) {
  std::vector<dd_real> a = matrix(n, 1e6), b = hilo::bench::random<dd_real>(n, 3), x(b.size()), work(a.size());
  std::vector<double> leading(a.size());
  std::vector<int64_t> pivots(static_cast<std::size_t>(n));
  const auto solve = [&](hilo::SolveAccuracy accuracy, bool certify) {
    const auto report = hilo::solve(by_columns(a, n, n), by_columns(b, n, 1), by_columns(x, n, 1),
                                    {.accuracy = accuracy, .certify = certify, .products = {.threads = threads}});
    if (!report.is_solved || report.is_certified != certify) std::abort();
  };
  const auto factor = [&](hilo::Engine engine) {
    work = a;
    hilo::getrf(by_columns(work, n, n), std::span(pivots), {.engine = engine, .threads = threads});
  };
  const hilo::bench::Rounds rounds(
      {[&] { solve(hilo::SolveAccuracy::full, false); }, [&] { solve(hilo::SolveAccuracy::backward, false); },
       [&] { solve(hilo::SolveAccuracy::full, true); },
       [&] {
         for (std::size_t i = 0; i < a.size(); ++i) leading[i] = a[i].hi;
         hilo::getrf(by_columns(leading, n, n), std::span(pivots), {.threads = threads});
       },
       [&] { factor(hilo::Engine::automatic); }, [&] { factor(hilo::Engine::direct); }},
      threads, 3);
  constexpr const char* names[] = {"solve, full",  "solve, backward", "solve, full, certified",
                                   "LU in double", "LU in DD",        "LU in DD, direct"};
  std::printf("n = %ld, condition 1e6, %d thread%s\n", static_cast<long>(n), threads, threads == 1 ? "" : "s");
  for (std::size_t i = 0; i < 6; ++i) {
    std::printf("  %-23s %7.3f s, %5.2f of LU in DD\n", names[i], rounds.time(i), rounds.ratio(i, 4));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool holds = print_errors(argc > 1 ? std::atoll(argv[1]) : 100);
  const int64_t n = argc > 2 ? std::atoll(argv[2]) : 4000;
  for (const int threads : {1, 2}) print_times(n, threads);
  return holds ? 0 : 1;
}
