// gemm on a queue's device, host to host: arguments, and which way the matrices go.
#include <hilo/gemm.hpp>

#include "gemm/device_product.hpp"
#include "gemm/modular/guarantee.hpp"
#include "matrix/arguments.hpp"
#include "matrix/product.hpp"
#include "stream/host_gemm.hpp"
#include "stream/whole.hpp"

namespace hilo {
namespace {

stream::Outcome go_in_panels(Queue& queue, DevicePlan plan, const stream::HostProduct& host, const GemmOptions& options,
                             GemmReport& report) {
  std::vector<stream::Way> ways;
  ways.push_back({queue.state().get(), std::move(plan)});
  std::vector<StreamReport> streams;
  const stream::Outcome outcome = stream::multiply_in_panels(ways, host, options, report, streams);
  if (outcome == stream::Outcome::done) report.stream = streams.front();
  return outcome;
}

// Of a product that fits no device, and whose entries panels cannot tell about: by the direct engine where the choice
// is free, else by the CPU, whose bits are the same.
template <class T>
GemmReport multiply_beyond(Queue& queue, const stream::HostProduct& host, const Product<T>& x, const GemmPlan& told,
                           const GemmOptions& options) {
  if (options.engine != Engine::automatic || modular::is_needed(options.accuracy) || !double_double<T>) {
    GemmOptions cpu = options;
    cpu.engine = Engine::modular;
    cpu.workspace_bytes = 0;
    cpu.fma = told.fma ? Fma::on : Fma::off;
    return gemm<T>(x.alpha, x.a, x.b, x.beta, x.c, cpu);
  }
  GemmOptions direct = options;
  direct.engine = Engine::direct;
  DevicePlan plan = plan_product(*queue.context().state(), host.shape, host.product, direct);
  plan.told.path = Path::direct_for_range;
  plan.told.seconds_direct = told.seconds_direct;
  plan.told.seconds_modular = told.seconds_modular;
  GemmReport report{plan.told};
  go_in_panels(queue, std::move(plan), host, direct, report);
  return report;
}

// What the doors come to, with matrices whose shape is checked.
template <class T>
GemmReport multiply(Queue& queue, const GemmShape& shape, const Product<T>& x, const GemmOptions& options) {
  check_pointers(shape, x.batch, x.a.data, x.b.data, x.c.data, !(x.alpha == T(0)));
  // On the device each lies packed, alone.
  const GemmShape packed = packed_shape(shape.layout, shape.opa, shape.opb, shape.m, shape.n, shape.k, sizeof(T));
  opencl::ContextState& context = *queue.context().state();
  DevicePlan plan = plan_product(context, packed, device_product(packed, {}, x.alpha, x.beta), options);
  plan.told.batch = x.batch.count;
  GemmReport report{plan.told};
  if (shape.m == 0 || shape.n == 0 || x.batch.count == 0) return report;
  const bool is_one = x.batch.count == 1 && x.reads_operands();
  auto in_one_piece = [&] {
    if (is_one && stream::exceeds_device(context, plan, packed, options)) {
      return multiply_beyond(queue, stream::host_product(packed, x), x, plan.told, options);
    }
    multiply_host_memory<T>(*queue.state(), plan, shape, x, report);
    return report;
  };
  if (!is_one || !stream::wants_panels(context, plan, packed, options)) return in_one_piece();
  switch (go_in_panels(queue, plan, stream::host_product(packed, x), options, report)) {
    case stream::Outcome::undone:
      return in_one_piece();
    case stream::Outcome::undone_and_undefined:
      return stream::after_writing(in_one_piece);
    default:
      return report;
  }
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
