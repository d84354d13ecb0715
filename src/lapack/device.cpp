// Factorisations on a queue's device: arguments -> place -> routine.
#include <hilo/lapack.hpp>

#include "blas/arguments.hpp"
#include "lapack/cholesky.hpp"
#include "lapack/lu.hpp"
#include "lapack/opencl/place.hpp"
#include "lapack/pivots.hpp"
#include "matrix/device_extent.hpp"

namespace hilo {
namespace {

using blas::Argument;
using blas::Arguments;
using lapack::DevicePlace;
using std::to_string;

// What is checked of a matrix in a buffer, and where it lies.
template <class T>
Extent check_matrix(const Arguments& check, const Queue& queue, const char* name, const BufferView<T>& x,
                    bool is_result) {
  // Any address: a buffer is there.
  const Argument argument{name, lines_of(x), &check};
  is_result ? check.check_result(argument) : check.check(argument);
  const Footprint bytes = check.footprint(argument);
  const std::int64_t element_bytes = sizeof(T), span = bytes.extent() / element_bytes;
  if (x.offset < 0) {
    check.reject(errc::invalid_argument,
                 "the offset of " + std::string(name) + " = " + to_string(x.offset) + " is negative");
  }
  if (x.offset > x.buffer.size() || span > x.buffer.size() - x.offset) {
    check.reject(errc::invalid_argument, std::string(name) + " covers " + to_string(span) + " elements from offset " +
                                             to_string(x.offset) + ", but its buffer has " +
                                             to_string(x.buffer.size()));
  }
  if (opencl::context_of(x.buffer.native()) != queue.context().native()) {
    check.reject(errc::invalid_argument,
                 "the buffer of " + std::string(name) + " belongs to another context than the queue");
  }
  return extent_of(x.buffer.native(), {x.offset * element_bytes, bytes.run, bytes.runs, bytes.pitch});
}

template <class T>
void check_system(const Arguments& check, const Queue& queue, const BufferView<T>& a, const BufferView<T>& b) {
  const Extent x = check_matrix(check, queue, "A", a, false), y = check_matrix(check, queue, "B", b, true);
  check.check_square({"A", lines_of(a), nullptr});
  check.check_equal("rows of B", b.rows, "rows of A", a.rows);
  if (x.memory == y.memory && overlap(x.bytes, y.bytes)) {
    check.reject(errc::invalid_argument, "B overlaps A in its buffer");
  }
}

template <class T>
DeviceView device_view(const BufferView<T>& x) {
  return {cl::Buffer(x.buffer.native(), true), x.offset, x.rows, x.columns, x.row_stride, x.column_stride, x.conjugate};
}

template <class T>
DevicePlace place_on(Queue& queue, const BlockedOptions& options, const std::vector<Event>& wait_list) {
  return {*queue.state(), precision_of<T>, options, opencl::native_events(wait_list)};
}

}  // namespace

template <gemm_scalar T>
std::int64_t getrf(Queue& queue, const BufferView<T>& a, std::span<std::int64_t> pivots,
                   const std::vector<Event>& wait_list, const BlockedOptions& options) {
  return opencl::guarded("factoring a matrix", [&]() -> std::int64_t {
    const Arguments check("getrf", sizeof(T));
    check.check_options(precision_of<T>, Backend::opencl, options);
    check_matrix(check, queue, "A", a, true);
    const std::int64_t n = std::min(a.rows, a.columns);
    lapack::check_pivot_count(check, pivots, n);
    if (n == 0) return 0;
    DevicePlace place = place_on<T>(queue, options, wait_list);
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
    check_system(check, queue, lu, b);
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
    check_matrix(check, queue, "A", a, true);
    check.check_square({"A", lines_of(a), nullptr});
    if (a.rows == 0) return 0;
    DevicePlace place = place_on<T>(queue, options, wait_list);
    lapack::factor_positive(place, lapack::as_lower(uplo, device_view(a)), 0);
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
    check_system(check, queue, factor, b);
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
