// gemm on a queue's device, host to host.
#include <hilo/gemm.hpp>

#include "matrix/arguments.hpp"
#include "opencl/call.hpp"
#include "stream/multiply.hpp"

namespace hilo {
namespace {

template <class T>
GemmReport multiply(Queue& queue, const GemmShape& shape, const Product<T>& x, const GemmOptions& options) {
  std::vector<StreamReport> streams;
  return stream::multiply<T>({{queue.state().get()}}, plan_product, shape, x, options, streams);
}

}  // namespace

template <gemm_scalar T>
GemmReport gemm_strided_batch(Queue& queue, Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n,
                              std::int64_t k, std::type_identity_t<T> alpha, const T* a, std::int64_t lda,
                              std::int64_t stride_a, const T* b, std::int64_t ldb, std::int64_t stride_b,
                              std::type_identity_t<T> beta, T* c, std::int64_t ldc, std::int64_t stride_c,
                              std::int64_t batch, const GemmOptions& options) {
  return opencl::guarded("computing a product", [&] {
    GemmShape shape{layout, opa, opb, m, n, k, lda, ldb, ldc, sizeof(T)};
    BatchShape batches{batch, stride_a, stride_b, stride_c};
    check_options(options);
    check_shape(shape);
    check_batch(shape, batches);
    return multiply(queue, shape, product_of<T>(shape, batches, alpha, a, b, beta, c), options);
  });
}

template <gemm_scalar T>
GemmReport gemm(Queue& queue, std::type_identity_t<T> alpha, const std::type_identity_t<MatrixView<const T>>& a,
                const std::type_identity_t<MatrixView<const T>>& b, std::type_identity_t<T> beta,
                const MatrixView<T>& c, const GemmOptions& options) {
  return opencl::guarded("computing a product", [&] {
    check_options(options);
    const GemmShape shape = shape_of_views(lines_of(a), lines_of(b), lines_of(c), sizeof(T));
    return multiply(queue, shape, product_of<T>(shape, {}, alpha, a.data, b.data, beta, c.data), options);
  });
}

template <gemm_scalar T>
GemmReport gemm(Queue& queue, Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k,
                std::type_identity_t<T> alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
                std::type_identity_t<T> beta, T* c, std::int64_t ldc, const GemmOptions& options) {
  return gemm_strided_batch(queue, layout, opa, opb, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1, options);
}

#define HILO_INSTANTIATE(T)                                                                                       \
  template GemmReport gemm<T>(Queue&, Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, T, const T*,      \
                              std::int64_t, const T*, std::int64_t, T, T*, std::int64_t, const GemmOptions&);     \
  template GemmReport gemm_strided_batch<T>(                                                                      \
      Queue&, Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, T, const T*, std::int64_t, std::int64_t,  \
      const T*, std::int64_t, std::int64_t, T, T*, std::int64_t, std::int64_t, std::int64_t, const GemmOptions&); \
  template GemmReport gemm<T>(Queue&, T, const MatrixView<const T>&, const MatrixView<const T>&, T,               \
                              const MatrixView<T>&, const GemmOptions&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
