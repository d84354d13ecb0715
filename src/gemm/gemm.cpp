// gemm on the CPU: arguments -> plan -> engine.
#include <cstdio>
#include <hilo/gemm.hpp>
#include <new>
#include <string>

#include "gemm/arguments.hpp"
#include "gemm/cblas.hpp"
#include "gemm/cost.hpp"
#include "gemm/direct/cpu.hpp"
#include "gemm/direct/reference.hpp"
#include "gemm/modular/cpu.hpp"
#include "gemm/modular/plain_product.hpp"
#include "gemm/plan.hpp"
#include "host/door.hpp"

namespace hilo {
namespace {

template <class T>
constexpr bool has_modular_engine =
    double_double<T> || std::same_as<T, double> || std::same_as<T, std::complex<double>>;

template <class T>
Engine engine_for(const GemmShape& shape, const GemmOptions& options) {
  std::string precision(name(precision_of<T>));
  bool wants_modular = options.engine == Engine::modular || needs_modular(options.accuracy);
  if (wants_modular && !has_modular_engine<T>) {
    throw error(errc::unsupported,
                "gemm: precision " + precision +
                    " has no modular engine, nor the accuracies that take it; d, z, dd and zdd have");
  }
  if (options.engine == Engine::direct && wants_modular) {
    throw error(errc::unsupported,
                "gemm: accuracy " + std::string(name(options.accuracy)) + " is not one of engine direct's");
  }
  if (wants_modular) return Engine::modular;
  if (options.engine == Engine::reproducible && has_modular_engine<T>) {
    // A BLAS library's bits are its own.
    return double_double<T> ? reproducible_engine(shape) : Engine::modular;
  }
  return Engine::direct;
}

template <class T>
GemmPlan direct_plan(const GemmShape& shape, std::int64_t batch, const GemmOptions& options) {
  // What the modular engine gives up keeps the direct engine's own guarantee.
  GemmOptions own = options;
  if (needs_modular(options.accuracy)) own.accuracy = Accuracy::classic;
  GemmPlan plan = plan_of(precision_of<T>, shape, batch, Backend::cpu, own.accuracy);
  if constexpr (double_double<T>) {
    if (options.engine == Engine::reproducible) own.fma = Fma::on;
    direct::plan_cpu(plan, own);
    plan.error_bound_u2 = direct_error_bound_u2(plan.k, plan.accuracy, std::same_as<T, dd_complex>, plan.fma);
  } else {
    plan_blas(plan, options);
  }
  return plan;
}

template <class T>
GemmPlan make_plan(const GemmShape& shape, std::int64_t batch, const GemmOptions& options) {
  Engine engine = engine_for<T>(shape, options);
  Expectation expected{0.0, 0.0};
  if (options.engine == Engine::automatic && double_double<T> && engine == Engine::direct) {
    try {
      expected = expected_seconds(precision_of<T>, shape, options);
    } catch (const std::bad_alloc&) {
      // No memory to measure with: the engine that needs less.
    }
    engine = expected.faster();
  }
  GemmPlan plan = plan_of(precision_of<T>, shape, batch, Backend::cpu, options.accuracy);
  if (engine == Engine::direct) {
    plan = direct_plan<T>(shape, batch, options);
  } else {
    modular::plan_cpu(plan, options);
  }
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

// What one batch of calls works on.
template <class T>
struct Matrices {
  T alpha;
  MatrixView<const T> a, b;
  T beta;
  MatrixView<T> c;

  // Matrix i of a batch, without the rest.
  Matrices at(std::int64_t i, const BatchShape& batch) const {
    Matrices one = *this;
    one.a.data += i * batch.stride_a;
    one.b.data += i * batch.stride_b;
    one.c.data += i * batch.stride_c;
    return one;
  }
};

// The direct engine; S, D, C and Z run one by one.
template <class T>
std::int64_t run_direct(const GemmPlan& plan, const GemmShape& shape, const BatchShape& batch, const Matrices<T>& x) {
  if constexpr (double_double<T>) {
    return direct::run_cpu(plan, x.alpha, x.a, batch.stride_a, x.b, batch.stride_b, x.beta, x.c, batch.stride_c);
  } else {
    for (std::int64_t i = 0; i < batch.count; ++i) {
      Matrices<T> one = x.at(i, batch);
      run_blas(shape, plan.threads, x.alpha, one.a.data, one.b.data, x.beta, one.c.data);
    }
    return 0;
  }
}

// What the modular engine has given up.
template <class T>
std::int64_t run_instead(GemmPlan& plan, const GemmShape& shape, const Matrices<T>& x) {
  if constexpr (!double_double<T>) {
    // A BLAS library would sum as it likes.
    std::snprintf(plan.unit, sizeof plan.unit, "plain sums");
    modular::plain_product(x.alpha, x.a, x.b, x.beta, x.c, plan.threads);
    return 0;
  } else {
    return run_direct(plan, shape, {1, 0, 0, 0}, x);
  }
}

// The modular engine, one by one: each takes the bits that its entries need, and the report says what the most were.
template <class T>
void run_modular(GemmReport& report, const GemmShape& shape, const BatchShape& batch, const GemmOptions& options,
                 const Matrices<T>& x) {
  const GemmPlan planned = report.plan;
  bool may_change = options.engine == Engine::automatic && !needs_modular(options.accuracy);
  int most_moduli = may_change ? most_moduli_worthwhile(planned.precision, shape, options) : modular::max_moduli;
  for (std::int64_t i = 0; i < batch.count; ++i) {
    Matrices<T> one = x.at(i, batch);
    modular::Outcome outcome = modular::run_cpu(planned, options, most_moduli, x.alpha, one.a, one.b, x.beta, one.c);
    bool is_modular = outcome.path == Path::modular || outcome.path == Path::modular_balanced;
    GemmPlan ran = planned;
    if (is_modular) {
      ran.bits = outcome.bits;
      ran.moduli = outcome.moduli;
      ran.esc = outcome.esc;
      ran.error_bound_u2 = outcome.error_bound_u2;
      ran.tile_rows = outcome.tile_rows;
      ran.tile_columns = outcome.tile_columns;
      ran.depth = outcome.depth;
      ran.workspace_bytes = outcome.workspace_bytes;
    } else {
      ran = direct_plan<T>(shape, 1, options);
      outcome.entries_recomputed = run_instead(ran, shape, one);
      ran.batch = planned.batch;
      ran.measure = planned.measure;
      ran.seconds_direct = planned.seconds_direct;
      ran.seconds_modular = planned.seconds_modular;
    }
    ran.path = outcome.path;
    report.entries_direct += outcome.entries_direct;
    report.entries_recomputed += outcome.entries_recomputed;
    add_to_report(report, ran, i == 0);
  }
}

template <class T>
void run(GemmReport& report, const GemmShape& shape, const BatchShape& batch, const GemmOptions& options, T alpha,
         const T* a, const T* b, T beta, T* c) {
  Matrices<T> x{alpha, view(shape.layout, shape.opa, a, shape.m, shape.k, shape.lda),
                view(shape.layout, shape.opb, b, shape.k, shape.n, shape.ldb), beta,
                view(shape.layout, Op::none, c, shape.m, shape.n, shape.ldc)};
  if (alpha == T(0) || shape.k == 0) {
    for (std::int64_t i = 0; i < batch.count; ++i) scale(beta, x.at(i, batch).c);
    return;
  }
  if constexpr (has_modular_engine<T>) {
    if (report.plan.engine == Engine::modular) return run_modular(report, shape, batch, options, x);
  }
  report.entries_recomputed = run_direct(report.plan, shape, batch, x);
}

constexpr char no_memory_to_plan[] = "gemm: no memory to plan a product";

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
  GemmReport report{};
  bool is_planned = false;
  auto no_memory = [&] {
    return is_planned ? "gemm: no memory for a workspace of " + std::to_string(report.plan.workspace_bytes) + " bytes"
                      : std::string(no_memory_to_plan);
  };
  return host::door(no_memory, [&] {
    GemmShape shape{layout, opa, opb, m, n, k, lda, ldb, ldc, sizeof(T)};
    BatchShape batches{batch, stride_a, stride_b, stride_c};
    check_options(options);
    check_shape(shape);
    check_batch(shape, batches);
    check_pointers(shape, batches, a, b, c, !(alpha == T(0)));
    report.plan = make_plan<T>(shape, batch, options);
    is_planned = true;
    if constexpr (!double_double<T>) {
      if (report.plan.engine == Engine::direct) check_blas(shape);
    }
    if (m == 0 || n == 0 || batch == 0) return report;
    run(report, shape, batches, options, alpha, a, b, beta, c);
    return report;
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
