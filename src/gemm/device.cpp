// gemm on device memory: arguments and buffers.
#include <algorithm>
#include <hilo/gemm.hpp>
#include <iterator>

#include "gemm/device_call.hpp"
#include "gemm/device_product.hpp"
#include "gemm/plan.hpp"
#include "matrix/arguments.hpp"
#include "matrix/device_extent.hpp"
#include "matrix/product.hpp"
#include "opencl/sequence.hpp"

namespace hilo {
namespace {

// Where an operand lies, from `offset` of its buffer: `count` matrices of `span` elements, `stride` apart.
template <class T>
Extent check_buffer(const char* matrix_name, const Queue& queue, const Buffer<T>& buffer, std::int64_t offset,
                    std::int64_t span, std::int64_t stride, std::int64_t count, Footprint bytes) {
  std::string x(matrix_name);
  if (offset < 0) {
    throw error(errc::invalid_argument, "gemm: the offset of " + x + " = " + std::to_string(offset) + " is negative");
  }
  if (span > 0 && count > 1) span += stride * (count - 1);
  if (count == 0) span = 0;
  if (offset > buffer.size() || span > buffer.size() - offset) {
    throw error(errc::invalid_argument, "gemm: " + x + " covers " + std::to_string(span) + " elements from offset " +
                                            std::to_string(offset) + ", but its buffer has " +
                                            std::to_string(buffer.size()));
  }
  return opencl::guarded("asking about a buffer", [&] {
    if (opencl::context_of(buffer.native()) != queue.context().native()) {
      throw error(errc::invalid_argument, "gemm: the buffer of " + x + " belongs to another context than the queue");
    }
    bytes.begin = offset * static_cast<std::int64_t>(sizeof(T));
    return extent_of(buffer.native(), bytes);
  });
}

void check_disjoint(const char* matrix_name, const Extent& x, std::int64_t stride_x, const Extent& c,
                    std::int64_t stride_c, std::int64_t count) {
  if (x.memory == c.memory && count > 0 && overlap(x.bytes, stride_x, c.bytes, stride_c, count)) {
    throw error(errc::invalid_argument, std::string("gemm: C overlaps ") + matrix_name + " in its buffer");
  }
}

// The same of matrices that begin at `offsets`.
template <class T>
void check_offsets(const char* matrix_name, const Queue& queue, const Buffer<T>& buffer, const std::int64_t* offsets,
                   std::int64_t span, std::int64_t count) {
  check_buffer(matrix_name, queue, buffer, 0, 0, 0, 1, Footprint{});
  if (count > 0 && !offsets) {
    throw error(errc::invalid_argument, std::string("gemm: the array of offsets of ") + matrix_name +
                                            " is null, but batch = " + std::to_string(count));
  }
  for (std::int64_t i = 0; i < count; ++i) {
    if (offsets[i] >= 0 && span <= buffer.size() && offsets[i] <= buffer.size() - span) continue;
    throw error(errc::invalid_argument, "gemm: matrix " + std::to_string(i) + " of " + matrix_name + " covers " +
                                            std::to_string(span) + " elements from offset " +
                                            std::to_string(offsets[i]) + ", but its buffer has " +
                                            std::to_string(buffer.size()));
  }
}

// The events of several products as one.
Event together(opencl::QueueState& queue, const std::vector<Event>& events) {
  std::vector<Event> commands;
  std::copy_if(events.begin(), events.end(), std::back_inserter(commands), [](const Event& e) { return e.native(); });
  if (commands.empty()) return {};
  if (commands.size() == 1) return commands.front();
  auto state = std::make_shared<opencl::EventState>();
  state->first = opencl::copied(commands.front().state()->first);
  state->last = opencl::copied(commands.back().state()->last);
  if (!queue.in_order) {
    std::vector<cl::Event> all;
    for (const Event& e : commands) all.emplace_back(e.native(), true);
    cl::Event marker;
    queue.queue.enqueueMarkerWithWaitList(&all, &marker);
    state->last = std::move(marker);
    queue.queue.flush();
  }
  return Event(state);
}

// The buffers of a call, and where its matrices begin in them.
template <class T>
struct Buffers {
  const Buffer<T>& a;
  const Buffer<T>& b;
  const Buffer<T>& c;
  std::int64_t offset_a, offset_b, offset_c;
};

template <class T>
void check_buffers(const Queue& queue, const GemmShape& shape, const BatchShape& batch, const Buffers<T>& x,
                   bool reads_a_and_b) {
  const std::int64_t bytes = shape.element_bytes;
  const Extent c =
      check_buffer("C", queue, x.c, x.offset_c, shape.span_c(), batch.stride_c, batch.count, shape.footprint_c(0));
  if (!reads_a_and_b) return;
  const Extent a =
      check_buffer("A", queue, x.a, x.offset_a, shape.span_a(), batch.stride_a, batch.count, shape.footprint_a(0));
  const Extent b =
      check_buffer("B", queue, x.b, x.offset_b, shape.span_b(), batch.stride_b, batch.count, shape.footprint_b(0));
  // What is empty overlaps nothing, wherever its strides lead.
  if (shape.m == 0 || shape.n == 0 || shape.k == 0) return;
  check_disjoint("A", a, batch.stride_a * bytes, c, batch.stride_c * bytes, batch.count);
  check_disjoint("B", b, batch.stride_b * bytes, c, batch.stride_c * bytes, batch.count);
}

// Whether all products of a batch have the same matrix there.
bool is_shared(std::int64_t stride, const std::int64_t* offsets, std::int64_t count) {
  if (count < 2) return false;
  return offsets ? std::all_of(offsets, offsets + count, [&](std::int64_t x) { return x == offsets[0]; }) : stride == 0;
}

// What the doors to buffers come to.
Event multiply(Queue& queue, const GemmShape& shape, const DeviceProduct& x, const std::vector<Event>& wait_list,
               const GemmOptions& options, GemmReport* report, const modular::PreparedOperands& prepared = {}) {
  opencl::QueueState& q = *queue.state();
  DevicePlan plan = plan_product(*q.context, shape, x, options);
  GemmReport all{plan.told};
  std::vector<Event> events;
  const std::vector<cl::Event> wait = opencl::native_events(wait_list, queue);
  if (runs_as_batch(plan, x)) {
    DeviceRun run = execute(plan, x, q, wait);
    all.plan = run.plan;
    if (run.recomputed.buffer()()) {
      run.recomputed.release(q.queue, cl::Event(run.event.native(), true));
      all.entries_recomputed = -1;
    }
    if (report) *report = all;
    return run.event;
  }
  // Where queues keep no order, products of a batch need not wait for each other.
  modular::PreparedOperand shared[2];
  modular::PreparedOperands operands = prepared;
  if (q.in_order && is_shared(x.batch.stride_a, x.offsets ? x.offsets->a : nullptr, x.batch.count)) {
    operands.of[0] = &shared[0];
  }
  if (q.in_order && is_shared(x.batch.stride_b, x.offsets ? x.offsets->b : nullptr, x.batch.count)) {
    operands.of[1] = &shared[1];
  }
  for (std::int64_t i = 0; i < x.batch.count && !x.is_empty(); ++i) {
    DeviceRun run = execute(plan, x.at(i), q, wait, 0, operands);
    if (run.recomputed.buffer()()) {
      run.recomputed.release(q.queue, cl::Event(run.event.native(), true));
      all.entries_recomputed = -1;
    }
    add_to_report(all, run.plan, i == 0);
    all.entries_direct += run.entries_direct;
    events.push_back(run.event);
  }
  if (report) *report = all;
  if (events.empty() && !wait.empty()) return opencl::marker_after(q, wait);
  return together(q, events);
}

// The same of buffers and of matrices in them one stride apart.
template <class T>
Event multiply_buffers(Queue& queue, const GemmShape& shape, BatchShape batches, T alpha, const Buffers<T>& x, T beta,
                       const std::vector<Event>& wait_list, const GemmOptions& options, GemmReport* report,
                       const modular::PreparedOperands& prepared = {}) {
  check_options(options);
  check_shape(shape);
  check_batch(shape, batches);
  // Of a single product they may be any.
  if (batches.count <= 1) batches = {batches.count};
  check_buffers<T>(queue, shape, batches, x, !(alpha == T(0)));
  DeviceProduct product = device_product(shape, batches, alpha, beta);
  auto place = [](DeviceView& view, const Buffer<T>& buffer, std::int64_t offset) {
    view.buffer = cl::Buffer(buffer.native(), true);
    view.offset = offset;
  };
  place(product.a, x.a, x.offset_a);
  place(product.b, x.b, x.offset_b);
  place(product.c, x.c, x.offset_c);
  return multiply(queue, shape, product, wait_list, options, report, prepared);
}

}  // namespace

template <class T>
GemmEvent multiply_views(Queue& queue, T alpha, const BufferView<T>& a, const BufferView<T>& b, T beta,
                         const BufferView<T>& c, const std::vector<Event>& wait_list, const GemmOptions& options,
                         const modular::PreparedOperands& prepared) {
  check_options(options);
  const GemmShape shape = shape_of_views(lines_of(a), lines_of(b), lines_of(c), sizeof(T));
  GemmEvent run;
  static_cast<Event&>(run) =
      multiply_buffers<T>(queue, shape, {1}, alpha, {a.buffer, b.buffer, c.buffer, a.offset, b.offset, c.offset}, beta,
                          wait_list, options, &run.report, prepared);
  return run;
}

template <class T>
void check_operand(const std::string& routine, const Queue& queue, const BufferView<T>& a) try {
  // Beside a B and a C without columns.
  const GemmShape shape =
      shape_of_views(lines_of(a), {a.columns, 0, 1, a.columns, false}, {a.rows, 0, 1, a.rows, false}, sizeof(T));
  check_buffer("A", queue, a.buffer, a.offset, shape.span_a(), 0, 1, shape.footprint_a(0));
} catch (const error& e) {
  constexpr std::string_view by_gemm = "gemm";
  const std::string_view message = e.what();
  if (!message.starts_with(by_gemm)) throw;
  throw error(e.code(), routine + std::string(message.substr(by_gemm.size())));
}

template <gemm_scalar T>
GemmPlan plan_gemm(const Queue& queue, Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k,
                   const GemmOptions& options, std::int64_t batch) {
  return opencl::guarded("planning a product", [&] {
    GemmShape shape = packed_shape(layout, opa, opb, m, n, k, sizeof(T));
    check_options(options);
    check_shape(shape);
    check_batch(shape, {batch, 0, 0, shape.span_c()});
    return plan_product(*queue.context().state(), shape, device_product(shape, {batch}, T(1), T(0)), options).told;
  });
}

template <gemm_scalar T>
Event gemm_strided_batch(Queue& queue, Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k,
                         std::type_identity_t<T> alpha, const Buffer<T>& a, std::int64_t offset_a, std::int64_t lda,
                         std::int64_t stride_a, const Buffer<T>& b, std::int64_t offset_b, std::int64_t ldb,
                         std::int64_t stride_b, std::type_identity_t<T> beta, Buffer<T>& c, std::int64_t offset_c,
                         std::int64_t ldc, std::int64_t stride_c, std::int64_t batch,
                         const std::vector<Event>& wait_list, const GemmOptions& options, GemmReport* report) {
  return opencl::guarded("computing a product", [&] {
    const GemmShape shape{layout, opa, opb, m, n, k, lda, ldb, ldc, sizeof(T)};
    return multiply_buffers<T>(queue, shape, {batch, stride_a, stride_b, stride_c}, alpha,
                               {a, b, c, offset_a, offset_b, offset_c}, beta, wait_list, options, report);
  });
}

template <gemm_scalar T>
Event gemm_batch(Queue& queue, Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k,
                 std::type_identity_t<T> alpha, const Buffer<T>& a, const std::int64_t* offsets_a, std::int64_t lda,
                 const Buffer<T>& b, const std::int64_t* offsets_b, std::int64_t ldb, std::type_identity_t<T> beta,
                 Buffer<T>& c, const std::int64_t* offsets_c, std::int64_t ldc, std::int64_t batch,
                 const std::vector<Event>& wait_list, const GemmOptions& options, GemmReport* report) {
  return opencl::guarded("computing a product", [&] {
    const GemmShape shape{layout, opa, opb, m, n, k, lda, ldb, ldc, sizeof(T)};
    check_options(options);
    check_shape(shape);
    check_batch(shape, {batch, 0, 0, shape.span_c()});
    const bool reads_a_and_b = k > 0 && !(alpha == T(0));
    check_offsets("C", queue, c, offsets_c, shape.span_c(), batch);
    if (reads_a_and_b) {
      check_offsets("A", queue, a, offsets_a, shape.span_a(), batch);
      check_offsets("B", queue, b, offsets_b, shape.span_b(), batch);
    }
    DeviceProduct product = device_product(shape, {batch}, alpha, beta);
    product.a.buffer = cl::Buffer(a.native(), true);
    product.b.buffer = cl::Buffer(b.native(), true);
    product.c.buffer = cl::Buffer(c.native(), true);
    // Where they are not read, any will do.
    product.offsets = {reads_a_and_b ? offsets_a : offsets_c, reads_a_and_b ? offsets_b : offsets_c, offsets_c};
    if (batch == 1) product = product.at(0);
    return multiply(queue, shape, product, wait_list, options, report);
  });
}

template <gemm_scalar T>
GemmEvent gemm(Queue& queue, std::type_identity_t<T> alpha, const BufferView<T>& a, const BufferView<T>& b,
               std::type_identity_t<T> beta, const BufferView<T>& c, const std::vector<Event>& wait_list,
               const GemmOptions& options) {
  return opencl::guarded("computing a product",
                         [&] { return multiply_views<T>(queue, alpha, a, b, beta, c, wait_list, options, {}); });
}

template <gemm_scalar T>
Event gemm(Queue& queue, Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k,
           std::type_identity_t<T> alpha, const Buffer<T>& a, std::int64_t offset_a, std::int64_t lda,
           const Buffer<T>& b, std::int64_t offset_b, std::int64_t ldb, std::type_identity_t<T> beta, Buffer<T>& c,
           std::int64_t offset_c, std::int64_t ldc, const std::vector<Event>& wait_list, const GemmOptions& options,
           GemmReport* report) {
  return gemm_strided_batch(queue, layout, opa, opb, m, n, k, alpha, a, offset_a, lda, 0, b, offset_b, ldb, 0, beta, c,
                            offset_c, ldc, 0, 1, wait_list, options, report);
}

#define HILO_INSTANTIATE(T)                                                                                            \
  template GemmPlan plan_gemm<T>(const Queue&, Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t,               \
                                 const GemmOptions&, std::int64_t);                                                    \
  template GemmEvent gemm<T>(Queue&, T, const BufferView<T>&, const BufferView<T>&, T, const BufferView<T>&,           \
                             const std::vector<Event>&, const GemmOptions&);                                           \
  template Event gemm<T>(Queue&, Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, T, const Buffer<T>&,        \
                         std::int64_t, std::int64_t, const Buffer<T>&, std::int64_t, std::int64_t, T, Buffer<T>&,      \
                         std::int64_t, std::int64_t, const std::vector<Event>&, const GemmOptions&, GemmReport*);      \
  template Event gemm_strided_batch<T>(Queue&, Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, T,            \
                                       const Buffer<T>&, std::int64_t, std::int64_t, std::int64_t, const Buffer<T>&,   \
                                       std::int64_t, std::int64_t, std::int64_t, T, Buffer<T>&, std::int64_t,          \
                                       std::int64_t, std::int64_t, std::int64_t, const std::vector<Event>&,            \
                                       const GemmOptions&, GemmReport*);                                               \
  template Event gemm_batch<T>(Queue&, Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, T, const Buffer<T>&,  \
                               const std::int64_t*, std::int64_t, const Buffer<T>&, const std::int64_t*, std::int64_t, \
                               T, Buffer<T>&, const std::int64_t*, std::int64_t, std::int64_t,                         \
                               const std::vector<Event>&, const GemmOptions&, GemmReport*);                            \
  template GemmEvent multiply_views<T>(Queue&, T, const BufferView<T>&, const BufferView<T>&, T, const BufferView<T>&, \
                                       const std::vector<Event>&, const GemmOptions&,                                  \
                                       const modular::PreparedOperands&);                                              \
  template void check_operand<T>(const std::string&, const Queue&, const BufferView<T>&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
