// Calls of the library's functions on the CPU, whose results are compared bit by bit between circumstances.
#pragma once

#include <omp.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <hilo/accuracy.hpp>
#include <hilo/array.hpp>
#include <hilo/gemm.hpp>
#include <hilo/solve.hpp>
#include <memory>
#include <string>
#include <vector>

#include "data/generate.hpp"

namespace hilo::test {

struct CpuCall {
  std::string name;
  std::function<void()> reset;           ///< outputs as they are before the call
  std::function<void(int threads)> run;  ///< allocates nothing itself
  std::function<std::string()> results;  ///< the bytes of all outputs
};

template <class T>
std::string bytes_of(const std::vector<T>& x) {
  std::string bytes(x.size() * sizeof(T), '\0');
  if (!x.empty()) std::memcpy(bytes.data(), x.data(), bytes.size());
  return bytes;
}

inline double uniform_number(std::uint64_t& state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return static_cast<double>(static_cast<std::int64_t>(state) >> 11) * 0x1p-52;
}
inline void set_number(float& x, std::uint64_t& state) { x = static_cast<float>(uniform_number(state)); }
inline void set_number(double& x, std::uint64_t& state) { x = uniform_number(state); }
inline void set_number(dd_real& x, std::uint64_t& state) {
  const double hi = uniform_number(state);
  x = dd_real::sum(hi, uniform_number(state) * 0x1p-54);
}
template <class Word>
void set_number(std::complex<Word>& x, std::uint64_t& state) {
  Word re, im;
  set_number(re, state);
  set_number(im, state);
  x = {re, im};
}
inline void set_number(dd_complex& x, std::uint64_t& state) {
  set_number(x.re, state);
  set_number(x.im, state);
}
template <class T>
std::vector<T> numbers(std::int64_t count, std::uint64_t seed) {
  std::vector<T> x(static_cast<std::size_t>(count));
  for (T& e : x) set_number(e, seed);
  return x;
}

inline void multiply_by(float&, double) {}
inline void multiply_by(std::complex<float>&, double) {}
inline void multiply_by(double& x, double factor) { x *= factor; }
inline void multiply_by(std::complex<double>& x, double factor) { x *= factor; }
inline void multiply_by(dd_real& x, double factor) { x = x * factor; }
inline void multiply_by(dd_complex& x, double factor) { x = {x.re * factor, x.im * factor}; }

/// What is particular about A.
enum class Entries { usual, some_infinite, many_infinite };

template <class T>
CpuCall product_call(std::string name, GemmOptions options, Entries entries = Entries::usual, bool has_scalars = true,
                     std::int64_t batch = 1, std::int64_t m = 102, std::int64_t n = 96, std::int64_t k = 100) {
  struct State {
    std::vector<T> a, b, before, c;
  };
  auto s = std::make_shared<State>();
  s->a = numbers<T>(m * k * batch, 3);
  s->b = numbers<T>(k * n, 5);
  s->before = s->c = numbers<T>(m * n * batch, 7);
  // Results whose low words are subnormal.
  for (std::int64_t h = 0; h < k; ++h) multiply_by(s->a[static_cast<std::size_t>(h * m)], 0x1p-500);
  for (std::int64_t h = 0; h < k; ++h) multiply_by(s->b[static_cast<std::size_t>(h)], 0x1p-490);
  if (has_scalars) {
    for (std::int64_t i = 0; i < m; ++i) multiply_by(s->before[static_cast<std::size_t>(i)], 0x1p-990);
  }
  const std::int64_t infinite = entries == Entries::many_infinite ? m / 2 : entries == Entries::some_infinite ? 1 : 0;
  for (std::int64_t i = 0; i < infinite; ++i) s->a[static_cast<std::size_t>(2 * i + 1)] = T(HUGE_VAL);
  const T alpha = has_scalars ? T(0.3f) : T(1), beta = has_scalars ? T(-0.7f) : T(0);
  return {std::move(name), [s] { s->c = s->before; },
          [=](int threads) {
            GemmOptions own = options;
            own.threads = threads;
            gemm_strided_batch(Layout::column, Op::none, Op::none, m, n, k, alpha, s->a.data(), m, m * k, s->b.data(),
                               k, 0, beta, s->c.data(), m, m * n, batch, own);
          },
          [s] { return bytes_of(s->c); }};
}

template <class F>
CpuCall array_call(std::string name, F f, std::int64_t n = 1003) {
  struct State {
    std::vector<dd_real> x, y, out, sums;
  };
  auto s = std::make_shared<State>();
  s->x = numbers<dd_real>(n, 11);
  s->y = numbers<dd_real>(n, 13);
  for (std::size_t i = 0; i < s->x.size(); i += 7) s->x[i] = s->x[i] * 0x1p-510, s->y[i] = s->y[i] * 0x1p-510;
  s->out = s->y;
  s->sums.assign(1, dd_real(0));
  return {std::move(name), [s] { s->out = s->y, s->sums[0] = 0; },
          [s, f](int) { f(array::Input(s->x), array::Input(s->y), array::Output(s->out), s->sums[0]); },
          [s] { return bytes_of(s->out) + bytes_of(s->sums); }};
}

/// Numbers that a function returns.
template <class F>
CpuCall number_call(std::string name, F f) {
  auto found = std::make_shared<std::vector<double>>(4);
  return {std::move(name), [found] { found->assign(4, -1.0); },
          [found, f](int threads) {
            omp_set_num_threads(threads);
            f(*found);
          },
          [found] { return bytes_of(*found); }};
}

inline std::vector<CpuCall> product_calls() {
  using Z = std::complex<double>;
  using C = std::complex<float>;
  const GemmOptions direct{.engine = Engine::direct}, modular{.engine = Engine::modular};
  auto with = [](GemmOptions options, Accuracy accuracy) {
    options.accuracy = accuracy;
    return options;
  };
  return {product_call<dd_real>("dd direct", direct),
          product_call<dd_real>("dd direct fast", with(direct, Accuracy::fast)),
          product_call<dd_real>("dd direct without fma", {.engine = Engine::direct, .fma = Fma::off}),
          product_call<dd_complex>("zdd direct", direct),
          product_call<dd_real>("dd modular", modular),
          product_call<dd_real>("dd modular tight", with(modular, Accuracy::tight)),
          product_call<dd_real>("dd modular normwise", with(modular, Accuracy::normwise)),
          product_call<dd_real>("dd modular bits", {.engine = Engine::modular, .accuracy = Accuracy::bits, .bits = 90}),
          product_call<dd_real>("dd modular, k = 50", modular, Entries::usual, true, 1, 110, 100, 50),
          product_call<dd_real>("dd direct entries", modular, Entries::some_infinite, true, 1, 300, 90, 64),
          product_call<dd_real>("dd given up", modular, Entries::many_infinite),
          product_call<dd_complex>("zdd modular", modular),
          product_call<double>("d modular", modular),
          product_call<Z>("z modular", modular),
          product_call<double>("d exact", with(modular, Accuracy::exact), Entries::usual, false),
          product_call<double>("d given up", modular, Entries::many_infinite),
          product_call<Z>("z given up", modular, Entries::many_infinite),
          product_call<dd_real>("dd reproducible", {.engine = Engine::reproducible}),
          product_call<dd_real>("dd automatic", {}, Entries::usual, true, 1, 220, 210, 200),
          product_call<dd_real>("dd plain bytes", {.engine = Engine::modular, .int8_library = Int8Library::plain}),
          product_call<dd_real>("dd batch", direct, Entries::usual, true, 9, 40, 30, 50),
          product_call<double>("d modular batch", modular, Entries::usual, true, 3, 40, 90, 50),
          product_call<float>("s", direct),
          product_call<double>("d", direct),
          product_call<C>("c", direct),
          product_call<Z>("z", direct)};
}

inline std::vector<CpuCall> array_calls() {
  using array::Input, array::Output;
  const dd_real number = dd_real(1) / 3;
  return {array_call("add", [](Input x, Input y, Output out, dd_real&) { array::add(x, y, out); }),
          array_call("subtract", [](Input x, Input y, Output out, dd_real&) { array::subtract(x, y, out); }),
          array_call("multiply", [](Input x, Input y, Output out, dd_real&) { array::multiply(x, y, out); }),
          array_call("divide", [](Input x, Input y, Output out, dd_real&) { array::divide(x, y, out); }),
          array_call("add number", [=](Input x, Input, Output out, dd_real&) { array::add(x, number, out); }),
          array_call("number minus", [=](Input x, Input, Output out, dd_real&) { array::subtract(number, x, out); }),
          array_call("multiply number", [=](Input x, Input, Output out, dd_real&) { array::multiply(x, number, out); }),
          array_call("divide number", [=](Input x, Input, Output out, dd_real&) { array::divide(x, number, out); }),
          array_call("number over", [=](Input x, Input, Output out, dd_real&) { array::divide(number, x, out); }),
          array_call("add word", [](Input x, Input, Output out, dd_real&) { array::add(x, 0.1, out); }),
          array_call("word minus", [](Input x, Input, Output out, dd_real&) { array::subtract(0.1, x, out); }),
          array_call("multiply word", [](Input x, Input, Output out, dd_real&) { array::multiply(x, 0.1, out); }),
          array_call("divide word", [](Input x, Input, Output out, dd_real&) { array::divide(x, 0.1, out); }),
          array_call("sqrt", [](Input x, Input, Output out, dd_real&) { array::sqrt(x, out); }),
          array_call("exp", [](Input x, Input, Output out, dd_real&) { array::exp(x, out); }),
          array_call("log", [](Input x, Input, Output out, dd_real&) { array::log(x, out); }),
          array_call("sin", [](Input x, Input, Output out, dd_real&) { array::sin(x, out); }),
          array_call("cos", [](Input x, Input, Output out, dd_real&) { array::cos(x, out); }),
          array_call("axpy", [=](Input x, Input, Output out, dd_real&) { array::axpy(number, x, out); }),
          array_call("sum", [](Input x, Input, Output, dd_real& sum) { sum = array::sum(x); }),
          array_call("dot", [](Input x, Input y, Output, dd_real& sum) { sum = array::dot(x, y); })};
}

inline std::vector<CpuCall> accuracy_calls() {
  constexpr std::int64_t n = 110;
  struct Matrices {
    std::vector<dd_real> a = numbers<dd_real>(n * n, 17), b = numbers<dd_real>(n * n, 19),
                         c = numbers<dd_real>(n * n, 23);
  };
  auto x = std::make_shared<Matrices>();
  return {number_call("gemm_error",
                      [x](std::vector<double>& found) {
                        auto report = accuracy::gemm_error(Layout::column, Op::none, Op::none, n, n, n, dd_real(1),
                                                           x->a.data(), n, x->b.data(), n, dd_real(0),
                                                           static_cast<const dd_real*>(nullptr), x->c.data(), n);
                        found[0] = report.max_error_u2;
                        found[1] = static_cast<double>(report.row);
                        found[2] = static_cast<double>(report.column);
                      }),
          number_call("gemm_exact_mismatches",
                      [x](std::vector<double>& found) {
                        found[0] = static_cast<double>(
                            accuracy::gemm_exact_mismatches(Layout::column, Op::none, Op::none, n, n, n, dd_real(1),
                                                            x->a.data(), n, x->b.data(), n, x->c.data(), n));
                      }),
          number_call("solve_residual",
                      [x](std::vector<double>& found) {
                        found[0] =
                            accuracy::solve_residual(Layout::column, n, x->a.data(), n, x->b.data(), x->c.data());
                      }),
          number_call("max_relative_error_u2", [x](std::vector<double>& found) {
            found[0] = accuracy::max_relative_error_u2(n, x->a.data(), x->a.data() + 1, x->b.data());
          })};
}

inline std::vector<CpuCall> plan_calls() {
  auto plan = [](auto zero, GemmOptions options) {
    return [options](std::vector<double>& found) {
      GemmPlan p = plan_gemm<decltype(zero)>(Layout::column, Op::none, Op::none, 301, 302, 777, options);
      found = {p.error_bound_u2, double(p.bits), double(p.moduli), double(p.esc)};
    };
  };
  return {number_call("plan of dd direct", plan(dd_real(0), {.engine = Engine::direct})),
          number_call("plan of dd modular", plan(dd_real(0), {.engine = Engine::modular})),
          number_call("plan of z", plan(std::complex<double>(0), {.engine = Engine::direct}))};
}

inline std::vector<CpuCall> generate_calls() {
  constexpr std::int64_t n = 30;
  auto x = std::make_shared<std::vector<dd_complex>>(n * n);
  auto call = [x](const char* name, data::Init init) {
    return CpuCall{name, [x] { x->assign(n * n, dd_complex(0)); },
                   [x, init](int threads) {
                     omp_set_num_threads(threads);
                     data::generate({{init, 3.0}, 1}, Layout::column, n, n, x->data(), n);
                   },
                   [x] { return bytes_of(*x); }};
  };
  return {call("generate uniform", data::Init::uniform), call("generate range", data::Init::range),
          call("generate hilbert", data::Init::hilbert)};
}

/// Systems of 40 rows with two right-hand sides; bounds are outputs, too.
template <class T, class F>
CpuCall solve_call(std::string name, F f) {
  const std::int64_t n = 40;
  struct State {
    std::vector<T> a, b, x;
    std::vector<double> bounds;
  };
  auto s = std::make_shared<State>();
  s->a = numbers<T>(n * n, 29);
  s->b = numbers<T>(n * 2, 31);
  for (std::int64_t i = 0; i < n; ++i) s->a[static_cast<std::size_t>(i * (n + 1))] = T(60.0f);
  return {std::move(name),
          [s] {
            s->x.assign(n * 2, T(0));
            s->bounds.assign(n * 2, 0.0);
          },
          [=](int threads) {
            SolveOptions options;
            options.products.engine = Engine::direct;
            options.products.threads = threads;
            const auto of = [n](std::vector<T>& x, std::int64_t columns) {
              return view(Layout::column, Op::none, x.data(), n, columns, n);
            };
            const SolveReport report = f(of(s->a, n), of(s->b, 2), of(s->x, 2), options);
            std::copy(report.bounds.begin(), report.bounds.end(), s->bounds.begin());
          },
          [s] { return bytes_of(s->x) + bytes_of(s->bounds); }};
}

inline std::vector<CpuCall> solve_calls() {
  return {solve_call<dd_real>("solve",
                              [](auto a, auto b, auto x, SolveOptions o) {
                                o.certify = true;
                                return solve(a, b, x, o);
                              }),
          solve_call<std::complex<double>>("solve z",
                                           [](auto a, auto b, auto x, SolveOptions o) {
                                             o.factors = SolveFactors::in_double_double;
                                             return solve(a, b, x, o);
                                           }),
          solve_call<dd_real>(
              "solve_positive",
              [](auto a, auto b, auto x, const SolveOptions& o) { return solve_positive(Uplo::lower, a, b, x, o); }),
          solve_call<dd_complex>(
              "solve_hermitian",
              [](auto a, auto b, auto x, const SolveOptions& o) { return solve_hermitian(Uplo::upper, a, b, x, o); }),
          solve_call<dd_real>("solve_least_squares", [](auto a, auto b, auto x, const SolveOptions& o) {
            return solve_least_squares(a.sub(0, 0, a.rows, 20), b, x.sub(0, 0, 20, 2), o);
          })};
}

inline std::vector<CpuCall> cpu_calls() {
  std::vector<CpuCall> all;
  for (auto calls : {product_calls(), array_calls(), accuracy_calls(), plan_calls(), generate_calls(), solve_calls()}) {
    all.insert(all.end(), calls.begin(), calls.end());
  }
  return all;
}

}  // namespace hilo::test
