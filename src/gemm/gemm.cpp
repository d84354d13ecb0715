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

// Null pointers of a batch whose matrices lie anywhere.
template <class T>
void check_pointers(const GemmShape& shape, const BatchPointers<T>& x, std::int64_t batch, bool reads_a_and_b) {
  if (batch == 0 || shape.span_c() == 0) return;
  auto check = [&](const char* name, auto* pointers, const char* rows, std::int64_t m, const char* columns,
                   std::int64_t n) {
    const std::string sizes = std::string(" is null, but ") + rows + " = " + std::to_string(m) + " and " + columns +
                              " = " + std::to_string(n);
    if (!pointers) throw error(errc::invalid_argument, std::string("gemm: the array of pointers to ") + name + sizes);
    for (std::int64_t i = 0; i < batch; ++i) {
      if (!pointers[i]) {
        throw error(errc::invalid_argument, "gemm: matrix " + std::to_string(i) + " of " + name + sizes);
      }
    }
  };
  check("C", x.c, "m", shape.m, "n", shape.n);
  if (!reads_a_and_b || shape.k == 0) return;
  check("A", x.a, "m", shape.m, "k", shape.k);
  check("B", x.b, "k", shape.k, "n", shape.n);
}

// What all doors come to, with matrices whose shape is checked.
template <class T>
GemmReport multiply(Memory& memory, const GemmShape& shape, const Product<T>& x, const GemmOptions& options) {
  const bool reads_a_and_b = !(x.alpha == T(0));
  if (x.pointers) {
    check_pointers(shape, *x.pointers, x.batch.count, reads_a_and_b);
  } else {
    check_pointers(shape, x.batch, x.a.data, x.b.data, x.c.data, reads_a_and_b);
  }
  const CpuPlan plan = plan_product<T>(shape, x.batch.count, options);
  memory.workspace = plan.told.workspace_bytes;
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
GemmReport gemm_batch(Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k,
                      std::type_identity_t<T> alpha, const T* const* a, std::int64_t lda, const T* const* b,
                      std::int64_t ldb, std::type_identity_t<T> beta, T* const* c, std::int64_t ldc, std::int64_t batch,
                      const GemmOptions& options) {
  Memory memory;
  return host::door(memory, [&] {
    const GemmShape shape{layout, opa, opb, m, n, k, lda, ldb, ldc, sizeof(T)};
    check_options(options);
    check_shape(shape);
    check_batch(shape, {batch, 0, 0, shape.span_c()});
    Product<T> x = product_of<T>(shape, {batch}, alpha, nullptr, nullptr, beta, nullptr);
    x.pointers = {a, b, c};
    // A single one has ways of its own.
    if (batch == 1 && shape.span_c() > 0) {
      check_pointers(shape, *x.pointers, batch, !(alpha == T(0)));
      x = x.at(0);
    }
    return multiply(memory, shape, x, options);
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
                                            std::int64_t, std::int64_t, std::int64_t, const GemmOptions&);           \
  template GemmReport gemm_batch<T>(Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, T, const T* const*,    \
                                    std::int64_t, const T* const*, std::int64_t, T, T* const*, std::int64_t,         \
                                    std::int64_t, const GemmOptions&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
