// Factorisations on a queue's device: arguments -> place -> routine.
#include <hilo/lapack.hpp>

#include "blas/opencl/arguments.hpp"
#include "lapack/cholesky.hpp"
#include "lapack/lu.hpp"
#include "lapack/opencl/place.hpp"
#include "lapack/pivots.hpp"

namespace hilo {
namespace {

using blas::Argument;
using blas::Arguments;
using blas::counted_argument;
using blas::device_view;
using lapack::DevicePlace;

template <class T>
DevicePlace place_on(Queue& queue, const BlockedOptions& options, const std::vector<Event>& wait_list) {
  return {*queue.state(), precision_of<T>, options, opencl::native_events(wait_list, queue)};
}

}  // namespace

template <gemm_scalar T>
std::int64_t getrf(Queue& queue, const BufferView<T>& a, std::span<std::int64_t> pivots,
                   const std::vector<Event>& wait_list, const BlockedOptions& options) {
  return opencl::guarded("factoring a matrix", [&]() -> std::int64_t {
    const Arguments check("getrf", sizeof(T));
    check.check_options(precision_of<T>, Backend::opencl, options);
    check.check_result(counted_argument(check, queue, "A", a));
    const std::int64_t n = std::min(a.rows, a.columns);
    lapack::check_pivot_count(check, pivots, n);
    if (n == 0) return 0;
    DevicePlace place = place_on<T>(queue, options, wait_list);
    place.accept_normwise_products();
    place.make_pivots(n);
    lapack::factor(place, device_view(a));
    return place.result(pivots.first(static_cast<std::size_t>(n)));
  });
}

template <gemm_scalar T>
void getrs(Queue& queue, Op op, const BufferView<T>& lu, std::span<const std::int64_t> pivots, const BufferView<T>& b,
           const std::vector<Event>& wait_list, const BlockedOptions& options) {
  opencl::guarded("solving a system", [&] {
    const Arguments check("getrs", sizeof(T));
    check.check_options(precision_of<T>, Backend::opencl, options);
    check.check_enum(static_cast<int>(op), 3, "op");
    check.check_system(counted_argument(check, queue, "A", lu), counted_argument(check, queue, "B", b));
    lapack::check_pivots(check, pivots, lu.rows);
    if (b.rows == 0 || b.columns == 0) return;
    DevicePlace place = place_on<T>(queue, options, wait_list);
    place.set_pivots(pivots.first(static_cast<std::size_t>(lu.rows)));
    lapack::solve_with_factors(place, op, device_view(lu), device_view(b));
    place.finish().wait();
  });
}

template <gemm_scalar T>
std::int64_t potrf(Queue& queue, Uplo uplo, const BufferView<T>& a, const std::vector<Event>& wait_list,
                   const BlockedOptions& options) {
  return opencl::guarded("factoring a matrix", [&]() -> std::int64_t {
    const Arguments check("potrf", sizeof(T));
    check.check_options(precision_of<T>, Backend::opencl, options);
    check.check_enum(static_cast<int>(uplo), 1, "uplo");
    const Argument x = counted_argument(check, queue, "A", a);
    check.check_result(x);
    check.check_square(x);
    if (a.rows == 0) return 0;
    DevicePlace place = place_on<T>(queue, options, wait_list);
    place.accept_normwise_products();
    lapack::factor_positive(place, lapack::as_lower(uplo, device_view(a)));
    return place.result({});
  });
}

template <gemm_scalar T>
void potrs(Queue& queue, Uplo uplo, const BufferView<T>& factor, const BufferView<T>& b,
           const std::vector<Event>& wait_list, const BlockedOptions& options) {
  opencl::guarded("solving a system", [&] {
    const Arguments check("potrs", sizeof(T));
    check.check_options(precision_of<T>, Backend::opencl, options);
    check.check_enum(static_cast<int>(uplo), 1, "uplo");
    check.check_system(counted_argument(check, queue, "A", factor), counted_argument(check, queue, "B", b));
    if (b.rows == 0 || b.columns == 0) return;
    DevicePlace place = place_on<T>(queue, options, wait_list);
    lapack::solve_positive(place, uplo, device_view(factor), device_view(b));
    place.finish().wait();
  });
}

#define HILO_INSTANTIATE(T)                                                                                        \
  template std::int64_t getrf<T>(Queue&, const BufferView<T>&, std::span<std::int64_t>, const std::vector<Event>&, \
                                 const BlockedOptions&);                                                           \
  template void getrs<T>(Queue&, Op, const BufferView<T>&, std::span<const std::int64_t>, const BufferView<T>&,    \
                         const std::vector<Event>&, const BlockedOptions&);                                        \
  template std::int64_t potrf<T>(Queue&, Uplo, const BufferView<T>&, const std::vector<Event>&,                    \
                                 const BlockedOptions&);                                                           \
  template void potrs<T>(Queue&, Uplo, const BufferView<T>&, const BufferView<T>&, const std::vector<Event>&,      \
                         const BlockedOptions&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
