// QR on a queue's device: arguments -> place -> routine.
#include <algorithm>
#include <hilo/lapack.hpp>

#include "blas/opencl/arguments.hpp"
#include "lapack/opencl/qr_place.hpp"
#include "lapack/qr.hpp"
#include "lapack/qr_arguments.hpp"

namespace hilo {
namespace {

using blas::Arguments;
using blas::counted_argument;
using blas::device_view;
using lapack::QrDevicePlace;

// check(arguments) tells whether there is something to be done; run(place) does it, and what it gives comes back.
template <class T>
struct Door {
  const char* routine;
  Queue& queue;
  const std::vector<Event>& wait_list;
  const BlockedOptions& options;

  template <class Check, class Run>
  std::int64_t operator()(Check check, Run run) const {
    const std::string doing = std::string("running ") + routine;
    return opencl::guarded(doing.c_str(), [&]() -> std::int64_t {
      const Arguments arguments(routine, sizeof(T));
      arguments.check_options(precision_of<T>, Backend::opencl, options);
      if (!check(arguments)) return 0;
      QrDevicePlace place(*queue.state(), precision_of<T>, options, opencl::native_events(wait_list, queue));
      place.accept_normwise_products();
      const std::int64_t info = run(place);
      place.finish().wait();
      return info;
    });
  }
};

}  // namespace

template <gemm_scalar T>
void geqrf(Queue& queue, const BufferView<T>& a, std::span<detail::Scalar<T>> tau, const std::vector<Event>& wait_list,
           const BlockedOptions& options) {
  const std::int64_t count = std::min(a.rows, a.columns);
  Door<T>{"geqrf", queue, wait_list, options}(
      [&](const Arguments& check) {
        lapack::check_factors(check, counted_argument(check, queue, "A", a), lapack::argument(tau));
        return count > 0;
      },
      [&](QrDevicePlace& place) {
        place.make_tau(count);
        lapack::factor_orthogonal(place, device_view(a));
        place.read_tau(tau.data(), count);
        return 0;
      });
}

template <gemm_scalar T>
void unmqr(Queue& queue, Side side, Op op, const BufferView<T>& a, std::span<const detail::Scalar<T>> tau,
           const BufferView<T>& c, const std::vector<Event>& wait_list, const BlockedOptions& options) {
  Door<T>{"unmqr", queue, wait_list, options}(
      [&](const Arguments& check) {
        lapack::check_product(check, side, op, counted_argument(check, queue, "A", a), lapack::argument(tau),
                              counted_argument(check, queue, "C", c));
        return c.rows > 0 && c.columns > 0 && !tau.empty();
      },
      [&](QrDevicePlace& place) {
        place.set_tau(tau.data(), std::ssize(tau));
        lapack::multiply_by_orthogonal(place, side, op, device_view(a).sub(0, 0, a.rows, std::ssize(tau)),
                                       device_view(c));
        return 0;
      });
}

template <gemm_scalar T>
void ungqr(Queue& queue, const BufferView<T>& a, std::span<const detail::Scalar<T>> tau,
           const std::vector<Event>& wait_list, const BlockedOptions& options) {
  Door<T>{"ungqr", queue, wait_list, options}(
      [&](const Arguments& check) {
        lapack::check_columns(check, counted_argument(check, queue, "A", a), lapack::argument(tau));
        return a.columns > 0;
      },
      [&](QrDevicePlace& place) {
        place.set_tau(tau.data(), std::ssize(tau));
        lapack::form_orthogonal(place, device_view(a), std::ssize(tau));
        return 0;
      });
}

template <gemm_scalar T>
std::int64_t gels(Queue& queue, Op op, const BufferView<T>& a, const BufferView<T>& b,
                  const std::vector<Event>& wait_list, const BlockedOptions& options) {
  const std::int64_t count = std::min(a.rows, a.columns);
  return Door<T>{"gels", queue, wait_list, options}(
      [&](const Arguments& check) {
        lapack::check_least_squares(check, op, counted_argument(check, queue, "A", a),
                                    counted_argument(check, queue, "B", b));
        return true;
      },
      [&](QrDevicePlace& place) -> std::int64_t {
        if (count == 0) {
          place.scale(0, device_view(b));
          return 0;
        }
        place.make_tau(count);
        return lapack::solve_full_rank(place, op, device_view(a), device_view(b));
      });
}

#define HILO_INSTANTIATE(T)                                                                                        \
  template void geqrf<T>(Queue&, const BufferView<T>&, std::span<T>, const std::vector<Event>&,                    \
                         const BlockedOptions&);                                                                   \
  template void unmqr<T>(Queue&, Side, Op, const BufferView<T>&, std::span<const T>, const BufferView<T>&,         \
                         const std::vector<Event>&, const BlockedOptions&);                                        \
  template void ungqr<T>(Queue&, const BufferView<T>&, std::span<const T>, const std::vector<Event>&,              \
                         const BlockedOptions&);                                                                   \
  template std::int64_t gels<T>(Queue&, Op, const BufferView<T>&, const BufferView<T>&, const std::vector<Event>&, \
                                const BlockedOptions&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
