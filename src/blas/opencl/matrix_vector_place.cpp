#include "blas/opencl/matrix_vector_place.hpp"

#include <algorithm>

#include "opencl/local_memory.hpp"
#include "opencl/program.hpp"

namespace hilo::blas {
namespace {

using opencl::define;
using opencl::set_arguments;

// As the kernels have them.
constexpr std::int64_t direct_rows = 128, tile_rows = 64, places = 256, lines_of_group = 16;

bool are_columns_side_by_side(const DeviceView& a) {
  return (a.row_stride == 1 || a.rows == 1) && (a.column_stride >= a.rows || a.columns == 1);
}

cl::NDRange items(std::int64_t groups, std::int64_t of_group) {
  return cl::NDRange(static_cast<std::size_t>(groups * of_group));
}

}  // namespace

void MatrixVectorPlace::multiply(Shape shape, Diag diag, const dd_complex& alpha, const DeviceView& a,
                                 const DeviceVector& x, const dd_complex& beta, const DeviceVector& y) {
  if (y.size == 0) return;
  const std::int64_t chunks = std::max<std::int64_t>(blocks(a.columns, chunk_terms()), 1);
  const cl::Buffer sums = call().borrow(chunks * a.rows * element_bytes(precision()), "sums over rows");
  // y of a triangle is x, which rows that are not finite need once more.
  const bool is_in_place = shape == Shape::lower || shape == Shape::upper;
  const cl::Buffer before = is_in_place ? call().borrow(x.size * element_bytes(precision()), "a vector") : x.buffer;
  opencl::row_arguments arguments{.a = view_of(a),
                                  .x = view_of(x),
                                  .y = view_of(y),
                                  .rows = a.rows,
                                  .columns = a.columns,
                                  .scales = !(alpha == dd_complex(1)),
                                  .reads_y = !(beta == dd_complex(0)),
                                  .scales_y = !(beta == dd_complex(1)),
                                  .spare = 0};
  constexpr const char* text = "blas/row_sums.cl";
  const std::string options = define("SHAPE", static_cast<int>(shape)) + define("IS_UNIT", diag == Diag::unit) +
                              opencl::unrolled(call().context().info);
  if (a.columns > 0 && !sum_symmetric(shape, a, x, sums, arguments)) {
    const bool is_direct = are_columns_side_by_side(a) && shape <= Shape::upper;
    const std::int64_t rows = is_direct ? direct_rows : tile_rows;
    opencl::BorrowedKernel k = kernel(text, is_direct ? "sum_rows" : "sum_rows_of_tiles", options);
    set_arguments(k, a.buffer, x.buffer, sums, before, arguments);
    call().launch(*k, items(blocks(a.rows, rows) * chunks, rows), items(1, rows), true);
  }
  opencl::BorrowedKernel k = kernel(text, "finish_rows", options);
  if (is_in_place) arguments.x = {0, 1};
  set_arguments(k, a.buffer, before, sums, y.buffer);
  set_number(k, 4, alpha);
  set_number(k, 5, beta);
  (*k).setArg(6, arguments);
  call().launch(*k, items(blocks(a.rows, tile_rows), tile_rows), items(1, tile_rows));
}

// Few tiles leave a device idle: small matrices are read twice.
bool MatrixVectorPlace::sum_symmetric(Shape shape, const DeviceView& a, const DeviceVector& x, const cl::Buffer& sums,
                                      const opencl::row_arguments& arguments) {
  constexpr std::int64_t least_rows = 512, tiles_of_group = 4;
  const std::int64_t side = chunk_terms(), bytes = side * (side + 3) * element_bytes(precision());
  if (shape < Shape::symmetric_lower || a.rows < least_rows || bytes > opencl::local_memory(call().context().info)) {
    return false;
  }
  const std::int64_t tiles = blocks(a.rows, side), all = blocks(tiles, 2) * (tiles + 1);
  // Several tiles a group, where there are more of them than run at the same time.
  const std::int64_t at_once = std::min<std::int64_t>(all, 2 * call().context().info.compute_units);
  const std::int64_t groups = std::max(blocks(all, tiles_of_group), at_once);
  opencl::BorrowedKernel k =
      kernel("blas/symmetric_sums.cl", "sum_symmetric_tiles",
             define("IS_HERMITIAN", shape == Shape::hermitian_lower) + opencl::unrolled(call().context().info));
  set_arguments(k, a.buffer, x.buffer, sums, arguments);
  call().launch(*k, items(groups, 2 * side), items(1, 2 * side), true);
  return true;
}

void MatrixVectorPlace::multiply_triangle(Uplo uplo, Diag diag, const DeviceView& a, const DeviceVector& x) {
  multiply(uplo == Uplo::lower ? Shape::lower : Shape::upper, diag, dd_complex(1), a, x, dd_complex(0), x);
}

// An upper triangle is a lower one with rows and columns in the opposite order.
void MatrixVectorPlace::solve(Uplo uplo, Diag diag, const DeviceView& a, const DeviceVector& x) {
  opencl::solve_arguments arguments{.a = view_of(a), .x = view_of(x), .order = x.size, .block = 0};
  if (uplo == Uplo::upper) {
    const std::int64_t last = x.size - 1;
    arguments.a = {a.at(last, last), -a.row_stride, -a.column_stride, a.conjugate};
    arguments.x = {x.offset + last * x.stride, -x.stride};
  }
  const std::int64_t bytes = x.size * element_bytes(precision()), all = blocks(x.size, chunk_terms());
  const cl::Buffer totals = call().borrow(bytes, "sums over rows");
  call().fill_zero(totals, static_cast<std::size_t>(bytes));
  opencl::BorrowedKernel k = kernel("blas/solve_vector.cl", "solve_vector", define("IS_UNIT", diag == Diag::unit));
  for (; arguments.block < all; ++arguments.block) {
    set_arguments(k, a.buffer, x.buffer, totals, arguments);
    call().launch(*k, items(all - arguments.block, tile_rows), items(1, tile_rows), arguments.block + 1 < all);
  }
}

void MatrixVectorPlace::update(const Update& update, const dd_complex& alpha, const DeviceVector& x,
                               const DeviceVector& y, const DeviceView& a) {
  const bool is_turned = !are_columns_side_by_side(a);
  const DeviceView lines = is_turned ? a.turned(Op::transpose) : a;
  using Part = Update::Part;
  const opencl::update_arguments arguments{.a = view_of(lines),
                                           .x = view_of(x),
                                           .y = view_of(y),
                                           .length = lines.rows,
                                           .lines = lines.columns,
                                           .part = update.part == Part::all                    ? 0
                                                   : (update.part == Part::lower) != is_turned ? 1
                                                                                               : 2,
                                           .is_turned = is_turned,
                                           .conjugates_first = update.conjugates,
                                           .conjugates_second = update.conjugates,
                                           .is_hermitian = update.is_hermitian,
                                           .spare = 0};
  opencl::BorrowedKernel k = kernel("blas/rank_update.cl", "rank_update", define("COUNT", update.has_two ? 2 : 1));
  set_arguments(k, a.buffer, x.buffer, y.buffer);
  set_number(k, 3, alpha);
  (*k).setArg(4, arguments);
  call().launch(*k, items(blocks(lines.rows, places) * blocks(lines.columns, lines_of_group), places),
                items(1, places));
}

}  // namespace hilo::blas
