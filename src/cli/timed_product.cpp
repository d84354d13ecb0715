#include "cli/timed_product.hpp"

#include <algorithm>
#include <chrono>
#include <hilo/device.hpp>
#include <limits>

namespace hilo::cli {
namespace {

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(clock::now() - start_).count(); }

 private:
  using clock = std::chrono::steady_clock;
  clock::time_point start_ = clock::now();
};

template <class T>
std::int64_t size(const data::Matrix<T>& x) {
  return std::ssize(x.entries);
}

// The inner dimension of op(A).
template <class T>
std::int64_t depth(const GemmRequest& request, const data::Matrix<T>& a) {
  return request.opa == Op::none ? a.columns : a.rows;
}

}  // namespace

template <class T>
Timing multiply_on_cpu(const GemmRequest& request, T alpha, const data::Matrix<T>& a, const data::Matrix<T>& b, T beta,
                       const data::Matrix<T>& c0, data::Matrix<T>& c) {
  Timing best{{}, std::numeric_limits<double>::infinity(), 0.0};
  for (int run = 0; run <= request.repeat; ++run) {
    if (!c0.entries.empty()) c.entries = c0.entries;
    Stopwatch watch;
    best.report =
        gemm(request.layout, request.opa, request.opb, c.rows, c.columns, depth(request, a), alpha, a.entries.data(),
             a.leading(), b.entries.data(), b.leading(), beta, c.entries.data(), c.leading(), request.options);
    double seconds = watch.seconds();
    if (run > 0) best.seconds_kernel = std::min(best.seconds_kernel, seconds);
  }
  best.seconds_total = best.seconds_kernel;
  return best;
}

template <class T>
Timing multiply_on_opencl(const GemmRequest& request, T alpha, const data::Matrix<T>& a, const data::Matrix<T>& b,
                          T beta, const data::Matrix<T>& c0, data::Matrix<T>& c) {
  Context context = request.platform || request.device
                        ? Context(request.platform.value_or(0), request.device.value_or(0))
                        : Context();
  Queue queue(context);
  Buffer<T> device_a(context, size(a)), device_b(context, size(b)), device_c(context, size(c));
  Timing best{{}, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  for (int run = 0; run <= request.repeat; ++run) {
    Stopwatch watch;
    device_a.write(queue, a.entries.data(), 0, size(a));
    device_b.write(queue, b.entries.data(), 0, size(b));
    if (!c0.entries.empty()) device_c.write(queue, c0.entries.data(), 0, size(c0));
    Event event =
        gemm(queue, request.layout, request.opa, request.opb, c.rows, c.columns, depth(request, a), alpha, device_a, 0,
             a.leading(), device_b, 0, b.leading(), beta, device_c, 0, c.leading(), {}, request.options, &best.report);
    event.wait();
    device_c.read(queue, c.entries.data(), 0, size(c));
    double seconds = watch.seconds();
    if (run == 0) continue;
    best.seconds_kernel = std::min(best.seconds_kernel, event.seconds());
    best.seconds_total = std::min(best.seconds_total, seconds);
  }
  return best;
}

#define HILO_INSTANTIATE(T)                                                                                       \
  template Timing multiply_on_cpu<T>(const GemmRequest&, T, const data::Matrix<T>&, const data::Matrix<T>&, T,    \
                                     const data::Matrix<T>&, data::Matrix<T>&);                                   \
  template Timing multiply_on_opencl<T>(const GemmRequest&, T, const data::Matrix<T>&, const data::Matrix<T>&, T, \
                                        const data::Matrix<T>&, data::Matrix<T>&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::cli
