#include "blas/opencl/place.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "opencl/local_memory.hpp"
#include "opencl/program.hpp"
#include "opencl/self_test.hpp"

namespace hilo::blas {
namespace {

using opencl::define;
using opencl::narrow;
using opencl::set_arguments;

// Rows of a block that one launch takes, and a divisor of kernels/blas/divisor.cl.
constexpr std::int64_t short_block = 64, divisor_bytes = 72;

// As kernels/blas/solve_columns.cl has them, and the rows for which it is faster than halves.
constexpr std::int64_t group_columns = 32, group_items = 256, many_rows = 256;

// How a short block is solved with for each column of B by itself, as the kernels have it.
struct ColumnSolver {
  // Columns for each compute unit up to which it is taken, as it is the fastest on an H200 (docs/linear-algebra.md): of
  // a unit triangle and B's columns contiguous, as in LU, and of another with rows contiguous, as in Cholesky.
  struct Most {
    std::int64_t unit, other;
  };
  const char *text, *name;
  std::int64_t lanes, items;  // of a column, and of a work-group
  std::int64_t rows;          // that it solves for at a time
  Most dd, zdd, plain;

  std::int64_t columns() const { return items / lanes; }
  std::int64_t bytes(Precision precision) const {
    const std::int64_t triangle = short_block * (short_block + rows) / 2;
    return (triangle + 2 * columns()) * element_bytes(precision) + short_block * divisor_bytes;
  }
  std::int64_t most(Precision precision, Diag diag) const {
    const Most& m = !is_double_double(precision) ? plain : is_complex(precision) ? zdd : dd;
    return diag == Diag::unit ? m.unit : m.other;
  }
};
constexpr std::int64_t any = std::numeric_limits<std::int32_t>::max();
constexpr ColumnSolver column_solvers[] = {
    {"blas/solve_few.cl", "solve_few_columns", 16, 128, 16, {24, 26}, {23, 17}, {16, 18}},
    {"blas/solve_few.cl", "solve_few_columns", 8, 256, 8, {192, 56}, {112, 22}, {160, 112}},
    {"blas/solve_many.cl", "solve_many_columns", 4, 128, 16, {0, 192}, {0, 80}, {0, 0}},
    {"blas/solve_many.cl", "solve_many_columns", 1, 64, 8, {any, any}, {any, any}, {any, any}}};

// Null where none fits, and for a block of more rows.
const ColumnSolver* column_solver(const DeviceInfo& device, Precision precision, Diag diag, std::int64_t rows,
                                  std::int64_t columns) {
  if (rows > short_block) return nullptr;
  const std::int64_t units = std::max(device.compute_units, 1);
  const auto fits = [&](const ColumnSolver& solver) {
    return columns <= solver.most(precision, diag) * units && solver.bytes(precision) <= opencl::local_memory(device);
  };
  const ColumnSolver* const found = std::ranges::find_if(column_solvers, fits);
  return found == std::end(column_solvers) ? nullptr : found;
}

opencl::triangle_arguments block_arguments_of(Uplo uplo, Diag diag, const DeviceView& a, const DeviceView& b) {
  return {.a = view_of(a),
          .b = view_of(b),
          .next_of_a = 0,
          .next_of_b = 0,
          .order = narrow(a.rows),
          .columns = narrow(b.columns),
          .is_upper = uplo == Uplo::upper,
          .is_unit = diag == Diag::unit,
          .is_open = false,
          .spare = 0};
}

}  // namespace

DevicePlace::DevicePlace(opencl::QueueState& queue, Precision precision, const BlockedOptions& options,
                         std::vector<cl::Event> wait_list)
    : call_(queue, std::move(wait_list)),
      precision_(precision),
      options_(options),
      block_(options.block > 0 ? options.block : default_block) {
  const DeviceInfo& device = queue.context->info;
  if (!is_single(precision) && !device.fp64) {
    throw error(errc::unsupported, "device " + device.name + " has no double precision (cl_khr_fp64), which " +
                                       std::string(name(precision)) + " needs");
  }
  const Fma fma = options.engine == Engine::reproducible ? Fma::on : options.fma;
  fma_ = fma == Fma::automatic ? device.fma : fma == Fma::on;
  if (is_double_double(precision)) opencl::require_self_test(*queue.context, 1);
}

// Sizes are powers of two, so that a recursion's matrices find those of others.
std::size_t DevicePlace::lend_memory(std::int64_t bytes) {
  auto found = std::ranges::find_if(matrices_, [&](const Memory& m) { return !m.is_lent && m.bytes >= bytes; });
  if (found == matrices_.end()) {
    const auto size = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(bytes)));
    matrices_.push_back({call_.borrow(size, "a matrix of a routine"), size, false});
    found = std::prev(matrices_.end());
  }
  found->is_lent = true;
  return static_cast<std::size_t>(found - matrices_.begin());
}

DevicePlace::Lent::Lent(DevicePlace& place, std::int64_t rows, std::int64_t columns)
    : place_(place),
      number_(place.lend_memory(std::max<std::int64_t>(rows * columns, 1) * element_bytes(place.precision_))),
      matrix_{place.matrices_[number_].buffer, 0, rows, columns, 1, std::max<std::int64_t>(rows, 1)} {}

opencl::BorrowedKernel DevicePlace::kernel(const char* text, const char* name, const std::string& options) {
  const std::string all = define("IS_DOUBLE_DOUBLE", is_double_double(precision_)) +
                          define("IS_COMPLEX", is_complex(precision_)) + define("WORD_BYTES", word_bytes(precision_)) +
                          define("HILO_FMA", fma_) + options;
  return call_.kernel(call_.context().programs.get(call_.context(), opencl::ProgramRecipe{text, text, all}), name);
}

void DevicePlace::set_number(opencl::BorrowedKernel& k, cl_uint at, const dd_complex& x) const {
  const std::size_t parts = is_complex(precision_) ? 2 : 1;
  if (is_double_double(precision_)) {
    const double words[] = {x.re.hi, x.re.lo, x.im.hi, x.im.lo};
    (*k).setArg(at, parts * 16, words);
  } else if (is_single(precision_)) {
    const float words[] = {static_cast<float>(x.re.hi), static_cast<float>(x.im.hi)};
    (*k).setArg(at, parts * 4, words);
  } else {
    const double words[] = {x.re.hi, x.im.hi};
    (*k).setArg(at, parts * 8, words);
  }
}

bool DevicePlace::solves_by_columns() {
  const std::int64_t bytes = short_block * (short_block + group_columns) * element_bytes(precision_);
  return !is_double_double(precision_) && !is_complex(precision_) &&
         bytes <= opencl::local_memory(call_.context().info);
}

std::int64_t DevicePlace::solved_rows() {
  return options_.block == 0 && solves_by_columns() ? std::max(many_rows, block_) : block_;
}

void DevicePlace::solve_block(Uplo uplo, Diag diag, const Matrix& a, const Matrix& b, bool is_open) {
  if (a.rows == 0 || b.columns == 0) return;
  const opencl::triangle_arguments arguments{.a = view_of(a),
                                             .b = view_of(b),
                                             .next_of_a = 0,
                                             .next_of_b = 0,
                                             .order = narrow(a.rows),
                                             .columns = narrow(b.columns),
                                             .is_upper = uplo == Uplo::upper,
                                             .is_unit = diag == Diag::unit,
                                             .is_open = is_open,
                                             .spare = 0};
  if (solves_by_columns()) {
    opencl::BorrowedKernel k = kernel("blas/solve_columns.cl", "solve_columns", define("IS_UNIT", diag == Diag::unit));
    set_arguments(k, a.buffer, b.buffer, arguments);
    return call_.launch_groups(*k, blocks(b.columns, group_columns), group_items);
  }
  const DeviceInfo& device = call_.context().info;
  if (const ColumnSolver* const by = column_solver(device, precision_, diag, a.rows, b.columns)) {
    opencl::BorrowedKernel k = kernel(by->text, by->name,
                                      define("IS_UNIT", diag == Diag::unit) + define("LANES", narrow(by->lanes)) +
                                          define("ITEMS", narrow(by->items)) +
                                          define("NVIDIA", opencl::has_warps(device)) + opencl::unrolled(device));
    set_arguments(k, a.buffer, b.buffer, arguments);
    return call_.launch_groups(*k, blocks(b.columns, by->columns()), by->items);
  }
  opencl::BorrowedKernel k = kernel("blas/triangle.cl", "solve_block");
  set_arguments(k, a.buffer, b.buffer, arguments);
  call_.launch_over(*k, b.columns);
}

void DevicePlace::solve_diagonal(Uplo uplo, Diag diag, const Matrix& a, std::int64_t size, const Matrix& b) {
  const std::int64_t at_once = solves_by_columns() && size <= many_rows ? a.rows / size : 0;
  if (at_once > 0) {
    const opencl::triangle_arguments arguments{.a = view_of(a),
                                               .b = view_of(b),
                                               .next_of_a = size * (a.row_stride + a.column_stride),
                                               .next_of_b = size * b.column_stride,
                                               .order = narrow(size),
                                               .columns = narrow(size),
                                               .is_upper = uplo == Uplo::upper,
                                               .is_unit = diag == Diag::unit,
                                               .is_open = false,
                                               .spare = 0};
    opencl::BorrowedKernel k = kernel("blas/solve_columns.cl", "solve_columns", define("IS_UNIT", diag == Diag::unit));
    set_arguments(k, a.buffer, b.buffer, arguments);
    const std::int64_t items = blocks(size, group_columns) * group_items;
    call_.launch(*k, cl::NDRange(static_cast<std::size_t>(items), static_cast<std::size_t>(at_once)),
                 cl::NDRange(static_cast<std::size_t>(group_items), 1));
  }
  for (std::int64_t k = at_once * size; k < a.rows; k += size) {
    const std::int64_t rows = std::min(size, a.rows - k);
    solve_triangle(*this, uplo, diag, a.sub(k, k, rows, rows), b.sub(0, k, rows, rows));
  }
}

void DevicePlace::multiply_block(Uplo uplo, Diag diag, const Matrix& a, const Matrix& b) {
  if (a.rows == 0 || b.columns == 0) return;
  if (a.rows <= short_block) return multiply_short_blocks(uplo, diag, a, 1, b);
  opencl::BorrowedKernel k = kernel("blas/triangle.cl", "multiply_block");
  set_arguments(k, a.buffer, b.buffer, block_arguments_of(uplo, diag, a, b));
  call_.launch_over(*k, b.columns);
}

void DevicePlace::multiply_diagonal(Uplo uplo, Diag diag, const Matrix& a, std::int64_t size, const Matrix& b) {
  const std::int64_t count = a.rows / size, rest = a.rows % size, last = a.rows - rest;
  if (b.columns == 0) return;
  if (count > 0) multiply_short_blocks(uplo, diag, a.sub(0, 0, size, size), count, b.sub(0, 0, size, b.columns));
  multiply_block(uplo, diag, a.sub(last, last, rest, rest), b.sub(last, 0, rest, b.columns));
}

// So many blocks one after the other, of which the first is given.
void DevicePlace::multiply_short_blocks(Uplo uplo, Diag diag, const Matrix& a, std::int64_t count, const Matrix& b) {
  constexpr int lanes = 4;
  const int columns = b.columns < 2048 || is_complex(precision_) ? 2 : 4;
  opencl::BorrowedKernel k =
      kernel("blas/triangle.cl", "multiply_short_block",
             define("LANES", lanes) + define("COLUMNS", columns) + define("IS_UNIT", diag == Diag::unit));
  opencl::triangle_arguments arguments = block_arguments_of(uplo, diag, a, b);
  arguments.next_of_a = a.rows * (a.row_stride + a.column_stride);
  arguments.next_of_b = a.rows * b.row_stride;
  set_arguments(k, a.buffer, b.buffer, arguments);
  const std::int64_t groups = blocks(b.columns, lanes * columns);
  call_.launch(*k, cl::NDRange(static_cast<std::size_t>(groups * short_block * lanes), static_cast<std::size_t>(count)),
               cl::NDRange(static_cast<std::size_t>(short_block * lanes), 1));
}

opencl::copy_arguments DevicePlace::copy_of(const Matrix& from, const Matrix& to, std::int64_t first) {
  return {.from = view_of(from),
          .to = view_of(to),
          .rows = narrow(to.rows),
          .columns = narrow(to.columns),
          .first = narrow(first),
          .is_upper = 0,
          .is_hermitian = 0,
          .fills = 0};
}

void DevicePlace::copy(const Matrix& from, const Matrix& to) {
  if (to.rows == 0 || to.columns == 0) return;
  opencl::BorrowedKernel k = kernel("blas/copies.cl", "copy_matrix");
  set_arguments(k, from.buffer, to.buffer, copy_of(from, to, 0));
  call_.launch_over(*k, to.rows, to.columns);
}

void DevicePlace::copy_blocks(Uplo uplo, std::int64_t size, const Matrix& from, const Matrix& to) {
  opencl::copy_arguments arguments = copy_of(from, to, size);
  arguments.is_upper = uplo == Uplo::upper;
  opencl::BorrowedKernel k = kernel("blas/copies.cl", "copy_blocks");
  set_arguments(k, from.buffer, to.buffer, arguments);
  call_.launch_over(*k, to.rows, to.columns);
}

void DevicePlace::copy_trapezoid(Uplo uplo, Diag diag, const Matrix& from, const Matrix& to) {
  opencl::copy_arguments arguments = copy_of(from, to, 0);
  arguments.is_upper = uplo == Uplo::upper;
  arguments.fills = diag == Diag::unit;
  opencl::BorrowedKernel k = kernel("blas/copies.cl", "copy_trapezoid");
  set_arguments(k, from.buffer, to.buffer, arguments);
  call_.launch_over(*k, to.rows, to.columns);
}

void DevicePlace::write_out(Uplo uplo, Symmetry symmetry, const Matrix& a, std::int64_t first, const Matrix& to) {
  opencl::copy_arguments arguments = copy_of(a, to, first);
  arguments.is_upper = uplo == Uplo::upper;
  arguments.is_hermitian = symmetry == Symmetry::hermitian;
  opencl::BorrowedKernel k = kernel("blas/triangle_copy.cl", "write_out");
  set_arguments(k, a.buffer, to.buffer, arguments);
  call_.launch_over(*k, to.rows, to.columns);
}

void DevicePlace::copy_triangle(Uplo uplo, Symmetry symmetry, const Matrix& from, const Matrix& to, bool fills) {
  opencl::copy_arguments arguments = copy_of(from, to, 0);
  arguments.is_upper = uplo == Uplo::upper;
  arguments.is_hermitian = symmetry == Symmetry::hermitian;
  arguments.fills = fills;
  opencl::BorrowedKernel k = kernel("blas/triangle_copy.cl", "copy_triangle");
  set_arguments(k, from.buffer, to.buffer, arguments);
  call_.launch_over(*k, to.rows, to.columns);
}

void DevicePlace::take_triangle(Uplo uplo, Symmetry symmetry, const Matrix& from, const Matrix& to) {
  copy_triangle(uplo, symmetry, from, to, true);
}
void DevicePlace::put_triangle(Uplo uplo, Symmetry symmetry, const Matrix& from, const Matrix& to) {
  copy_triangle(uplo, symmetry, from, to, false);
}

}  // namespace hilo::blas
