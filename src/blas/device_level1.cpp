// Level 1 on a queue's device: arguments -> place -> routine.
#include <cmath>
#include <hilo/math.hpp>

#include "blas/opencl/arguments.hpp"

namespace hilo {
namespace {

using blas::argument;
using blas::Arguments;
using blas::device_vector;
using blas::DeviceVector;
using blas::VectorArgument;
using blas::VectorPlace;
using Terms = VectorPlace::Terms;

// What every routine is given beside its vectors.
struct Request {
  const char* routine;
  Queue& queue;
  const std::vector<Event>& wait_list;
  const BlockedOptions& options;
};

// f(events to wait for) on checked vectors of one size; `is_apart` where both are written, or y is.
template <class T, class F>
auto door(const Request& request, bool is_apart, const BufferVector<T>& x, const BufferVector<T>* y, F f) {
  const std::string doing = std::string("running ") + request.routine;
  return opencl::guarded(doing.c_str(), [&] {
    const Arguments check(request.routine, sizeof(T));
    check.check_options(precision_of<T>, Backend::opencl, request.options);
    const VectorArgument left = argument(check, request.queue, "x", x);
    if (y) {
      const VectorArgument right = argument(check, request.queue, "y", *y);
      check.check_equal("elements of y", y->size, "elements of x", x.size);
      if (is_apart) check.check_apart(right, left);
    }
    return f(opencl::native_events(request.wait_list, request.queue));
  });
}

// run(place), unless there is nothing to be done.
template <class T, class Run>
Event write(const Request& request, bool has_work, const BufferVector<T>& x, const BufferVector<T>* y, Run run) {
  return door(request, true, x, y, [&](std::vector<cl::Event> wait_list) {
    opencl::QueueState& queue = *request.queue.state();
    if (!has_work || x.size == 0) return opencl::marker_after(queue, wait_list);
    VectorPlace place(queue, precision_of<T>, request.options, std::move(wait_list));
    run(place);
    return place.finish();
  });
}

// ask(place) gives a number; `none` is that of no elements.
template <class T, class R, class Ask>
R read(const Request& request, const BufferVector<T>& x, const BufferVector<T>* y, const R& none, Ask ask) {
  return door(request, false, x, y, [&](std::vector<cl::Event> wait_list) {
    opencl::QueueState& queue = *request.queue.state();
    if (x.size == 0) {
      opencl::marker_after(queue, wait_list).wait();
      return none;
    }
    VectorPlace place(queue, precision_of<T>, request.options, std::move(wait_list));
    const R result = ask(place);
    place.finish();
    return result;
  });
}

template <class R>
R real_of(const dd_real& x) {
  if constexpr (std::same_as<R, dd_real>) {
    return x;
  } else {
    return static_cast<R>(x.hi);
  }
}
template <class T>
T number_of(const dd_complex& z) {
  using R = real_type<T>;
  if constexpr (is_complex(precision_of<T>)) {
    return T(real_of<R>(z.re), real_of<R>(z.im));
  } else {
    return real_of<R>(z.re);
  }
}

template <class R>
double leading(const R& x) {
  if constexpr (std::same_as<R, dd_real>) {
    return x.hi;
  } else {
    return static_cast<double>(x);
  }
}

template <class T>
T sum_of_products(const Request& request, Terms terms, const BufferVector<T>& x, const BufferVector<T>& y) {
  return read(request, x, &y, T(0),
              [&](VectorPlace& place) { return number_of<T>(place.sum(terms, device_vector(x), device_vector(y))); });
}

// As root_of_squares on the host.
template <class R>
R root_of_squares(VectorPlace& place, const DeviceVector& x) {
  using std::ldexp, std::sqrt;
  const auto squares = real_of<R>(place.sum(Terms::squares, x, x).re);
  constexpr bool single = std::same_as<R, float>;
  if (leading(squares) >= (single ? 0x1p-80 : 0x1p-800) && leading(squares) <= (single ? 0x1p120 : 0x1p1000)) {
    return sqrt(squares);
  }
  const double largest = place.largest(x, true).magnitude.hi;
  if (largest != largest) return std::numeric_limits<R>::quiet_NaN();
  if (largest == 0.0 || largest == std::numeric_limits<double>::infinity()) return R(static_cast<float>(largest));
  const int exponent = std::ilogb(largest);
  return ldexp(sqrt(real_of<R>(place.sum(Terms::scaled_squares, x, x, -exponent).re)), exponent);
}

}  // namespace

template <gemm_scalar T>
Event axpy(Queue& queue, detail::Scalar<T> alpha, const BufferVector<T>& x, const BufferVector<T>& y,
           const std::vector<Event>& wait_list, const BlockedOptions& options) {
  return write({"axpy", queue, wait_list, options}, !(alpha == T(0)), x, &y,
               [&](VectorPlace& place) { place.axpy(as_dd_complex(alpha), device_vector(x), device_vector(y)); });
}

template <gemm_scalar T>
Event scal(Queue& queue, detail::Scalar<T> alpha, const BufferVector<T>& x, const std::vector<Event>& wait_list,
           const BlockedOptions& options) {
  return write<T>({"scal", queue, wait_list, options}, true, x, nullptr,
                  [&](VectorPlace& place) { place.scale(as_dd_complex(alpha), device_vector(x)); });
}

template <gemm_scalar T>
Event copy(Queue& queue, const BufferVector<T>& x, const BufferVector<T>& y, const std::vector<Event>& wait_list,
           const BlockedOptions& options) {
  return write({"copy", queue, wait_list, options}, true, x, &y,
               [&](VectorPlace& place) { place.copy(device_vector(x), device_vector(y)); });
}

template <gemm_scalar T>
Event swap(Queue& queue, const BufferVector<T>& x, const BufferVector<T>& y, const std::vector<Event>& wait_list,
           const BlockedOptions& options) {
  return write({"swap", queue, wait_list, options}, true, x, &y,
               [&](VectorPlace& place) { place.exchange(device_vector(x), device_vector(y)); });
}

template <gemm_scalar T>
Event rot(Queue& queue, const BufferVector<T>& x, const BufferVector<T>& y, real_type<T> c, detail::Scalar<T> s,
          const std::vector<Event>& wait_list, const BlockedOptions& options) {
  return write({"rot", queue, wait_list, options}, true, x, &y, [&](VectorPlace& place) {
    place.rotate(as_dd_complex(c).re, as_dd_complex(s), device_vector(x), device_vector(y));
  });
}

template <gemm_scalar T>
T dot(Queue& queue, const BufferVector<T>& x, const BufferVector<T>& y, const std::vector<Event>& wait_list,
      const BlockedOptions& options) {
  return sum_of_products({"dot", queue, wait_list, options}, Terms::conjugate_products, x, y);
}

template <gemm_scalar T>
T dotu(Queue& queue, const BufferVector<T>& x, const BufferVector<T>& y, const std::vector<Event>& wait_list,
       const BlockedOptions& options) {
  return sum_of_products({"dotu", queue, wait_list, options}, Terms::products, x, y);
}

template <gemm_scalar T>
real_type<T> nrm2(Queue& queue, const BufferVector<T>& x, const std::vector<Event>& wait_list,
                  const BlockedOptions& options) {
  return read<T>({"nrm2", queue, wait_list, options}, x, nullptr, real_type<T>(0),
                 [&](VectorPlace& place) { return root_of_squares<real_type<T>>(place, device_vector(x)); });
}

template <gemm_scalar T>
real_type<T> asum(Queue& queue, const BufferVector<T>& x, const std::vector<Event>& wait_list,
                  const BlockedOptions& options) {
  return read<T>({"asum", queue, wait_list, options}, x, nullptr, real_type<T>(0), [&](VectorPlace& place) {
    return real_of<real_type<T>>(place.sum(Terms::magnitudes, device_vector(x), device_vector(x)).re);
  });
}

template <gemm_scalar T>
std::int64_t iamax(Queue& queue, const BufferVector<T>& x, const std::vector<Event>& wait_list,
                   const BlockedOptions& options) {
  return read<T>({"iamax", queue, wait_list, options}, x, nullptr, std::int64_t{-1},
                 [&](VectorPlace& place) { return place.largest(device_vector(x), false).index; });
}

#define HILO_INSTANTIATE(T)                                                                                        \
  template Event axpy<T>(Queue&, T, const BufferVector<T>&, const BufferVector<T>&, const std::vector<Event>&,     \
                         const BlockedOptions&);                                                                   \
  template Event scal<T>(Queue&, T, const BufferVector<T>&, const std::vector<Event>&, const BlockedOptions&);     \
  template Event copy<T>(Queue&, const BufferVector<T>&, const BufferVector<T>&, const std::vector<Event>&,        \
                         const BlockedOptions&);                                                                   \
  template Event swap<T>(Queue&, const BufferVector<T>&, const BufferVector<T>&, const std::vector<Event>&,        \
                         const BlockedOptions&);                                                                   \
  template Event rot<T>(Queue&, const BufferVector<T>&, const BufferVector<T>&, real_type<T>, T,                   \
                        const std::vector<Event>&, const BlockedOptions&);                                         \
  template T dot<T>(Queue&, const BufferVector<T>&, const BufferVector<T>&, const std::vector<Event>&,             \
                    const BlockedOptions&);                                                                        \
  template T dotu<T>(Queue&, const BufferVector<T>&, const BufferVector<T>&, const std::vector<Event>&,            \
                     const BlockedOptions&);                                                                       \
  template real_type<T> nrm2<T>(Queue&, const BufferVector<T>&, const std::vector<Event>&, const BlockedOptions&); \
  template real_type<T> asum<T>(Queue&, const BufferVector<T>&, const std::vector<Event>&, const BlockedOptions&); \
  template std::int64_t iamax<T>(Queue&, const BufferVector<T>&, const std::vector<Event>&, const BlockedOptions&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
