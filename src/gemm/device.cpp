// gemm on a queue's device: arguments, buffers, transfers.
#include <hilo/device.hpp>
#include <type_traits>

#include "gemm/arguments.hpp"
#include "gemm/direct/opencl.hpp"
#include "gemm/plan.hpp"

namespace hilo {
namespace {

using direct::OpenclMatrix;
using direct::OpenclProduct;

template <class T>
void require_supported() {
  if constexpr (!double_double<T>) {
    throw error(errc::unsupported, "gemm: precision " + std::string(name(precision_of<T>)) +
                                       " is not supported by backend opencl, which computes dd and zdd");
  }
}

template <class T>
dd_complex as_complex(T x) {
  if constexpr (double_double<T>) {
    return dd_complex(x);
  } else {
    return dd_complex(0);
  }
}

bool uses_fma(const GemmOptions& options, const DeviceInfo& device) {
  if (options.engine == Engine::reproducible) return true;
  return options.fma == Fma::automatic ? device.fma : options.fma == Fma::on;
}

void require_direct(const GemmShape& shape, const GemmOptions& options) {
  bool is_direct = options.accuracy == Accuracy::classic || options.accuracy == Accuracy::fast;
  is_direct = is_direct && options.engine != Engine::modular;
  if (options.engine == Engine::reproducible) is_direct = is_direct && reproducible_engine(shape) == Engine::direct;
  if (!is_direct) {
    throw error(errc::unsupported, "gemm: engine " + std::string(name(options.engine)) + " with accuracy " +
                                       std::string(name(options.accuracy)) +
                                       " takes the modular engine for this product, which runs on backend cpu only");
  }
}

template <class T>
GemmPlan make_plan(const DeviceInfo& device, const GemmShape& s, const GemmOptions& options) {
  require_direct(s, options);
  constexpr int parts = std::same_as<T, dd_complex> ? 2 : 1;
  const direct::OpenclTile tile = direct::tile_for(device);
  // Nothing bounds the other sizes of an empty product.
  const bool is_empty = s.m == 0 || s.n == 0;
  const direct::OpenclBlocks blocks =
      is_empty ? direct::OpenclBlocks{}
               : direct::block_product(tile, s.m, s.n * parts, s.k * parts, direct::default_workspace(device));
  GemmPlan plan = plan_of(precision_of<T>, s, 1, Backend::opencl, options.accuracy);
  plan.fma = uses_fma(options, device);
  device.name.copy(plan.unit, sizeof plan.unit - 1);
  plan.micro_rows = tile.item_rows;
  plan.micro_columns = tile.item_columns;
  plan.tile_rows = tile.panel_rows();
  plan.tile_columns = tile.panel_columns() / parts;
  plan.depth = blocks.depth / parts;
  plan.workspace_bytes = s.k ? blocks.bytes() : 0;
  plan.error_bound_u2 = direct_error_bound_u2(s.k, options.accuracy, parts == 2, plan.fma);
  return plan;
}

OpenclMatrix matrix(Layout layout, Op op, const cl::Buffer& buffer, std::int64_t offset, std::int64_t leading) {
  auto v = view<const dd_real>(layout, op, nullptr, 0, 0, leading);
  return {buffer, offset, v.row_stride, v.column_stride, v.conjugate};
}

template <class T>
OpenclProduct make_product(const GemmShape& s, T alpha, T beta, const GemmPlan& plan) {
  OpenclProduct p{};
  p.is_complex = std::same_as<T, dd_complex>;
  p.m = s.m;
  p.n = s.n;
  p.k = s.k;
  p.alpha = as_complex(alpha);
  p.beta = as_complex(beta);
  p.accuracy = plan.accuracy;
  p.fma = plan.fma;
  return p;
}

// Bytes of a memory object, or of the one that it is a part of.
struct Extent {
  cl_mem memory;
  Footprint bytes;
};

Extent extent_of(_cl_mem* memory, Footprint bytes) {
  cl::Buffer buffer(memory, true);
  cl_mem parent = buffer.getInfo<CL_MEM_ASSOCIATED_MEMOBJECT>()();
  bytes.begin += static_cast<std::int64_t>(parent ? buffer.getInfo<CL_MEM_OFFSET>() : 0);
  return {parent ? parent : memory, bytes};
}

template <class T>
Extent check_buffer(const char* matrix_name, const Queue& queue, const Buffer<T>& buffer, std::int64_t offset,
                    std::int64_t span, Footprint bytes) {
  std::string x(matrix_name);
  if (offset < 0) {
    throw error(errc::invalid_argument, "gemm: the offset of " + x + " = " + std::to_string(offset) + " is negative");
  }
  if (offset > buffer.size() || span > buffer.size() - offset) {
    throw error(errc::invalid_argument, "gemm: " + x + " covers " + std::to_string(span) + " elements from offset " +
                                            std::to_string(offset) + ", but its buffer has " +
                                            std::to_string(buffer.size()));
  }
  return opencl::guarded("asking about a buffer", [&] {
    if (cl::Buffer(buffer.native(), true).template getInfo<CL_MEM_CONTEXT>()() != queue.context().native()) {
      throw error(errc::invalid_argument, "gemm: the buffer of " + x + " belongs to another context than the queue");
    }
    bytes.begin = offset * static_cast<std::int64_t>(sizeof(T));
    return extent_of(buffer.native(), bytes);
  });
}

void check_disjoint(const char* matrix_name, const Extent& x, const Extent& c) {
  if (x.memory == c.memory && overlap(x.bytes, c.bytes)) {
    throw error(errc::invalid_argument, std::string("gemm: C overlaps ") + matrix_name + " in its buffer");
  }
}

// A host matrix of `lines` contiguous runs of `length` elements, `leading` apart, as a box for a rectangular copy.
struct HostBox {
  std::size_t line_bytes, lines, pitch;

  HostBox(Layout layout, Op op, std::int64_t rows, std::int64_t columns, std::int64_t leading,
          std::int64_t element_bytes) {
    bool contiguous = (layout == Layout::column) == (op == Op::none);
    line_bytes = static_cast<std::size_t>((contiguous ? rows : columns) * element_bytes);
    lines = static_cast<std::size_t>(contiguous ? columns : rows);
    pitch = static_cast<std::size_t>(leading * element_bytes);
  }
  std::int64_t bytes() const { return static_cast<std::int64_t>(line_bytes * lines); }
  cl::array<cl::size_type, 3> region() const { return {line_bytes, lines, 1}; }
  // One line has any pitch; a runtime may refuse the caller's.
  std::size_t host_pitch() const { return lines == 1 ? line_bytes : pitch; }
};

constexpr cl::array<cl::size_type, 3> origin = {0, 0, 0};

template <class T>
GemmReport run_on_host_memory(Queue& queue, const GemmShape& s, T alpha, const T* a, const T* b, T beta, T* c,
                              const GemmOptions& options) {
  constexpr std::int64_t bytes = sizeof(T);
  opencl::QueueState& q = *queue.state();
  GemmReport report{make_plan<T>(q.context->info, s, options)};
  OpenclProduct p = make_product(s, alpha, beta, report.plan);
  bool reads_a_and_b = s.k > 0 && !(alpha == T(0)), reads_c = !(beta == T(0));
  if (!reads_a_and_b && beta == T(1)) return report;
  HostBox a_box(s.layout, s.opa, s.m, s.k, s.lda, bytes), b_box(s.layout, s.opb, s.k, s.n, s.ldb, bytes);
  HostBox c_box(s.layout, Op::none, s.m, s.n, s.ldc, bytes);

  auto borrow = [&](const HostBox& box, const char* what) {
    return q.context->workspaces.borrow(*q.context, q.queue, q.in_order, box.bytes(), what);
  };
  auto write = [&](const opencl::Workspace& to, const HostBox& box, const T* from) {
    std::vector<cl::Event> wait;
    if (to.busy()()) wait.push_back(to.busy());
    q.queue.enqueueWriteBufferRect(to.buffer(), CL_TRUE, origin, origin, box.region(), box.line_bytes, 0,
                                   box.host_pitch(), 0, from, &wait);
  };
  opencl::Workspace a_memory, b_memory, c_memory = borrow(c_box, "C");
  auto packed = [&](const HostBox& box) { return static_cast<std::int64_t>(box.line_bytes) / bytes; };
  std::vector<cl::Event> wait;
  if (reads_a_and_b) {
    a_memory = borrow(a_box, "A");
    b_memory = borrow(b_box, "B");
    write(a_memory, a_box, a);
    write(b_memory, b_box, b);
    p.a = matrix(s.layout, s.opa, a_memory.buffer(), 0, packed(a_box));
    p.b = matrix(s.layout, s.opb, b_memory.buffer(), 0, packed(b_box));
  }
  if (reads_c) {
    write(c_memory, c_box, c);
  } else if (c_memory.busy()()) {
    wait.push_back(c_memory.busy());
  }
  p.c = matrix(s.layout, Op::none, c_memory.buffer(), 0, packed(c_box));

  direct::OpenclRun run = direct::enqueue(q, p, wait);
  run.event.wait();
  if (run.recomputed.buffer()()) {
    cl_uint count = 0;
    q.queue.enqueueReadBuffer(run.recomputed.buffer(), CL_TRUE, 0, sizeof count, &count);
    report.entries_recomputed = count;
    run.recomputed.release(q.queue, {});
  }
  q.queue.enqueueReadBufferRect(c_memory.buffer(), CL_TRUE, origin, origin, c_box.region(), c_box.line_bytes, 0,
                                c_box.host_pitch(), 0, c);
  for (opencl::Workspace* w : {&a_memory, &b_memory, &c_memory}) w->release(q.queue, {});
  return report;
}

}  // namespace

template <gemm_scalar T>
GemmPlan plan_gemm(const Queue& queue, Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k,
                   const GemmOptions& options) {
  GemmShape shape = packed_shape(layout, opa, opb, m, n, k, sizeof(T));
  check_options(options);
  check_shape(shape);
  require_supported<T>();
  return make_plan<T>(queue.context().device(), shape, options);
}

template <gemm_scalar T>
GemmReport gemm(Queue& queue, Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
                const T* a, std::int64_t lda, const T* b, std::int64_t ldb, T beta, T* c, std::int64_t ldc,
                const GemmOptions& options) {
  GemmShape shape{layout, opa, opb, m, n, k, lda, ldb, ldc, sizeof(T)};
  check_options(options);
  check_shape(shape);
  check_pointers(shape, {}, a, b, c, !(alpha == T(0)));
  require_supported<T>();
  if (m == 0 || n == 0) return {make_plan<T>(queue.context().device(), shape, options)};
  return opencl::guarded("computing a product",
                         [&] { return run_on_host_memory(queue, shape, alpha, a, b, beta, c, options); });
}

template <gemm_scalar T>
Event gemm(Queue& queue, Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
           const Buffer<T>& a, std::int64_t offset_a, std::int64_t lda, const Buffer<T>& b, std::int64_t offset_b,
           std::int64_t ldb, T beta, Buffer<T>& c, std::int64_t offset_c, std::int64_t ldc,
           const std::vector<Event>& wait_list, const GemmOptions& options, GemmReport* report) {
  GemmShape shape{layout, opa, opb, m, n, k, lda, ldb, ldc, sizeof(T)};
  check_options(options);
  check_shape(shape);
  require_supported<T>();
  Extent c_extent = check_buffer("C", queue, c, offset_c, shape.span_c(), shape.footprint_c(0));
  if (!(alpha == T(0))) {
    check_disjoint("A", check_buffer("A", queue, a, offset_a, shape.span_a(), shape.footprint_a(0)), c_extent);
    check_disjoint("B", check_buffer("B", queue, b, offset_b, shape.span_b(), shape.footprint_b(0)), c_extent);
  }
  GemmPlan plan = make_plan<T>(queue.context().device(), shape, options);
  OpenclProduct p = make_product(shape, alpha, beta, plan);
  p.a = matrix(layout, opa, cl::Buffer(a.native(), true), offset_a, lda);
  p.b = matrix(layout, opb, cl::Buffer(b.native(), true), offset_b, ldb);
  p.c = matrix(layout, Op::none, cl::Buffer(c.native(), true), offset_c, ldc);
  direct::OpenclRun run = direct::enqueue(*queue.state(), p, opencl::native_events(wait_list));
  if (run.recomputed.buffer()()) run.recomputed.release(queue.state()->queue, cl::Event(run.event.native(), true));
  if (report) *report = {plan, -1};
  return run.event;
}

#define HILO_INSTANTIATE(T)                                                                                       \
  template GemmPlan plan_gemm<T>(const Queue&, Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t,          \
                                 const GemmOptions&);                                                             \
  template GemmReport gemm<T>(Queue&, Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, T, const T*,      \
                              std::int64_t, const T*, std::int64_t, T, T*, std::int64_t, const GemmOptions&);     \
  template Event gemm<T>(Queue&, Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, T, const Buffer<T>&,   \
                         std::int64_t, std::int64_t, const Buffer<T>&, std::int64_t, std::int64_t, T, Buffer<T>&, \
                         std::int64_t, std::int64_t, const std::vector<Event>&, const GemmOptions&, GemmReport*);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
