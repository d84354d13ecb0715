// The speed of the modular engine on the CPU: against the byte products it consists of, against the direct engine, and
// how well `automatic` chooses between the two.
//
//   modular_gemm_bench [n]                      n = 2048 unless given, one thread; then where the time goes
//   modular_gemm_bench --grid [--threads T]     30 shapes: how much slower `automatic` is than the better engine
//   modular_gemm_bench --cubes [--threads T]    modular against direct on small cubes
//
// Candidates take turns, and every figure, ratios too, is the median over the rounds. Ratios are what to quote.
#include <algorithm>
#include <complex>
#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <data/generate.hpp>
#include <functional>
#include <hilo/gemm.hpp>
#include <string>
#include <vector>

#include "gemm/modular/cpu/bytes.hpp"
#include "gemm/modular/moduli.hpp"
#include "modular_steps.hpp"
#include "rounds.hpp"

namespace {

using hilo::Engine;
using hilo::Layout;
using hilo::Op;
using hilo::bench::Rounds;
using std::int64_t;

struct Shape {
  int64_t m, n, k;
  double phi = 0.0;  // entries (rand − ½)·exp(phi·normal); 0: uniform ones
  Layout layout = Layout::column;
  Op opa = Op::none, opb = Op::none;
};

template <class T>
class Problem {
 public:
  explicit Problem(const Shape& shape)
      : s_(shape),
        lda_(leading(s_.m, s_.k, s_.opa)),
        ldb_(leading(s_.k, s_.n, s_.opb)),
        ldc_(leading(s_.m, s_.n, Op::none)),
        a_(filled(s_.m * s_.k, 1)),
        b_(filled(s_.k * s_.n, 2)),
        c_(filled(s_.m * s_.n, 3)) {}

  hilo::GemmPlan run(Engine engine, int threads) {
    return hilo::gemm<T>(s_.layout, s_.opa, s_.opb, s_.m, s_.n, s_.k, T(1), a_.data(), lda_, b_.data(), ldb_, T(0),
                         c_.data(), ldc_, {.engine = engine, .threads = threads})
        .plan;
  }

  /// A multiplication and an addition of complex numbers are four of each.
  double flops() const {
    return (is_complex ? 8.0 : 2.0) * static_cast<double>(s_.m) * static_cast<double>(s_.n) * static_cast<double>(s_.k);
  }

  static constexpr bool is_complex = std::same_as<T, hilo::dd_complex> || std::same_as<T, std::complex<double>>;

 private:
  int64_t leading(int64_t rows, int64_t columns, Op op) const {
    return (s_.layout == Layout::column) == (op == Op::none) ? rows : columns;
  }
  std::vector<T> filled(int64_t size, std::uint64_t seed) const {
    std::vector<T> x(static_cast<std::size_t>(size));
    auto init = s_.phi == 0.0 ? hilo::data::Init::uniform : hilo::data::Init::range;
    hilo::data::generate({{init, s_.phi}, seed}, Layout::column, size, 1, x.data(), size);
    return x;
  }

  Shape s_;
  int64_t lda_, ldb_, ldc_;
  std::vector<T> a_, b_, c_;
};

// A product of n × n bytes, operands resident.
class ByteProduct {
 public:
  explicit ByteProduct(int64_t n)
      : n_(n), first_(static_cast<std::size_t>(n * n)), second_(first_.size()), sums_(first_.size()) {
    for (std::size_t i = 0; i < first_.size(); ++i) {
      first_[i] = static_cast<std::uint8_t>(i * 2654435761u >> 13);
      second_[i] = static_cast<std::int8_t>(i * 2246822519u >> 13);
    }
  }
  void run() {
    hilo::modular::multiply_bytes(library_, n_, n_, n_, {first_.data(), n_, false}, {second_.data(), n_, false},
                                  sums_.data(), n_);
  }

 private:
  int64_t n_;
  hilo::Int8Library library_ = hilo::modular::int8_library(hilo::Int8Library::automatic);
  std::vector<std::uint8_t> first_;
  std::vector<std::int8_t> second_;
  std::vector<std::int32_t> sums_;
};

// One line: the int8 rate, the modular product, what it is of int8 ÷ moduli, and the direct product.
template <class T>
void compare(const char* what, const Shape& shape) {
  Problem<T> x(shape);
  ByteProduct bytes(shape.n);
  hilo::GemmPlan plan{};
  auto multiply_bytes = [&] { bytes.run(); };
  // Bytes before and after, so that a change of the machine's speed in between is seen by both.
  auto modular = [&] { plan = x.run(Engine::modular, 1); };
  Rounds t({multiply_bytes, modular, multiply_bytes, [&] { x.run(Engine::direct, 1); }}, 1, 7, 0.2);
  double byte_flops = 2.0 * static_cast<double>(shape.n) * static_cast<double>(shape.n) * static_cast<double>(shape.n);
  const double products = hilo::modular::planes_of(plan.moduli, x.is_complex);
  std::printf(
      "  %-30s N %2d  int8 %6.1f GOPS  modular %6.2f GFlop/s, %.3f of int8/planes   direct %6.2f, %.2f times it\n",
      what, plan.moduli, t.over_rounds([&](const auto& s) { return byte_flops * 2e-9 / (s[0] + s[2]); }),
      x.flops() * 1e-9 / t.time(1), t.over_rounds([&](const auto& s) { return products * (s[0] + s[2]) / 2.0 / s[1]; }),
      x.flops() * 1e-9 / t.time(3), t.ratio(3, 1));
  std::fflush(stdout);
}

void rates(int64_t n) {
  using hilo::dd_real;
  auto plan =
      hilo::plan_gemm<dd_real>(Layout::column, Op::none, Op::none, n, n, n, {.engine = Engine::modular, .threads = 1});
  std::printf(
      "n = %ld, 1 thread, %s; planes: products of bytes, N or for complex numbers two or three for each modulus\n",
      static_cast<long>(n), plan.unit);
  compare<dd_real>("DD NN, columns", {n, n, n});
  compare<dd_real>("DD NN, rows", {n, n, n, 0.0, Layout::row});
  compare<dd_real>("DD TN, columns", {n, n, n, 0.0, Layout::column, Op::transpose});
  compare<dd_real>("DD NT, columns", {n, n, n, 0.0, Layout::column, Op::none, Op::transpose});
  compare<dd_real>("DD NN, columns, phi = 1", {n, n, n, 1.0});
  compare<double>("D NN, columns; direct is BLAS", {n, n, n});
  int64_t half = std::max<int64_t>(n / 2, 1);
  compare<hilo::dd_complex>("ZDD NN, columns, n / 2", {half, half, half});
  hilo::bench::print_steps(n, 7);
}

// The smallest time a turn takes, and rounds: short products are noisier.
constexpr double turn = 0.03;
int rounds_for(double seconds) { return seconds < 0.1 ? 15 : seconds < 0.5 ? 9 : 5; }

// Returns the better engine's time over that of `automatic`.
template <class T>
double choose(const Shape& shape, int threads) {
  constexpr double longest = 3.0;
  Problem<T> x(shape);
  hilo::GemmPlan chosen{};
  auto automatic = [&] { chosen = x.run(Engine::automatic, threads); };
  auto direct = [&] { x.run(Engine::direct, threads); };
  auto modular = [&] { x.run(Engine::modular, threads); };
  automatic();
  double once = hilo::bench::seconds(threads, direct);
  double modular_once = hilo::bench::seconds(threads, modular);
  bool has_modular = modular_once < longest;
  std::vector<std::function<void()>> candidates = {automatic, direct};
  if (has_modular) candidates.push_back(modular);
  Rounds t(candidates, threads, rounds_for(once), turn);
  double times[2] = {t.time(1), has_modular ? t.time(2) : modular_once};
  int better = times[1] < times[0] ? 1 : 0;
  double ratio = better == 0 || has_modular ? t.ratio(better ? 2 : 1, 0) : times[1] / t.time(0);
  std::printf("  %-3s %5ld x %5ld x %6ld  phi %.0f  direct %10.3f ms  modular %10.3f%s  automatic %10.3f, %-8s %.3f\n",
              std::string(hilo::name(hilo::precision_of<T>)).c_str(), static_cast<long>(shape.m),
              static_cast<long>(shape.n), static_cast<long>(shape.k), shape.phi, times[0] * 1e3, times[1] * 1e3,
              has_modular ? " " : "*", t.time(0) * 1e3, std::string(hilo::name(chosen.engine)).c_str(), ratio);
  std::fflush(stdout);
  return ratio;
}

void grid(int threads) {
  const Shape real[] = {{1, 1, 100000},        {1, 2000, 2000},    {2000, 1, 2000},    {2000, 2000, 1},
                        {2000, 2000, 8},       {64, 64, 100000},   {256, 256, 20000},  {64, 64, 64},
                        {128, 128, 128},       {192, 192, 192},    {256, 256, 256},    {384, 384, 384},
                        {512, 512, 512},       {1024, 1024, 1024}, {2048, 2048, 2048}, {2000, 64, 2000},
                        {64, 2000, 2000},      {2000, 2000, 64},   {3000, 300, 300},   {300, 300, 3000},
                        {777, 777, 777},       {131, 517, 263},    {1001, 999, 1003},  {512, 512, 512, 1},
                        {1024, 1024, 1024, 1}, {700, 700, 700, 3}};
  const Shape complex[] = {{96, 96, 96}, {256, 256, 256}, {768, 768, 768}, {1000, 48, 1000}};
  std::printf("30 shapes m x n x k, %d thread%s; * one run; last the better engine's time over that of automatic\n",
              threads, threads == 1 ? "" : "s");
  double smallest = 1e300;
  for (const Shape& s : real) smallest = std::min(smallest, choose<hilo::dd_real>(s, threads));
  for (const Shape& s : complex) smallest = std::min(smallest, choose<hilo::dd_complex>(s, threads));
  std::printf("smallest ratio %.3f\n", smallest);
}

template <class T>
void cube(int64_t n, int threads) {
  Problem<T> x({n, n, n});
  hilo::GemmPlan plan{};
  auto modular = [&] { plan = x.run(Engine::modular, threads); };
  Rounds t({[&] { x.run(Engine::direct, threads); }, modular}, threads, n < 512 ? 15 : 9, turn);
  std::printf("  %-3s n = %4ld  direct %9.3f ms  modular %9.3f, N %2d   modular/direct %.3f\n",
              std::string(hilo::name(hilo::precision_of<T>)).c_str(), static_cast<long>(n), t.time(0) * 1e3,
              t.time(1) * 1e3, plan.moduli, t.ratio(1, 0));
  std::fflush(stdout);
}

void cubes(int threads) {
  std::printf("cubes, %d thread%s\n", threads, threads == 1 ? "" : "s");
  for (int64_t n : {128, 192, 256, 384, 512, 768, 1024}) cube<hilo::dd_real>(n, threads);
  for (int64_t n : {128, 192, 256, 384, 512, 768, 1024}) cube<hilo::dd_complex>(n, threads);
}

}  // namespace

int main(int argc, char** argv) {
  int64_t n = 2048;
  int threads = 1;
  bool wants_grid = false, wants_cubes = false;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--grid")) {
      wants_grid = true;
    } else if (!std::strcmp(argv[i], "--cubes")) {
      wants_cubes = true;
    } else if (!std::strcmp(argv[i], "--threads") && i + 1 < argc) {
      threads = std::atoi(argv[++i]);
    } else {
      n = std::atoll(argv[i]);
    }
  }
  if (n < 1 || threads < 1 || (threads > 1 && !wants_grid && !wants_cubes)) {
    std::fprintf(stderr, "usage: modular_gemm_bench [n] [--grid] [--cubes] [--threads T]\n");
    return 2;
  }
  if (wants_grid) grid(threads);
  if (wants_cubes) cubes(threads);
  if (!wants_grid && !wants_cubes) rates(n);
}
