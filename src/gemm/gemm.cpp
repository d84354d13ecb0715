// gemm on the CPU: arguments -> plan -> engine.
#include <hilo/gemm.hpp>
#include <new>
#include <string>

#include "gemm/arguments.hpp"
#include "gemm/cblas.hpp"
#include "gemm/direct/cpu.hpp"
#include "gemm/direct/reference.hpp"
#include "gemm/plan.hpp"

namespace hilo {
namespace {

template <class T>
GemmPlan make_plan(const GemmShape& shape, std::int64_t batch, const GemmOptions& options) {
  GemmPlan plan = plan_of(precision_of<T>, shape, batch, Backend::cpu, options.accuracy);
  if constexpr (double_double<T>) {
    direct::plan_cpu(plan, options);
    plan.error_bound_u2 = direct_error_bound_u2(plan.k, plan.accuracy, std::same_as<T, dd_complex>, plan.fma);
  } else {
    plan_blas(plan, options);
  }
  return plan;
}

// C = beta · C, which is the product where alpha = 0 or k = 0: A and B are not read.
template <class T>
void scale(T beta, MatrixView<T> c) {
  if (beta == T(1)) return;
  for (std::int64_t j = 0; j < c.columns; ++j) {
    for (std::int64_t i = 0; i < c.rows; ++i) c(i, j) = beta == T(0) ? T(0) : direct::scaled(beta, c(i, j));
  }
}

// A batch in S, D, C or Z, or with nothing to multiply, runs one by one.
template <class T>
std::int64_t run(const GemmPlan& plan, const GemmShape& shape, const BatchShape& batch, T alpha, const T* a, const T* b,
                 T beta, T* c) {
  auto cv = view(shape.layout, Op::none, c, shape.m, shape.n, shape.ldc);
  bool is_scaling = alpha == T(0) || shape.k == 0;
  if constexpr (double_double<T>) {
    if (!is_scaling) {
      auto av = view(shape.layout, shape.opa, a, shape.m, shape.k, shape.lda);
      auto bv = view(shape.layout, shape.opb, b, shape.k, shape.n, shape.ldb);
      return direct::run_cpu(plan, alpha, av, batch.stride_a, bv, batch.stride_b, beta, cv, batch.stride_c);
    }
  }
  for (std::int64_t i = 0; i < batch.count; ++i, cv.data += batch.stride_c) {
    if (is_scaling) {
      scale(beta, cv);
    } else if constexpr (!double_double<T>) {
      run_blas(shape, plan.threads, alpha, a + i * batch.stride_a, b + i * batch.stride_b, beta, cv.data);
    }
  }
  return 0;
}

}  // namespace

template <gemm_scalar T>
GemmPlan plan_gemm(Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k,
                   const GemmOptions& options, std::int64_t batch) {
  GemmShape shape = packed_shape(layout, opa, opb, m, n, k, sizeof(T));
  check_options(options);
  check_shape(shape);
  check_batch(shape, {batch, 0, 0, shape.span_c()});
  return make_plan<T>(shape, batch, options);
}

template <gemm_scalar T>
GemmReport gemm_strided_batch(Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
                              const T* a, std::int64_t lda, std::int64_t stride_a, const T* b, std::int64_t ldb,
                              std::int64_t stride_b, T beta, T* c, std::int64_t ldc, std::int64_t stride_c,
                              std::int64_t batch, const GemmOptions& options) {
  GemmShape shape{layout, opa, opb, m, n, k, lda, ldb, ldc, sizeof(T)};
  BatchShape batches{batch, stride_a, stride_b, stride_c};
  check_options(options);
  check_shape(shape);
  check_batch(shape, batches);
  check_pointers(shape, batches, a, b, c, !(alpha == T(0)));
  if constexpr (!double_double<T>) check_blas(shape);
  GemmReport report{make_plan<T>(shape, batch, options), 0};
  if (m == 0 || n == 0 || batch == 0) return report;
  try {
    report.entries_recomputed = run(report.plan, shape, batches, alpha, a, b, beta, c);
  } catch (const std::bad_alloc&) {
    throw error(errc::out_of_memory,
                "gemm: no memory for a workspace of " + std::to_string(report.plan.workspace_bytes) + " bytes");
  }
  return report;
}

template <gemm_scalar T>
GemmReport gemm(Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k, T alpha, const T* a,
                std::int64_t lda, const T* b, std::int64_t ldb, T beta, T* c, std::int64_t ldc,
                const GemmOptions& options) {
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
