#include "lapack/opencl/qr_place.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "opencl/local_memory.hpp"
#include "opencl/program.hpp"

namespace hilo::lapack {
namespace {

using opencl::define;
using opencl::narrow;
using opencl::set_arguments;

constexpr std::int64_t chunk = 256;       // rows that are summed by themselves
constexpr std::int64_t group_rows = 128;  // of a work-group of end_column
constexpr const char* column_text = "lapack/qr_column.cl";
constexpr const char* triangle_text = "lapack/qr_triangle.cl";
constexpr const char* copies_text = "lapack/copies.cl";

cl::NDRange items(std::int64_t groups, std::int64_t of_group) {
  return cl::NDRange(static_cast<std::size_t>(groups * of_group));
}

// Columns of a work-group of sum_column, whose entries it has in local memory.
std::int64_t tile_columns(std::int64_t element_bytes, std::int64_t local_memory) {
  std::int64_t tile = 32;
  while (tile > 1 &&
         (tile * (chunk + 1) + 2 * chunk) * element_bytes > std::min<std::int64_t>(local_memory, 48 << 10)) {
    tile /= 2;
  }
  return tile;
}

}  // namespace

void QrDevicePlace::make_tau(std::int64_t count) {
  tau_ = call().borrow(std::max<std::int64_t>(count, 1) * element_bytes(precision()), "factors of reflectors");
}
void QrDevicePlace::set_tau(const void* tau, std::int64_t count) {
  make_tau(count);
  if (count > 0) call().write(tau_, static_cast<std::size_t>(count * element_bytes(precision())), tau);
}
void QrDevicePlace::read_tau(void* tau, std::int64_t count) {
  call().read(tau_, static_cast<std::size_t>(count * element_bytes(precision())), tau);
}

void QrDevicePlace::make_work(std::int64_t elements, std::int64_t marks) {
  if (elements > work_room_) {
    work_ = call().borrow(elements * element_bytes(precision()), "sums of a panel");
    work_room_ = elements;
  }
  if (marks > marks_room_) {
    marks_ = call().borrow(marks * word_bytes(precision()), "the scale of a column");
    marks_room_ = marks;
  }
}

void QrDevicePlace::qr_panel(const Matrix& a, std::int64_t first, const Matrix& t) {
  const std::int64_t n = a.columns, chunks = blocks(a.rows, chunk), groups = blocks(a.rows, group_rows);
  make_work(n * n + n + a.rows + chunks * n, 2 + 2 * groups);
  const std::int64_t tile = tile_columns(element_bytes(precision()), opencl::local_memory(call().context().info));
  // Few programs, whatever the block.
  const auto width = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(block())));
  const std::string options = define("ROWS", narrow(group_rows)) +
                              define("WIDTH", narrow(std::max<std::int64_t>(width, 64))) + define("TILE", narrow(tile));
  opencl::BorrowedKernel sum = kernel(column_text, "sum_column", options),
                         end = kernel(column_text, "end_column", options);
  opencl::qr_arguments arguments{.a = view_of(a),
                                 .t = view_of(t),
                                 .first = first,
                                 .rows = narrow(a.rows),
                                 .columns = narrow(n),
                                 .groups = narrow(groups),
                                 .column = 0};
  set_arguments(end, a.buffer, t.buffer, tau_, work_, marks_, arguments);
  set_arguments(sum, a.buffer, t.buffer, work_, marks_, arguments);
  for (std::int64_t j = 0;; ++j) {
    arguments.column = narrow(j);
    (*end).setArg(5, arguments);
    call().launch(*end, items(groups, group_rows), items(1, group_rows));
    if (j == n) return;
    (*sum).setArg(4, arguments);
    // Behind the columns that are summed with comes the one after j.
    const std::int64_t across = blocks(n, tile) + (j + 1 < n ? 1 : 0);
    call().launch(*sum, cl::NDRange(static_cast<std::size_t>(chunks * chunk), static_cast<std::size_t>(across)),
                  cl::NDRange(chunk, 1));
  }
}

void QrDevicePlace::reflector_triangle(const Matrix& v, std::int64_t first, const Matrix& t) {
  constexpr std::int64_t tile = 8;
  const std::int64_t n = v.columns, chunks = blocks(v.rows, chunk), tiles = blocks(n, tile);
  make_work(n * n + chunks * n * n, 0);
  const opencl::qr_arguments arguments{.a = view_of(v),
                                       .t = view_of(t),
                                       .first = first,
                                       .rows = narrow(v.rows),
                                       .columns = narrow(n),
                                       .groups = 0,
                                       .column = 0};
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

opencl::copy_arguments QrDevicePlace::copy_of(const Matrix& from, const Matrix& to, std::int64_t first) const {
  return {.from = view_of(from),
          .to = view_of(to),
          .rows = narrow(to.rows),
          .columns = narrow(to.columns),
          .first = narrow(first),
          .is_upper = 0,
          .is_hermitian = 0,
          .fills = 0};
}

void QrDevicePlace::copy(const Matrix& from, const Matrix& to) {
  if (to.rows == 0 || to.columns == 0) return;
  opencl::BorrowedKernel k = kernel(copies_text, "copy_matrix");
  set_arguments(k, from.buffer, to.buffer, copy_of(from, to, 0));
  call().launch_over(*k, to.rows, to.columns);
}

void QrDevicePlace::copy_trapezoid(Uplo uplo, Diag diag, const Matrix& from, const Matrix& to) {
  opencl::copy_arguments arguments = copy_of(from, to, 0);
  arguments.is_upper = uplo == Uplo::upper;
  arguments.fills = diag == Diag::unit;
  opencl::BorrowedKernel k = kernel(copies_text, "copy_trapezoid");
  set_arguments(k, from.buffer, to.buffer, arguments);
  call().launch_over(*k, to.rows, to.columns);
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
  return found == none ? 0 : found;
}

}  // namespace hilo::lapack
