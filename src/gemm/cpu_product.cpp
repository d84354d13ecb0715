#include "gemm/cpu_product.hpp"

#include <cstdio>

#include "gemm/cost.hpp"
#include "gemm/direct/cpu/product.hpp"
#include "gemm/direct/reference.hpp"
#include "gemm/modular/cpu/plain_product.hpp"
#include "gemm/modular/cpu/product.hpp"
#include "gemm/modular/guarantee.hpp"
#include "gemm/native/cblas.hpp"
#include "gemm/plan.hpp"

namespace hilo {

void check_cpu_kernels(Precision precision, const GemmOptions& options) {
  if (is_double_double(precision)) direct::kernel_set(options.target);
  if (!has_modular_engine(precision) || options.engine == Engine::direct) return;
  modular::kernel_set(options.target);
  // Whether oneDNN multiplies right is tried only where it is wanted.
  if (options.int8_library != Int8Library::automatic) modular::int8_library(options.int8_library);
}

namespace {

template <class T>
CpuPlan plan_direct(const GemmShape& shape, std::int64_t batch, const GemmOptions& options) {
  // What the modular engine gives up keeps the direct engine's own guarantee.
  const Accuracy accuracy = modular::is_modular_only(options.accuracy) ? Accuracy::classic : options.accuracy;
  CpuPlan plan{plan_of(precision_of<T>, shape, batch, Backend::cpu, accuracy)};
  GemmPlan& told = plan.told;
  if constexpr (double_double<T>) {
    plan.engine = direct::plan_product(told, options);
  } else {
    native::plan_blas(told, options);
  }
  told.error_bound_u2 = direct_error_bound(told);
  return plan;
}

CpuPlan plan_modular(Precision precision, const GemmShape& shape, std::int64_t batch, const GemmOptions& options,
                     SmallWorkspace small) {
  CpuPlan plan{plan_of(precision, shape, batch, Backend::cpu, options.accuracy)};
  auto& own =
      plan.engine.emplace<modular::CpuPlan>(modular::plan_product(plan.told, options, modular::max_moduli, small));
  if (options.engine == Engine::automatic && !modular::is_modular_only(options.accuracy)) {
    own.most_moduli = most_moduli_worthwhile(precision, shape, options);
  }
  return plan;
}

// factor · x by the plain formula: infinities are not recovered.
template <class T>
T scaled(const T& factor, const T& x) {
  if constexpr (std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>) {
    return modular::plain_times(factor, x);
  } else {
    return direct::scaled(factor, x);
  }
}

// C = beta · C, which is the product where alpha = 0 or k = 0: A and B are not read.
template <class T>
void scale(T beta, MatrixView<T> c) {
  if (beta == T(1)) return;
  for (std::int64_t j = 0; j < c.columns; ++j) {
    for (std::int64_t i = 0; i < c.rows; ++i) c(i, j) = beta == T(0) ? T(0) : scaled(beta, c(i, j));
  }
}

// One product that the modular engine has given up.
template <class T>
GemmPlan execute_instead(const CpuPlan& plan, const Product<T>& x, std::int64_t& recomputed) {
  const CpuPlan instead = plan_direct<T>(shape_of(plan.told), 1, std::get<modular::CpuPlan>(plan.engine).options);
  GemmPlan told = instead.told;
  if constexpr (double_double<T>) {
    recomputed = direct::execute(std::get<direct::CpuPlan>(instead.engine), x);
  } else {
    // A BLAS library would sum as it likes.
    std::snprintf(told.unit, sizeof told.unit, "plain sums");
    modular::plain_product(x, told.threads);
  }
  return told;
}

// One by one: each takes the bits that its entries need, and the report says what the most were.
template <class T>
void execute_modular(const CpuPlan& plan, const Product<T>& x, GemmReport& report) {
  for (std::int64_t i = 0; i < x.batch.count; ++i) {
    const Product<T> one = x.at(i);
    modular::Outcome outcome = modular::execute(std::get<modular::CpuPlan>(plan.engine), one);
    GemmPlan ran;
    if (outcome.is_modular()) {
      ran = outcome.ran(plan.told);
    } else {
      const GemmPlan instead = execute_instead(plan, one, outcome.entries_recomputed);
      ran = modular::ran_instead(instead, plan.told, outcome.path);
    }
    report.entries_direct += outcome.entries_direct;
    report.entries_recomputed += outcome.entries_recomputed;
    add_to_report(report, ran, i == 0);
  }
}

}  // namespace

template <class T>
CpuPlan plan_product(const GemmShape& shape, std::int64_t batch, const GemmOptions& options, SmallWorkspace small) {
  Engine engine = engine_asked_for(precision_of<T>, Backend::cpu, shape, options);
  if (engine == Engine::direct) return plan_direct<T>(shape, batch, options);
  Expectation expected{0.0, 0.0};
  if (engine == Engine::automatic) {
    expected = expected_seconds(precision_of<T>, shape, options);
    engine = expected.faster();
  }
  CpuPlan plan = engine == Engine::direct ? plan_direct<T>(shape, batch, options)
                                          : plan_modular(precision_of<T>, shape, batch, options, small);
  plan.told.seconds_direct = expected.seconds_direct;
  plan.told.seconds_modular = expected.seconds_modular;
  return plan;
}

template <class T>
void execute(const CpuPlan& plan, const Product<T>& x, GemmReport& report) {
  if (!x.reads_operands()) {
    for (std::int64_t i = 0; i < x.batch.count; ++i) scale(x.beta, x.at(i).c);
    return;
  }
  if constexpr (has_modular_engine(precision_of<T>)) {
    if (std::holds_alternative<modular::CpuPlan>(plan.engine)) return execute_modular(plan, x, report);
  }
  if constexpr (double_double<T>) {
    report.entries_recomputed = direct::execute(std::get<direct::CpuPlan>(plan.engine), x);
  } else {
    native::run_blas_batch(plan.told.threads, x);
  }
}

template <class T>
CpuPlan plan_inner_product(const GemmShape& shape, const GemmOptions& options, bool is_triangle) {
  const bool is_open = options.engine == Engine::automatic && !modular::is_modular_only(options.accuracy);
  if (!is_open || !double_double<T>) return plan_product<T>(shape, 1, options, SmallWorkspace::raised);
  if (expected_inside(precision_of<T>, shape, options, is_triangle).faster() == Engine::direct) {
    return plan_direct<T>(shape, 1, options);
  }
  GemmOptions normwise = options;
  normwise.accuracy = Accuracy::normwise;
  return plan_modular(precision_of<T>, shape, 1, normwise, SmallWorkspace::raised);
}

template <class T>
bool execute_triangle(const CpuPlan& plan, const Product<T>& x) {
  if constexpr (double_double<T>) {
    if (const auto* own = std::get_if<modular::CpuPlan>(&plan.engine)) return modular::execute(*own, x).is_modular();
    const auto& own = std::get<direct::CpuPlan>(plan.engine);
    if (own.way != direct::CpuPlan::Way::tiled) return false;
    direct::execute(own, x);
    return true;
  } else {
    return false;
  }
}

#define HILO_INSTANTIATE(T)                                                                             \
  template CpuPlan plan_product<T>(const GemmShape&, std::int64_t, const GemmOptions&, SmallWorkspace); \
  template CpuPlan plan_inner_product<T>(const GemmShape&, const GemmOptions&, bool);                   \
  template void execute<T>(const CpuPlan&, const Product<T>&, GemmReport&);                             \
  template bool execute_triangle<T>(const CpuPlan&, const Product<T>&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
