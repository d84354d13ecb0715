// The loops of number_loops.hpp over a type T.
#pragma once

#include "number_loops.hpp"

namespace hilo::bench {

template <class T, bool is_scalar, class Operation>
[[gnu::noinline]] void loop(std::int64_t n, const double* x, const double* y, double* out) {
  auto* a = reinterpret_cast<const T*>(x);
  auto* b = reinterpret_cast<const T*>(y);
  auto* c = reinterpret_cast<T*>(out);
  for (std::int64_t i = 0; i < n; ++i) {
    c[i] = Operation()(a[i], b[i]);
    if constexpr (is_scalar) asm volatile("" : : : "memory");
  }
}

template <class T, class Step>
[[gnu::noinline]] double chain(std::int64_t steps) {
  T x = T(0.75), a = T(1.0) - T(0x1p-40) / T(3.0), b = T(1.0) / T(7.0);
  asm volatile("" : "+m"(x), "+m"(a), "+m"(b));
  for (std::int64_t i = 0; i < steps; ++i) x = Step()(x, a, b);
  return reinterpret_cast<double&>(x);
}

template <class T>
constexpr NumberLoops number_loops() {
  auto add = [](const T& x, const T& y) { return x + y; };
  auto multiply = [](const T& x, const T& y) { return x * y; };
  auto divide = [](const T& x, const T& y) { return x / y; };
  auto square_root = [](const T& x, const T&) { return sqrt(x); };
  auto exponential = [](const T& x, const T&) { return exp(x); };
  auto logarithm = [](const T& x, const T&) { return log(x); };
  auto sine = [](const T& x, const T&) { return sin(x); };
  auto cosine = [](const T& x, const T&) { return cos(x); };
  auto add_step = [](const T& x, const T& a, const T&) { return x + a; };
  auto multiply_step = [](const T& x, const T& a, const T&) { return x * a; };
  auto multiply_add_step = [](const T& x, const T&, const T& b) { return x * b + b; };
  auto divide_step = [](const T& x, const T& a, const T&) { return a / x; };
  auto sqrt_step = [](const T& x, const T& a, const T&) { return sqrt(x + a); };
  auto exp_step = [](const T& x, const T&, const T&) { return exp(-x); };
  auto log_step = [](const T& x, const T& a, const T&) { return log(x + a) + a; };
  auto sin_step = [](const T& x, const T& a, const T&) { return sin(x + a); };
  return {
      .add = loop<T, false, decltype(add)>,
      .multiply = loop<T, false, decltype(multiply)>,
      .divide = loop<T, false, decltype(divide)>,
      .sqrt = loop<T, false, decltype(square_root)>,
      .exp = loop<T, false, decltype(exponential)>,
      .log = loop<T, false, decltype(logarithm)>,
      .sin = loop<T, false, decltype(sine)>,
      .cos = loop<T, false, decltype(cosine)>,
      .scalar_add = loop<T, true, decltype(add)>,
      .scalar_multiply = loop<T, true, decltype(multiply)>,
      .scalar_divide = loop<T, true, decltype(divide)>,
      .add_chain = chain<T, decltype(add_step)>,
      .multiply_chain = chain<T, decltype(multiply_step)>,
      .multiply_add_chain = chain<T, decltype(multiply_add_step)>,
      .divide_chain = chain<T, decltype(divide_step)>,
      .sqrt_chain = chain<T, decltype(sqrt_step)>,
      .exp_chain = chain<T, decltype(exp_step)>,
      .log_chain = chain<T, decltype(log_step)>,
      .sin_chain = chain<T, decltype(sin_step)>,
  };
}

}  // namespace hilo::bench
