#include "cli/timed_product.hpp"

#include <algorithm>
#include <utility>

#include "cli/statistics.hpp"
#include "cli/stopwatch.hpp"

namespace hilo::cli {
namespace {

template <class T>
std::int64_t size(const data::Matrix<T>& x) {
  return std::ssize(x.entries);
}

// What gemm takes, on the CPU or behind a queue.
template <class T>
struct Call {
  const GemmRequest& request;
  T alpha;
  Operands<T>& o;
  T beta;
  Runs& runs;

  std::int64_t depth() const { return request.opa == Op::none ? o.a.columns : o.a.rows; }
  void restore_c() const {
    if (!o.c0.entries.empty()) o.c.entries = o.c0.entries;
  }

  template <class... Where>
  GemmReport run(Where&... where) const {
    return gemm(where..., request.layout, request.opa, request.opb, o.c.rows, o.c.columns, depth(), alpha,
                o.a.entries.data(), o.a.leading(), o.b.entries.data(), o.b.leading(), beta, o.c.entries.data(),
                o.c.leading(), request.options);
  }

  template <class... Where>
  std::vector<double> time(GemmReport& report, Where&... where) const {
    return repeated(request, runs, [&] {
      restore_c();
      Stopwatch watch;
      report = run(where...);
      return watch.seconds();
    });
  }

  GemmReport run_on(const DeviceGroup& devices, std::vector<StreamReport>& streams) const {
    const auto a =
        view(request.layout, request.opa, std::as_const(o.a).entries.data(), o.c.rows, depth(), o.a.leading());
    const auto b =
        view(request.layout, request.opb, std::as_const(o.b).entries.data(), depth(), o.c.columns, o.b.leading());
    const auto c = view(request.layout, Op::none, o.c.entries.data(), o.c.rows, o.c.columns, o.c.leading());
    GroupReport report = gemm<T>(devices, alpha, a, b, beta, c, request.options);
    streams = report.devices;
    return report;
  }

  // product(streams) from host memory, which says how panels went.
  template <class Product>
  void time_streams(Timing& timing, Product product) const {
    const auto seconds = repeated(request, runs, [&] {
      restore_c();
      Stopwatch watch;
      timing.report = product(timing.streams);
      const double total = watch.seconds();
      double kernel = 0.0;
      for (const StreamReport& stream : timing.streams) kernel = std::max(kernel, stream.seconds_kernel);
      return std::pair{total, kernel > 0.0 ? kernel : total};
    });
    for (const auto& [total, kernel] : seconds) {
      timing.total.push_back(total);
      timing.kernel.push_back(kernel);
    }
  }

  // Whether the operands fit the device, with the time of products there.
  bool time_resident_if_there_is_room(Queue& queue, Timing& timing) const {
    try {
      timing.kernel = time_resident(queue, timing.device);
      return true;
    } catch (const error& failure) {
      if (failure.code() != errc::out_of_memory) throw;
      return false;
    }
  }

  std::vector<double> time_resident(Queue& queue, std::optional<DeviceTime>& device) const {
    Context context = queue.context();
    Buffer<T> a(context, size(o.a)), b(context, size(o.b)), c(context, size(o.c));
    a.write(queue, o.a.entries.data(), 0, size(o.a));
    b.write(queue, o.b.entries.data(), 0, size(o.b));
    const auto write_c = [&] {
      if (!o.c0.entries.empty()) c.write(queue, o.c0.entries.data(), 0, size(o.c0));
    };
    const auto product = [&] {
      return gemm(queue, request.layout, request.opa, request.opb, o.c.rows, o.c.columns, depth(), alpha, a, 0,
                  o.a.leading(), b, 0, o.b.leading(), beta, c, 0, o.c.leading(), {}, request.options);
    };
    std::vector<double> seconds = repeated(request, runs, [&] {
      write_c();
      return product().seconds();
    });
    if (!request.wants_device_time) return seconds;
    device.emplace();
    device->bytes_in = static_cast<std::int64_t>(sizeof(T)) * (size(o.a) + size(o.b) + size(o.c0));
    device->bytes_out = static_cast<std::int64_t>(sizeof(T)) * size(o.c);
    device->seconds_in = best_of_transfers([&] {
      a.write(queue, o.a.entries.data(), 0, size(o.a));
      b.write(queue, o.b.entries.data(), 0, size(o.b));
      write_c();
    });
    trace_kernels(queue, product, *device);
    device->seconds_out = best_of_transfers([&] { c.read(queue, o.c.entries.data(), 0, size(o.c)); });
    return seconds;
  }

 private:
  // Of as many as the runs of the product.
  template <class Transfer>
  double best_of_transfers(Transfer transfer) const {
    std::vector<double> seconds;
    while (std::ssize(seconds) < request.repeat) {
      Stopwatch watch;
      transfer();
      seconds.push_back(watch.seconds());
    }
    return best(seconds);
  }
};

}  // namespace

template <class T>
GemmPlan plan_product(const std::optional<Queue>& queue, const GemmRequest& r) {
  return queue ? plan_gemm<T>(*queue, r.layout, r.opa, r.opb, r.m, r.n, r.k, r.options)
               : plan_gemm<T>(r.layout, r.opa, r.opb, r.m, r.n, r.k, r.options);
}

template <class T>
Timing time_product(std::optional<Queue>& queue, const GemmRequest& request, T alpha, Operands<T>& operands, T beta,
                    const RunWatch& watch) {
  Runs runs{watch, runs_of(request) * (queue ? 2 : 1)};
  Call<T> call{request, alpha, operands, beta, runs};
  Timing timing;
  if (queue) {
    if (request.options.device_bytes == 0 && call.time_resident_if_there_is_room(*queue, timing)) {
      timing.total = call.time(timing.report, *queue);
    } else {
      call.time_streams(timing, [&](std::vector<StreamReport>& streams) {
        const GemmReport report = call.run(*queue);
        streams = {report.stream};
        return report;
      });
    }
    if (timing.device) timing.device->programs = program_tally(queue->context());
  } else {
    timing.total = timing.kernel = call.time(timing.report);
  }
  return timing;
}

template <class T>
Timing time_product_on(const DeviceGroup& devices, const GemmRequest& request, T alpha, Operands<T>& operands, T beta,
                       const RunWatch& watch) {
  Runs runs{watch, runs_of(request)};
  const Call<T> call{request, alpha, operands, beta, runs};
  Timing timing;
  call.time_streams(timing, [&](std::vector<StreamReport>& streams) { return call.run_on(devices, streams); });
  return timing;
}

#define HILO_INSTANTIATE(T)                                                                                        \
  template GemmPlan plan_product<T>(const std::optional<Queue>&, const GemmRequest&);                              \
  template Timing time_product<T>(std::optional<Queue>&, const GemmRequest&, T, Operands<T>&, T, const RunWatch&); \
  template Timing time_product_on<T>(const DeviceGroup&, const GemmRequest&, T, Operands<T>&, T, const RunWatch&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::cli
