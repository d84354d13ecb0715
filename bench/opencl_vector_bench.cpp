// Levels 1 and 2 of the BLAS in device memory, against copies there.
//
//   opencl_vector_bench [n [order [precision]]]     vectors of 4000000 elements, matrices of order 8192, dd and zdd
//
// Bytes are those that a routine must read and write; a copy's are both those that it reads and those that it writes,
// as many together. Medians of ten rounds: by the clock, of several calls one after the other (of those that give a
// number each waits for it), and by the device's, from a call's first command to its last. Columns lie side by side,
// and rows in the lines marked with "rows".
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <hilo/blas.hpp>
#include <string>

#include "opencl/native.hpp"
#include "random.hpp"
#include "rounds.hpp"
#include "vector_routines.hpp"

namespace hilo::bench {
namespace {

constexpr int rounds = 10;

template <class T>
class Bench {
 public:
  Bench(std::int64_t n, std::int64_t order)
      : queue_(Context(), Profiling::off),
        timed_(queue_.context(), Profiling::on),
        n_(n),
        order_(order),
        x_{{queue_.context(), n}, 0, n},
        y_{{queue_.context(), n}, 0, n},
        u_{x_.buffer, 0, std::min(order, n)},
        v_{y_.buffer, 0, std::min(order, n)} {
    if (order > n) throw error(errc::invalid_argument, "the order is larger than the vectors are long");
    vectors_ = random<T>(n, 1);
    restore();
  }

  void vectors() {
    for_vectors<T>(x_, y_, [&](const std::string& name, double bytes, auto call) { run(name, bytes, call); });
  }

  void matrices() {
    const std::vector<T> elements = near_identity<T>(order_, 2);
    Buffer<T> buffer(queue_.context(), order_ * order_);
    buffer.write(queue_, elements.data(), 0, order_ * order_);
    for (const Layout layout : {Layout::column, Layout::row}) {
      for_matrix<T>(layout, view(layout, Op::none, buffer, order_, order_, order_), u_, v_,
                    [&](const std::string& name, double bytes, auto call) { run(name, bytes, call); });
    }
  }

 private:
  void restore() {
    x_.buffer.write(queue_, vectors_.data(), 0, n_);
    y_.buffer.write(queue_, vectors_.data(), 0, n_);
  }

  template <class Call>
  double seconds_by_clock(int calls, Call call) {
    queue_.finish();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) call(queue_);
    queue_.finish();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / calls;
  }

  template <class Call>
  double seconds_by_device(Call call) {
    opencl::Trace trace;
    timed_.state()->trace = &trace;
    call(timed_);
    timed_.state()->trace = nullptr;
    timed_.finish();
    const cl_ulong begin = trace.launches.front().event.template getProfilingInfo<CL_PROFILING_COMMAND_START>();
    const cl_ulong end = trace.launches.back().event.template getProfilingInfo<CL_PROFILING_COMMAND_END>();
    return 1e-9 * static_cast<double>(end - begin);
  }

  template <class Call>
  void run(const std::string& name, double bytes, Call call) {
    const auto half = static_cast<std::size_t>(bytes / 2);
    const cl::Context& context = queue_.context().state()->context;
    const cl::Buffer from(context, CL_MEM_READ_WRITE, half), to(context, CL_MEM_READ_WRITE, half);
    const auto copy_half = [&](Queue& q) {
      cl::Event event;
      q.state()->queue.enqueueCopyBuffer(from, to, 0, 0, half, nullptr, &event);
      if (q.state()->trace) q.state()->trace->launches.push_back({"copy", event});
    };
    std::vector<double> clock, device, copy_clock, copy_device;
    for (int r = -1; r < rounds; ++r) {
      restore();
      const double times[] = {seconds_by_clock(4, call), seconds_by_device(call), seconds_by_clock(4, copy_half),
                              seconds_by_device(copy_half)};
      if (r < 0) continue;
      clock.push_back(times[0]), device.push_back(times[1]);
      copy_clock.push_back(times[2]), copy_device.push_back(times[3]);
    }
    const double c = median(clock), d = median(device);
    std::printf("%-4s %-10s  clock %10.1f us %8.1f GB/s %5.2f of a copy   device %10.1f us %8.1f GB/s %5.2f\n",
                std::string(hilo::name(precision_of<T>)).c_str(), name.c_str(), c * 1e6, bytes / c * 1e-9,
                median(copy_clock) / c, d * 1e6, bytes / d * 1e-9, median(copy_device) / d);
    std::fflush(stdout);
  }

  Queue queue_, timed_;
  std::int64_t n_, order_;
  BufferVector<T> x_, y_, u_, v_;
  std::vector<T> vectors_;
};

template <class T>
void measure(std::int64_t n, std::int64_t order) {
  Bench<T> bench(n, order);
  bench.vectors();
  bench.matrices();
}

int run(int argc, char** argv) {
  const std::int64_t n = argc > 1 ? std::atoll(argv[1]) : 4000000, order = argc > 2 ? std::atoll(argv[2]) : 8192;
  const std::string precision = argc > 3 ? argv[3] : "";
  if (n < 1 || order < 1 || (!precision.empty() && precision != "dd" && precision != "zdd")) {
    std::fprintf(stderr, "opencl_vector_bench [n [order [dd or zdd]]]\n");
    return 2;
  }
  const Context context;
  std::printf("%s, driver %s, n = %ld, order %ld\n", context.device().name.c_str(), context.device().driver.c_str(),
              static_cast<long>(n), static_cast<long>(order));
  if (precision != "zdd") measure<dd_real>(n, order);
  if (precision != "dd") measure<dd_complex>(n, order);
  return 0;
}

}  // namespace
}  // namespace hilo::bench

int main(int argc, char** argv) {
  try {
    return hilo::bench::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
