#include "lapack/opencl/qr_place.hpp"

#include <algorithm>
#include <limits>

#include "opencl/program.hpp"

namespace hilo::lapack {
namespace {

using opencl::define;
using opencl::narrow;
using opencl::set_arguments;

constexpr std::int64_t chunk = 256;  // rows of a work-group that sums
constexpr const char* triangle_text = "lapack/qr_triangle.cl";
constexpr const char* copies_text = "blas/copies.cl";

}  // namespace

void QrDevicePlace::make_tau(std::int64_t count) {
  count_ = count;
  tau_ = call().borrow(std::max<std::int64_t>(count, 1) * element_bytes(precision()), "factors of reflectors");
}
void QrDevicePlace::set_tau(const void* tau, std::int64_t count) {
  make_tau(count);
  if (count > 0) call().write(tau_, static_cast<std::size_t>(count * element_bytes(precision())), tau);
}
void QrDevicePlace::read_tau(void* tau, std::int64_t count) {
  call().read(tau_, static_cast<std::size_t>(count * element_bytes(precision())), tau);
  panels_.look_at_all(call());
  panels_.end();
}

void QrDevicePlace::reflector_triangle(const Matrix& v, std::int64_t first, const Matrix& t) {
  constexpr std::int64_t tile = 8;
  const std::int64_t n = v.columns, chunks = blocks(v.rows, chunk), tiles = blocks(n, tile);
  make_work(n * n + chunks * n * n);
  const opencl::qr_arguments arguments{.a = view_of(v),
                                       .t = view_of(t),
                                       .first = first,
                                       .column = 0,
                                       .rows = narrow(v.rows),
                                       .columns = narrow(n),
                                       .groups = 0,
                                       .looks = 0,
                                       .split = 0,
                                       .slots = 0};
  opencl::BorrowedKernel sum = kernel(triangle_text, "sum_pairs"), end = kernel(triangle_text, "end_pairs"),
                         make = kernel(triangle_text, "make_triangle");
  set_arguments(sum, v.buffer, work_, arguments);
  const auto size = [](std::int64_t x) { return static_cast<std::size_t>(x); };
  call().launch(*sum, cl::NDRange(size(chunks * tile * tile), size(tiles), size(tiles)),
                cl::NDRange(tile * tile, 1, 1));
  set_arguments(end, v.buffer, tau_, work_, arguments);
  call().launch_over(*end, n, n);
  set_arguments(make, t.buffer, tau_, work_, arguments);
  call().launch_over(*make, n);
}

void QrDevicePlace::subtract(const Matrix& a, const Matrix& b) {
  if (b.rows == 0 || b.columns == 0) return;
  opencl::BorrowedKernel k = kernel(copies_text, "subtract_matrix");
  set_arguments(k, a.buffer, b.buffer, copy_of(a, b, 0));
  call().launch_over(*k, b.rows, b.columns);
}

void QrDevicePlace::set_identity(const Matrix& a, std::int64_t first) {
  if (a.rows == 0 || a.columns == 0) return;
  opencl::BorrowedKernel k = kernel(copies_text, "set_identity");
  set_arguments(k, a.buffer, copy_of(a, a, first));
  call().launch_over(*k, a.rows, a.columns);
}

std::int64_t QrDevicePlace::first_zero(const Matrix& a) {
  constexpr cl_int none = std::numeric_limits<cl_int>::max();
  const cl::Buffer info = call().borrow(4, "info");
  call().fill(info, none, 4);
  opencl::BorrowedKernel k = kernel(copies_text, "find_zero");
  set_arguments(k, a.buffer, info, copy_of(a, a, 0));
  call().launch_over(*k, a.columns);
  cl_int found = 0;
  call().read(info, 4, &found);
  panels_.look_at_all(call());
  panels_.end();
  return found == none ? 0 : found;
}

}  // namespace hilo::lapack
