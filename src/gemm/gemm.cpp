// gemm on the CPU: arguments -> plan -> execution.
#include <hilo/gemm.hpp>
#include <string>

#include "gemm/cpu_product.hpp"
#include "gemm/native/cblas.hpp"
#include "host/door.hpp"
#include "matrix/arguments.hpp"

namespace hilo {
namespace {

constexpr char no_memory_to_plan[] = "gemm: no memory to plan a product";

// What to say where memory ends.
struct Memory {
  std::int64_t workspace = -1;  // bytes; negative before there is a plan

  std::string operator()() const {
    if (workspace < 0) return no_memory_to_plan;
    return "gemm: no memory for a workspace of " + std::to_string(workspace) + " bytes";
  }
};

// What all doors come to, with matrices whose shape is checked.
template <class T>
GemmReport multiply(Memory& memory, const GemmShape& shape, const Product<T>& x, const GemmOptions& options) {
  check_pointers(shape, x.batch, x.a.data, x.b.data, x.c.data, !(x.alpha == T(0)));
  const CpuPlan plan = plan_product<T>(shape, x.batch.count, options);
  memory.workspace = plan.told.workspace_bytes;
  if constexpr (!double_double<T>) {
    if (plan.told.engine == Engine::direct) native::check_blas(shape);
  }
  GemmReport report{plan.told};
  if (shape.m > 0 && shape.n > 0 && x.batch.count > 0) execute(plan, x, report);
  return report;
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
    return plan_product<T>(shape, batch, options).told;
  });
}

template <gemm_scalar T>
GemmReport gemm_strided_batch(Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k,
                              std::type_identity_t<T> alpha, const T* a, std::int64_t lda, std::int64_t stride_a,
                              const T* b, std::int64_t ldb, std::int64_t stride_b, std::type_identity_t<T> beta, T* c,
                              std::int64_t ldc, std::int64_t stride_c, std::int64_t batch, const GemmOptions& options) {
  Memory memory;
  return host::door(memory, [&] {
    const GemmShape shape{layout, opa, opb, m, n, k, lda, ldb, ldc, sizeof(T)};
    const BatchShape batches{batch, stride_a, stride_b, stride_c};
    check_options(options);
    check_shape(shape);
    check_batch(shape, batches);
    return multiply(memory, shape, product_of<T>(shape, batches, alpha, a, b, beta, c), options);
  });
}

template <gemm_scalar T>
GemmReport gemm(std::type_identity_t<T> alpha, const std::type_identity_t<MatrixView<const T>>& a,
                const std::type_identity_t<MatrixView<const T>>& b, std::type_identity_t<T> beta,
                const MatrixView<T>& c, const GemmOptions& options) {
  Memory memory;
  return host::door(memory, [&] {
    check_options(options);
    const GemmShape shape = shape_of_views(lines_of(a), lines_of(b), lines_of(c), sizeof(T));
    return multiply(memory, shape, product_of<T>(shape, {}, alpha, a.data, b.data, beta, c.data), options);
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
