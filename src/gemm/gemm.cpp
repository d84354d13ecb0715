// gemm on the CPU: arguments -> plan -> engine.
#include <cstdio>
#include <hilo/gemm.hpp>
#include <string>

#include "gemm/cost.hpp"
#include "gemm/direct/cpu/product.hpp"
#include "gemm/direct/reference.hpp"
#include "gemm/modular/cpu/plain_product.hpp"
#include "gemm/modular/cpu/product.hpp"
#include "gemm/modular/guarantee.hpp"
#include "gemm/native/cblas.hpp"
#include "gemm/plan.hpp"
#include "host/door.hpp"
#include "matrix/arguments.hpp"
#include "matrix/product.hpp"

namespace hilo {
namespace {

template <class T>
GemmPlan direct_plan(const GemmShape& shape, std::int64_t batch, const GemmOptions& options) {
  // What the modular engine gives up keeps the direct engine's own guarantee.
  GemmOptions own = options;
  if (modular::is_needed(options.accuracy)) own.accuracy = Accuracy::classic;
  GemmPlan plan = plan_of(precision_of<T>, shape, batch, Backend::cpu, own.accuracy);
  if constexpr (double_double<T>) {
    if (options.engine == Engine::reproducible) own.fma = Fma::on;
    direct::plan_cpu(plan, own);
    plan.error_bound_u2 = direct_error_bound_u2(plan.k, plan.accuracy, std::same_as<T, dd_complex>, plan.fma);
  } else {
    native::plan_blas(plan, options);
  }
  return plan;
}

template <class T>
GemmPlan make_plan(const GemmShape& shape, std::int64_t batch, const GemmOptions& options) {
  Engine engine = engine_asked_for(precision_of<T>, Backend::cpu, shape, options);
  Expectation expected{0.0, 0.0};
  if (engine == Engine::automatic) {
    expected = expected_seconds(precision_of<T>, shape, options);
    engine = expected.faster();
  }
  auto modular_plan = [&] {
    GemmPlan plan = plan_of(precision_of<T>, shape, batch, Backend::cpu, options.accuracy);
    modular::plan_cpu(plan, options);
    return plan;
  };
  GemmPlan plan = engine == Engine::direct ? direct_plan<T>(shape, batch, options) : modular_plan();
  plan.seconds_direct = expected.seconds_direct;
  plan.seconds_modular = expected.seconds_modular;
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

// The direct engine; S, D, C and Z run one by one.
template <class T>
std::int64_t run_direct(const GemmPlan& plan, const Product<T>& x) {
  if constexpr (double_double<T>) {
    return direct::run_cpu(plan, x);
  } else {
    for (std::int64_t i = 0; i < x.batch.count; ++i) native::run_blas(plan.threads, x.at(i));
    return 0;
  }
}

// What the modular engine has given up.
template <class T>
std::int64_t run_instead(GemmPlan& plan, const Product<T>& x) {
  if constexpr (!double_double<T>) {
    // A BLAS library would sum as it likes.
    std::snprintf(plan.unit, sizeof plan.unit, "plain sums");
    modular::plain_product(x, plan.threads);
    return 0;
  } else {
    return run_direct(plan, x);
  }
}

// The modular engine, one by one: each takes the bits that its entries need, and the report says what the most were.
template <class T>
void run_modular(GemmReport& report, const GemmShape& shape, const GemmOptions& options, const Product<T>& x) {
  const GemmPlan planned = report.plan;
  bool may_change = options.engine == Engine::automatic && !modular::is_needed(options.accuracy);
  int most_moduli = may_change ? most_moduli_worthwhile(planned.precision, shape, options) : modular::max_moduli;
  for (std::int64_t i = 0; i < x.batch.count; ++i) {
    const Product<T> one = x.at(i);
    modular::Outcome outcome = modular::run_cpu(planned, options, most_moduli, one);
    GemmPlan ran;
    if (outcome.is_modular()) {
      ran = outcome.ran(planned);
    } else {
      GemmPlan instead = direct_plan<T>(shape, 1, options);
      outcome.entries_recomputed = run_instead(instead, one);
      ran = modular::ran_instead(instead, planned, outcome.path);
    }
    report.entries_direct += outcome.entries_direct;
    report.entries_recomputed += outcome.entries_recomputed;
    add_to_report(report, ran, i == 0);
  }
}

template <class T>
void run(GemmReport& report, const GemmShape& shape, const GemmOptions& options, const Product<T>& x) {
  if (!x.reads_operands()) {
    for (std::int64_t i = 0; i < x.batch.count; ++i) scale(x.beta, x.at(i).c);
    return;
  }
  if constexpr (has_modular_engine(precision_of<T>)) {
    if (report.plan.engine == Engine::modular) return run_modular(report, shape, options, x);
  }
  report.entries_recomputed = run_direct(report.plan, x);
}

constexpr char no_memory_to_plan[] = "gemm: no memory to plan a product";

// A call that multiplies: its report, and what to say where memory ends.
struct Call {
  GemmReport report{};
  bool is_planned = false;

  std::string operator()() const {
    if (!is_planned) return no_memory_to_plan;
    return "gemm: no memory for a workspace of " + std::to_string(report.plan.workspace_bytes) + " bytes";
  }
};

// What all doors come to, with matrices whose shape is checked.
template <class T>
GemmReport multiply(Call& call, const GemmShape& shape, const Product<T>& x, const GemmOptions& options) {
  check_pointers(shape, x.batch, x.a.data, x.b.data, x.c.data, !(x.alpha == T(0)));
  call.report.plan = make_plan<T>(shape, x.batch.count, options);
  call.is_planned = true;
  if constexpr (!double_double<T>) {
    if (call.report.plan.engine == Engine::direct) native::check_blas(shape);
  }
  if (shape.m > 0 && shape.n > 0 && x.batch.count > 0) run(call.report, shape, options, x);
  return call.report;
}

}  // namespace

template <gemm_scalar T>
GemmPlan plan_gemm(Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k,
                   const GemmOptions& options, std::int64_t batch) {
  return host::door(no_memory_to_plan, [&] {
    GemmShape shape = packed_shape(layout, opa, opb, m, n, k, sizeof(T));
    check_options(options);
    check_shape(shape);
    check_batch(shape, {batch, 0, 0, shape.span_c()});
    return make_plan<T>(shape, batch, options);
  });
}

template <gemm_scalar T>
GemmReport gemm_strided_batch(Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k,
                              std::type_identity_t<T> alpha, const T* a, std::int64_t lda, std::int64_t stride_a,
                              const T* b, std::int64_t ldb, std::int64_t stride_b, std::type_identity_t<T> beta, T* c,
                              std::int64_t ldc, std::int64_t stride_c, std::int64_t batch, const GemmOptions& options) {
  Call call;
  return host::door(call, [&] {
    const GemmShape shape{layout, opa, opb, m, n, k, lda, ldb, ldc, sizeof(T)};
    const BatchShape batches{batch, stride_a, stride_b, stride_c};
    check_options(options);
    check_shape(shape);
    check_batch(shape, batches);
    return multiply(call, shape, product_of<T>(shape, batches, alpha, a, b, beta, c), options);
  });
}

template <gemm_scalar T>
GemmReport gemm(std::type_identity_t<T> alpha, const std::type_identity_t<MatrixView<const T>>& a,
                const std::type_identity_t<MatrixView<const T>>& b, std::type_identity_t<T> beta,
                const MatrixView<T>& c, const GemmOptions& options) {
  Call call;
  return host::door(call, [&] {
    check_options(options);
    const GemmShape shape = shape_of_views(lines_of(a), lines_of(b), lines_of(c), sizeof(T));
    return multiply(call, shape, product_of<T>(shape, {}, alpha, a.data, b.data, beta, c.data), options);
  });
}

template <gemm_scalar T>
GemmReport gemm(Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k,
                std::type_identity_t<T> alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
                std::type_identity_t<T> beta, T* c, std::int64_t ldc, const GemmOptions& options) {
  return gemm_strided_batch(layout, opa, opb, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1, options);
}

#define HILO_INSTANTIATE(T)                                                                                          \
  template GemmPlan plan_gemm<T>(Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, const GemmOptions&,       \
                                 std::int64_t);                                                                      \
  template GemmReport gemm<T>(Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, T, const T*, std::int64_t,   \
                              const T*, std::int64_t, T, T*, std::int64_t, const GemmOptions&);                      \
  template GemmReport gemm<T>(T, const MatrixView<const T>&, const MatrixView<const T>&, T, const MatrixView<T>&,    \
                              const GemmOptions&);                                                                   \
  template GemmReport gemm_strided_batch<T>(Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, T, const T*,   \
                                            std::int64_t, std::int64_t, const T*, std::int64_t, std::int64_t, T, T*, \
                                            std::int64_t, std::int64_t, std::int64_t, const GemmOptions&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
