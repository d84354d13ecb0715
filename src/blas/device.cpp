// Level 3 on a queue's device: arguments -> place -> routine.
#include "blas/level3.hpp"
#include "blas/opencl/arguments.hpp"

namespace hilo {
namespace {

using blas::Argument;
using blas::Arguments;
using blas::counted_argument;
using blas::device_view;
using blas::DevicePlace;
using blas::Symmetry;

// What every routine is given beside its matrices.
struct Request {
  const char* routine;
  Queue& queue;
  const std::vector<Event>& wait_list;
  const BlockedOptions& options;
};

// check(arguments), whether there is something to be done; run(place) does it.
template <class T, class Check, class Run>
Event door(const Request& request, Check check, Run run) {
  const std::string doing = std::string("running ") + request.routine;
  return opencl::guarded(doing.c_str(), [&] {
    const Arguments arguments(request.routine, sizeof(T));
    arguments.check_options(precision_of<T>, Backend::opencl, request.options);
    opencl::QueueState& queue = *request.queue.state();
    std::vector<cl::Event> wait_list = opencl::native_events(request.wait_list, request.queue);
    if (!check(arguments)) return opencl::marker_after(queue, wait_list);
    DevicePlace place(queue, precision_of<T>, request.options, std::move(wait_list));
    run(place);
    return place.finish();
  });
}

template <class T>
Event multiply(const Request& request, const blas::SymmetricFactor& factor, T alpha, const BufferView<T>& a,
               const BufferView<T>& b, T beta, const BufferView<T>& c) {
  return door<T>(
      request,
      [&](const Arguments& check) {
        const Queue& q = request.queue;
        blas::check_symmetric(check, factor, counted_argument(check, q, "A", a), counted_argument(check, q, "B", b),
                              counted_argument(check, q, "C", c));
        return c.rows > 0 && c.columns > 0;
      },
      [&](DevicePlace& place) {
        blas::multiply_sided(place, factor, as_dd_complex(alpha), device_view(a), device_view(b), as_dd_complex(beta),
                             device_view(c));
      });
}

template <class T>
Event update(const Request& request, const blas::SymmetricResult& result, T alpha, const BufferView<T>& a,
             const BufferView<T>* b, T beta, const BufferView<T>& c) {
  return door<T>(
      request,
      [&](const Arguments& check) {
        const Queue& q = request.queue;
        const Argument y = b ? counted_argument(check, q, "B", *b) : Argument{};
        blas::check_update(check, result, counted_argument(check, q, "A", a), b ? &y : nullptr,
                           counted_argument(check, q, "C", c));
        return c.rows > 0;
      },
      [&](DevicePlace& place) {
        const DeviceView second = device_view(b ? *b : a);
        blas::update(place, result, as_dd_complex(alpha), device_view(a), b ? &second : nullptr, as_dd_complex(beta),
                     device_view(c));
      });
}

}  // namespace

template <gemm_scalar T>
Event trsm(Queue& queue, Side side, Uplo uplo, Diag diag, detail::Scalar<T> alpha, const BufferView<T>& a,
           const BufferView<T>& b, const std::vector<Event>& wait_list, const BlockedOptions& options) {
  return door<T>(
      {"trsm", queue, wait_list, options},
      [&](const Arguments& check) {
        blas::check_triangular(check, side, uplo, diag, counted_argument(check, queue, "A", a),
                               counted_argument(check, queue, "B", b));
        return b.rows > 0 && b.columns > 0;
      },
      [&](DevicePlace& place) {
        blas::solve_sided(place, side, uplo, diag, as_dd_complex(alpha), device_view(a), device_view(b));
      });
}

template <gemm_scalar T>
Event trmm(Queue& queue, Side side, Uplo uplo, Diag diag, detail::Scalar<T> alpha, const BufferView<T>& a,
           const BufferView<T>& b, const std::vector<Event>& wait_list, const BlockedOptions& options) {
  return door<T>(
      {"trmm", queue, wait_list, options},
      [&](const Arguments& check) {
        blas::check_triangular(check, side, uplo, diag, counted_argument(check, queue, "A", a),
                               counted_argument(check, queue, "B", b));
        return b.rows > 0 && b.columns > 0;
      },
      [&](DevicePlace& place) {
        blas::multiply_sided(place, side, uplo, diag, as_dd_complex(alpha), device_view(a), device_view(b));
      });
}

template <gemm_scalar T>
Event symm(Queue& queue, Side side, Uplo uplo, detail::Scalar<T> alpha, const BufferView<T>& a, const BufferView<T>& b,
           detail::Scalar<T> beta, const BufferView<T>& c, const std::vector<Event>& wait_list,
           const BlockedOptions& options) {
  return multiply<T>({"symm", queue, wait_list, options}, {Symmetry::symmetric, side, uplo}, alpha, a, b, beta, c);
}

template <gemm_scalar T>
Event hemm(Queue& queue, Side side, Uplo uplo, detail::Scalar<T> alpha, const BufferView<T>& a, const BufferView<T>& b,
           detail::Scalar<T> beta, const BufferView<T>& c, const std::vector<Event>& wait_list,
           const BlockedOptions& options) {
  return multiply<T>({"hemm", queue, wait_list, options}, {Symmetry::hermitian, side, uplo}, alpha, a, b, beta, c);
}

template <gemm_scalar T>
Event syrk(Queue& queue, Uplo uplo, detail::Scalar<T> alpha, const BufferView<T>& a, detail::Scalar<T> beta,
           const BufferView<T>& c, const std::vector<Event>& wait_list, const BlockedOptions& options) {
  return update<T>({"syrk", queue, wait_list, options}, {Symmetry::symmetric, uplo}, alpha, a, nullptr, beta, c);
}

template <gemm_scalar T>
Event herk(Queue& queue, Uplo uplo, real_type<T> alpha, const BufferView<T>& a, real_type<T> beta,
           const BufferView<T>& c, const std::vector<Event>& wait_list, const BlockedOptions& options) {
  return update<T>({"herk", queue, wait_list, options}, {Symmetry::hermitian, uplo}, T(alpha), a, nullptr, T(beta), c);
}

template <gemm_scalar T>
Event syr2k(Queue& queue, Uplo uplo, detail::Scalar<T> alpha, const BufferView<T>& a, const BufferView<T>& b,
            detail::Scalar<T> beta, const BufferView<T>& c, const std::vector<Event>& wait_list,
            const BlockedOptions& options) {
  return update<T>({"syr2k", queue, wait_list, options}, {Symmetry::symmetric, uplo}, alpha, a, &b, beta, c);
}

template <gemm_scalar T>
Event her2k(Queue& queue, Uplo uplo, detail::Scalar<T> alpha, const BufferView<T>& a, const BufferView<T>& b,
            real_type<T> beta, const BufferView<T>& c, const std::vector<Event>& wait_list,
            const BlockedOptions& options) {
  return update<T>({"her2k", queue, wait_list, options}, {Symmetry::hermitian, uplo}, alpha, a, &b, T(beta), c);
}

#define HILO_INSTANTIATE(T)                                                                                          \
  template Event trsm<T>(Queue&, Side, Uplo, Diag, T, const BufferView<T>&, const BufferView<T>&,                    \
                         const std::vector<Event>&, const BlockedOptions&);                                          \
  template Event trmm<T>(Queue&, Side, Uplo, Diag, T, const BufferView<T>&, const BufferView<T>&,                    \
                         const std::vector<Event>&, const BlockedOptions&);                                          \
  template Event symm<T>(Queue&, Side, Uplo, T, const BufferView<T>&, const BufferView<T>&, T, const BufferView<T>&, \
                         const std::vector<Event>&, const BlockedOptions&);                                          \
  template Event hemm<T>(Queue&, Side, Uplo, T, const BufferView<T>&, const BufferView<T>&, T, const BufferView<T>&, \
                         const std::vector<Event>&, const BlockedOptions&);                                          \
  template Event syrk<T>(Queue&, Uplo, T, const BufferView<T>&, T, const BufferView<T>&, const std::vector<Event>&,  \
                         const BlockedOptions&);                                                                     \
  template Event herk<T>(Queue&, Uplo, real_type<T>, const BufferView<T>&, real_type<T>, const BufferView<T>&,       \
                         const std::vector<Event>&, const BlockedOptions&);                                          \
  template Event syr2k<T>(Queue&, Uplo, T, const BufferView<T>&, const BufferView<T>&, T, const BufferView<T>&,      \
                          const std::vector<Event>&, const BlockedOptions&);                                         \
  template Event her2k<T>(Queue&, Uplo, T, const BufferView<T>&, const BufferView<T>&, real_type<T>,                 \
                          const BufferView<T>&, const std::vector<Event>&, const BlockedOptions&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
