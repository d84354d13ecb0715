// Systems of DD that stay in a device's memory, and what solving them consists of.
//
//   opencl_solve_bench [n …]     4096 and 16384 unless given
//   opencl_solve_bench certify [n …]     proofs alone
//
// A has random entries, B is A · ones up to rounding. Times are wall-clock, best and median of rounds in which
// candidates take turns, after one that counts for nothing; of residuals also the bandwidth at which A is read.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <hilo/solve.hpp>
#include <sstream>

#include "errors.hpp"
#include "opencl/native.hpp"
#include "random.hpp"
#include "solve/opencl/device_factors.hpp"

namespace hilo::bench {
namespace {

constexpr int rounds = 5;

struct Candidate {
  const char* name;
  std::function<void()> prepare, run;
  std::vector<double> times;
};

void measure(std::vector<Candidate>& candidates) {
  for (int round = 0; round <= rounds; ++round) {
    for (Candidate& c : candidates) {
      if (c.prepare) c.prepare();
      const auto start = std::chrono::steady_clock::now();
      c.run();
      const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
      if (round > 0) c.times.push_back(time.count());
    }
  }
  for (Candidate& c : candidates) {
    std::sort(c.times.begin(), c.times.end());
    std::printf("  %-46s %9.3f ms, median %9.3f\n", c.name, c.times.front(), c.times[rounds / 2]);
  }
  std::fflush(stdout);
}

template <class T>
void copy(const Queue& queue, const Buffer<T>& from, const Buffer<T>& to) {
  cl::CommandQueue(queue.native(), true)
      .enqueueCopyBuffer(cl::Buffer(from.native(), true), cl::Buffer(to.native(), true), 0, 0,
                         sizeof(T) * static_cast<std::size_t>(from.size()));
  queue.finish();
}

// Of the first candidate and the one with a proof.
void print_proof(const std::vector<Candidate>& of, const SolveReport& proved) {
  std::ostringstream text;
  text << proved;
  std::printf("  %s\n  %s: with a proof / without, median %.2f, best %.2f\n", text.str().c_str(),
              proved.is_certified ? "proved" : "NOT PROVED", of[1].times[rounds / 2] / of[0].times[rounds / 2],
              of[1].times.front() / of[0].times.front());
  std::fflush(stdout);
}

// What proofs consist of.
void measure_proofs(Queue& queue, const Buffer<dd_real>& of_a, std::int64_t n) {
  solver::DeviceMatrix matrix(*queue.state(), Precision::dd, {cl::Buffer(of_a.native(), true), 0, n, n, 1, n},
                              solver::Part::all, {}, {});
  const std::vector<int> zeros(static_cast<std::size_t>(n));
  const std::vector<double> ones(static_cast<std::size_t>(n), 1.0);
  matrix.take({zeros, zeros});
  const auto measure_parts = [&](auto factors, SolvePath path) {
    factors.factor(path);
    const solver::DeviceSquare inverse = factors.inverse();
    const auto product = [&] { matrix.product_of_sizes(inverse.precision(), inverse.buffer(), ones); };
    std::printf("%s\n", name(inverse.precision()).data());
    std::vector<Candidate> parts = {{"factors", {}, [&] { factors.factor(path); }, {}},
                                    {"inverse by them", {}, [&] { factors.inverse(); }, {}},
                                    {"I - R A", {}, [&] { solver::rest_of_product(matrix, inverse, {}); }, {}},
                                    {"|R| y", {}, product, {}}};
    measure(parts);
    factors.finish();
  };
  measure_parts(solver::DeviceFactors<double>(matrix, {}), SolvePath::double_lu);
  measure_parts(solver::DeviceFactors<dd_real>(matrix, {}), SolvePath::double_double_lu);
  matrix.finish();
}

void solve_systems(Queue& queue, std::int64_t n, bool is_certify_alone) {
  std::printf("n = %ld\n", static_cast<long>(n));
  const Context context = queue.context();
  Buffer<dd_real> of_a(context, n * n), of_b(context, n), of_x(context, n);
  Buffer<double> leading(context, n * n), d_factors(context, n * n), of_d(context, n);
  std::vector<dd_real> b(static_cast<std::size_t>(n));
  {
    const std::vector<dd_real> a = random<dd_real>(n * n, 1);
    std::vector<double> words(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      words[i] = a[i].hi;
      b[i % static_cast<std::size_t>(n)] += a[i];
    }
    of_a.write(queue, a.data(), 0, n * n);
    leading.write(queue, words.data(), 0, n * n);
    of_b.write(queue, b.data(), 0, n);
  }
  const auto a = view(Layout::column, Op::none, of_a, n, n, n);
  const auto rhs = view(Layout::column, Op::none, of_b, n, 1, n), x = view(Layout::column, Op::none, of_x, n, 1, n);
  const auto d = view(Layout::column, Op::none, d_factors, n, n, n);
  std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
  SolveReport full, backward, proved;
  const auto certify = [&](SolveFactors factors) {
    return [&, factors] { proved = solve(queue, a, rhs, x, {}, {.factors = factors, .certify = true}); };
  };
  {
    std::vector<Candidate> candidates = {
        {"solve, full", {}, [&] { full = solve(queue, a, rhs, x); }, {}},
        {"solve, full, certify", {}, certify(SolveFactors::automatic), {}},
    };
    measure(candidates);
    print_proof(candidates, proved);
  }
  {
    std::vector<Candidate> candidates = {
        {"solve, full, factors in DD",
         {},
         [&] { full = solve(queue, a, rhs, x, {}, {.factors = SolveFactors::in_double_double}); },
         {}},
        {"the same, certify", {}, certify(SolveFactors::in_double_double), {}},
    };
    measure(candidates);
    print_proof(candidates, proved);
  }
  if (is_certify_alone) return measure_proofs(queue, of_a, n);
  {
    std::vector<Candidate> candidates = {
        {"LU in D", [&] { copy(queue, leading, d_factors); }, [&] { getrf(queue, d, pivots); }, {}},
        {"solve, full", {}, [&] { full = solve(queue, a, rhs, x); }, {}},
        {"solve, backward",
         {},
         [&] { backward = solve(queue, a, rhs, x, {}, {.accuracy = SolveAccuracy::backward}); },
         {}}};
    measure(candidates);
  }
  std::vector<dd_real> found(static_cast<std::size_t>(n));
  of_x.read(queue, found.data(), 0, n);
  double error = 0.0;
  for (const dd_real& e : found) error = worse(error, std::fabs((e - dd_real(1)).hi));
  std::ostringstream text;
  text << "  full: " << full << "\n  backward: " << backward << "\n";
  std::printf("%s  backward's x is ones up to %.1e\n", text.str().c_str(), error);
  {
    // With memory of its own, which the candidates above do not share.
    Buffer<dd_real> factors(context, n * n);
    std::vector<Candidate> candidates = {
        {"LU in DD",
         [&] { copy(queue, of_a, factors); },
         [&] { getrf(queue, view(Layout::column, Op::none, factors, n, n, n), pivots); },
         {}},
        {"solve, full, factors in DD",
         {},
         [&] { full = solve(queue, a, rhs, x, {}, {.factors = SolveFactors::in_double_double}); },
         {}}};
    measure(candidates);
    std::ostringstream of_full;
    of_full << full;
    std::printf("  %s\n", of_full.str().c_str());
  }
  solver::DeviceMatrix matrix(*queue.state(), Precision::dd, {cl::Buffer(of_a.native(), true), 0, n, n, 1, n},
                              solver::Part::all, {}, {});
  const std::vector<int> zeros(static_cast<std::size_t>(n));
  matrix.take({zeros, zeros});
  solver::DeviceFactors<double> factors(matrix, {});
  const std::int64_t pitch = n, line = 2 * pitch;
  const std::vector<double> lines = random<double>(2 * line, 5), ones(static_cast<std::size_t>(n), 1.0);
  const std::vector<double> eight = random<double>(16 * line, 5);
  std::vector<double> column = ones;
  const auto residual = [&](int words) { return [&, words] { matrix.residuals(words, lines, pitch, false); }; };
  const auto row_sizes = [&] { matrix.largest_of_rows(); };
  const auto column_sizes = [&] { matrix.largest_of_columns(&zeros); };
  Event last;
  std::vector<Candidate> parts = {
      {"largest entries of rows", {}, row_sizes, {}},
      {"largest entries of columns", {}, column_sizes, {}},
      {"|A| |x|", {}, [&] { matrix.product_of_sizes(ones); }, {}},
      {"factors in D with their copy and inverses", {}, [&] { factors.factor(SolvePath::double_lu); }, {}},
      {"condition", {}, [&] { factors.condition(1.0); }, {}},
      {"solve with a column", {}, [&] { factors.DeviceFactorsOfAny::solve(column.data(), 1); }, {}},
      {"trsv with L in D",
       {},
       [&] {
         trsv(queue, Uplo::lower, Diag::unit, d, BufferVector<double>{of_d, 0, n, 1}).wait();
       },
       {}},
      {"residual, 2 words", {}, residual(2), {}},
      {"residual, 3 words", {}, residual(3), {}},
      {"residual, 4 words", {}, residual(4), {}},
      {"residual, 6 words", {}, residual(6), {}},
      {"8 residuals, 4 words", {}, [&] { matrix.residuals(4, eight, pitch, false); }, {}}};
  measure(parts);
  for (const Candidate& c : parts) {
    if (std::string_view(c.name).substr(0, 8) != "residual") continue;
    const double bytes = 16.0 * static_cast<double>(n) * static_cast<double>(n);
    std::printf("  %s: %.0f GB/s\n", c.name, bytes / c.times.front() * 1e-6);
  }
  matrix.finish();
  measure_proofs(queue, of_a, n);
}

}  // namespace
}  // namespace hilo::bench

int main(int count, char** arguments) {
  try {
    hilo::Queue queue{hilo::Context()};
    std::printf("%s, driver %s\n", queue.context().device().name.c_str(), queue.context().device().driver.c_str());
    std::vector<std::int64_t> sizes;
    const bool is_certify_alone = count > 1 && std::string_view(arguments[1]) == "certify";
    for (int i = is_certify_alone ? 2 : 1; i < count; ++i) sizes.push_back(std::atol(arguments[i]));
    if (sizes.empty()) sizes = {4096, 16384};
    for (const std::int64_t n : sizes) hilo::bench::solve_systems(queue, n, is_certify_alone);
  } catch (const hilo::error& e) {
    std::fprintf(stderr, "opencl_solve_bench: %s\n", e.what());
    return 1;
  }
}
