#include "stream/whole.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "gemm/device_product.hpp"
#include "gemm/plan.hpp"

namespace hilo {
namespace {

constexpr int parts_of_c = 8;

// A matrix in host memory as contiguous lines, `leading` elements apart.
opencl::HostLines host_lines(Layout layout, Op op, std::int64_t rows, std::int64_t columns, std::int64_t leading,
                             std::int64_t element_bytes) {
  const bool contiguous = columns_contiguous(layout, op);
  return {static_cast<std::size_t>((contiguous ? rows : columns) * element_bytes),
          static_cast<std::size_t>(contiguous ? columns : rows), static_cast<std::size_t>(leading * element_bytes)};
}

// A matrix of a call: its memory on the device, the same for all products of a batch, and its way there and back.
class Transferred {
 public:
  Transferred(opencl::QueueState& queue, opencl::Staging& staging, std::size_t least_bytes,
              const opencl::HostLines& lines, const char* what)
      : queue_(queue),
        staging_(staging),
        lines_(lines),
        is_staged_(staging && lines.bytes() >= least_bytes),
        // What is staged comes by another queue, which must be told whom to wait for.
        memory_(queue.context->workspaces.borrow(*queue.context, queue.queue, queue.in_order && !is_staged_,
                                                 static_cast<std::int64_t>(lines.bytes()), what)),
        busy_(memory_.busy()) {}

  bool is_staged() const { return is_staged_; }

  // The next command must wait for what is added to `wait`.
  void upload(const void* from, std::vector<cl::Event>& wait) {
    if (is_staged_) {
      wait.push_back(staging_.upload(memory_.buffer(), lines_, from, std::exchange(busy_, {})));
      return;
    }
    std::vector<cl::Event> before;
    wait_first(before);
    queue_.queue.enqueueWriteBufferRect(memory_.buffer(), CL_TRUE, origin, origin, region(), lines_.line_bytes, 0,
                                        host_pitch(), 0, from, &before);
  }

  // For the memory's last user, before it is first written.
  void wait_first(std::vector<cl::Event>& wait) {
    const cl::Event before = std::exchange(busy_, {});
    if (before()) wait.push_back(before);
  }

  // Once the parts are complete, one by one; without parts, the matrix must be.
  void download(void* to, const std::vector<modular::Part>& parts) {
    if (!is_staged_) {
      queue_.queue.enqueueReadBufferRect(memory_.buffer(), CL_TRUE, origin, origin, region(), lines_.line_bytes, 0,
                                         host_pitch(), 0, to);
      return;
    }
    std::vector<opencl::StagedRange> ranges;
    for (const modular::Part& part : parts) {
      ranges.push_back({static_cast<std::size_t>(part.first_line) * lines_.line_bytes,
                        static_cast<std::size_t>(part.lines) * lines_.line_bytes, part.done});
    }
    if (ranges.empty()) ranges.push_back({0, lines_.bytes(), {}});
    staging_.download(memory_.buffer(), lines_, to, ranges);
  }

  void release() { memory_.release(queue_.queue, {}); }

  const cl::Buffer& buffer() const { return memory_.buffer(); }
  // From one line to the next there.
  std::int64_t leading(std::size_t element_bytes) const {
    return static_cast<std::int64_t>(lines_.line_bytes / element_bytes);
  }

 private:
  static constexpr cl::array<cl::size_type, 3> origin = {0, 0, 0};
  cl::array<cl::size_type, 3> region() const { return {lines_.line_bytes, lines_.lines, 1}; }
  // One line has any pitch; a runtime may refuse the caller's.
  std::size_t host_pitch() const { return lines_.lines == 1 ? lines_.line_bytes : lines_.pitch; }

  opencl::QueueState& queue_;
  opencl::Staging& staging_;
  opencl::HostLines lines_;
  bool is_staged_;
  opencl::Workspace memory_;
  cl::Event busy_;
};

// write(), which has begun with the caller's C where it fails.
template <class Write>
void write_c(const std::string& which, Write write) {
  try {
    opencl::guarded("fetching C", write);
  } catch (const error& failure) {
    throw error(failure.code(), std::string(failure.what()) + "; " + which + " is undefined");
  }
}

}  // namespace

template <gemm_scalar T>
void multiply_host_memory(opencl::QueueState& q, DevicePlan& plan, const GemmShape& s, const Product<T>& product,
                          GemmReport& report) {
  const BatchShape& batch = product.batch;
  const bool reads_a_and_b = product.reads_operands(), reads_c = !(product.beta == T(0));
  if (!reads_a_and_b && product.beta == T(1)) return;
  const opencl::HostLines a_lines = host_lines(s.layout, s.opa, s.m, s.k, s.lda, sizeof(T)),
                          b_lines = host_lines(s.layout, s.opb, s.k, s.n, s.ldb, sizeof(T)),
                          c_lines = host_lines(s.layout, Op::none, s.m, s.n, s.ldc, sizeof(T));
  const opencl::StagingSizes sizes = q.context->staging.sizes();
  const std::size_t largest = std::max(c_lines.bytes(), reads_a_and_b ? std::max(a_lines.bytes(), b_lines.bytes()) : 0);
  opencl::Staging staging;
  if (largest >= sizes.least_bytes) staging = q.context->staging.borrow(q.context->context, q.context->device);
  Transferred c_memory(q, staging, sizes.least_bytes, c_lines, "C");
  DeviceProduct x = device_product(s, {}, product.alpha, product.beta);
  auto place = [&](DeviceView& view, Op op, const Transferred& memory) {
    view = device_view(s.layout, op, memory.buffer(), view.rows, view.columns, memory.leading(sizeof(T)));
  };
  place(x.c, Op::none, c_memory);
  std::optional<Transferred> a_memory, b_memory;
  if (reads_a_and_b) {
    a_memory.emplace(q, staging, sizes.least_bytes, a_lines, "A");
    b_memory.emplace(q, staging, sizes.least_bytes, b_lines, "B");
    place(x.a, s.opa, *a_memory);
    place(x.b, s.opb, *b_memory);
  }
  const int row_parts = c_memory.is_staged() && c_lines.bytes() >= sizes.parts_bytes ? parts_of_c : 0;
  for (std::int64_t i = 0; i < batch.count; ++i) {
    std::vector<cl::Event> wait;
    const Product<T> one = product.at(i);
    if (reads_a_and_b && (i == 0 || batch.stride_a != 0)) a_memory->upload(one.a.data, wait);
    if (reads_a_and_b && (i == 0 || batch.stride_b != 0)) b_memory->upload(one.b.data, wait);
    if (reads_c) {
      c_memory.upload(one.c.data, wait);
    } else {
      c_memory.wait_first(wait);
    }
    DeviceRun run = execute(plan, x, q, wait, row_parts);
    if (run.parts.empty()) run.event.wait();
    std::vector<cl_uint> counts;
    if (run.recomputed.buffer()()) {
      counts.resize(static_cast<std::size_t>(run.counters));
      q.queue.enqueueReadBuffer(run.recomputed.buffer(), CL_TRUE, 0, sizeof(cl_uint) * counts.size(), counts.data());
      run.recomputed.release(q.queue, {});
    }
    write_c(batch.count == 1 ? "C" : "C of product " + std::to_string(i), [&] {
      c_memory.download(one.c.data, run.parts);
      run.event.wait();
    });
    for (cl_uint count : counts) report.entries_recomputed += count;
    add_to_report(report, run.plan, i == 0);
    report.entries_direct += run.entries_direct;
  }
  c_memory.release();
  if (reads_a_and_b) {
    a_memory->release();
    b_memory->release();
  }
}

#define HILO_INSTANTIATE(T)                                                                                    \
  template void multiply_host_memory<T>(opencl::QueueState&, DevicePlan&, const GemmShape&, const Product<T>&, \
                                        GemmReport&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
