#include "blas/opencl/place.hpp"

#include <algorithm>
#include <bit>

#include "gemm/modular/guarantee.hpp"
#include "opencl/local_memory.hpp"
#include "opencl/program.hpp"
#include "opencl/self_test.hpp"

namespace hilo::blas {
namespace {

using opencl::define;
using opencl::narrow;
using opencl::set_arguments;

// Rows of a block that work-groups keep in local memory, and what they have of it.
constexpr std::int64_t short_block = 64, divisor_bytes = 72;
constexpr std::int64_t short_block_bytes(int element_bytes) {
  return (short_block * short_block + 2 * 16) * element_bytes + short_block * divisor_bytes;
}

// As kernels/blas/solve_columns.cl has them, and the rows for which it is faster than halves.
constexpr std::int64_t group_columns = 32, group_items = 256, many_rows = 256;
// Rows of a triangle whose product is faster than those of its halves.
constexpr std::int64_t least_triangle = 512;
// Those of blocks beside its diagonal by the modular engine.
constexpr std::int64_t least_blocks = 1024;
// Sums at a time that keep a device busy, and terms below which there is no gain in less.
constexpr std::int64_t many_sums = 1 << 19, least_terms = 256;

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
    throw error(errc::unsupported, "device " + device.name + " has no double precision (cl_khr_fp64)");
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

DevicePlan DevicePlace::plan_of(const DeviceProduct& p) {
  const GemmShape shape = shape_of_views(lines_of(p.a), lines_of(p.b), lines_of(p.c), element_bytes(precision_));
  return is_normwise_ ? plan_inner_product(call_.context(), shape, p, options_)
                      : plan_product(call_.context(), shape, p, options_);
}

// Whether it was done; otherwise its commands have written nothing.
bool DevicePlace::run(DevicePlan& plan, const DeviceProduct& product) {
  DeviceRun run = execute(plan, product, call_.queue(), call_.pending());
  if (run.recomputed.buffer()()) run.recomputed.release(call_.queue().queue, cl::Event(run.event.native(), true));
  call_.include(cl::Event(run.event.native(), true));
  return run.is_done;
}

void DevicePlace::multiply(const dd_complex& alpha, const Matrix& a, const Matrix& b, const dd_complex& beta,
                           const Matrix& c) {
  if (c.rows == 0 || c.columns == 0) return;
  if (multiply_in_parts(alpha, a, b, beta, c)) return;
  const DeviceProduct product{precision_, alpha, a, b, beta, c};
  DevicePlan plan = plan_of(product);
  run(plan, product);
}

// Few sums of many terms, which leave most of a device idle, as a batch of sums of fewer terms, and these added: as
// many on every device.
bool DevicePlace::multiply_in_parts(const dd_complex& alpha, const Matrix& a, const Matrix& b, const dd_complex& beta,
                                    const Matrix& c) {
  const bool adds = beta == dd_complex(1);
  if (!is_normwise_ || is_double_double(precision_) || !(adds || beta == dd_complex(0))) return false;
  const std::int64_t terms = a.columns, most = std::min(terms / least_terms, many_sums / (c.rows * c.columns));
  if (most < 2) return false;
  std::int64_t parts = most;
  while (parts > most / 2 && terms % (16 * parts) != 0) --parts;
  if (terms % (16 * parts) != 0) parts = most;
  const std::int64_t part = terms / parts / 16 * 16, rest = terms - parts * part;
  const Lent sums = lend(c.rows, parts * c.columns);
  const Matrix first = sums.matrix().sub(0, 0, c.rows, c.columns);
  const BatchShape batch{parts, part * a.column_stride, part * b.row_stride, c.rows * c.columns};
  const DeviceProduct product{precision_, alpha, a.sub(0, 0, a.rows, part), b.sub(0, 0, part, b.columns), dd_complex(0),
                              first,      batch};
  DevicePlan plan = plan_of(product);
  run(plan, product);
  opencl::copy_arguments arguments = copy_of(first, c, parts);
  arguments.fills = adds;
  opencl::BorrowedKernel k = kernel("blas/copies.cl", "sum_matrices");
  set_arguments(k, sums.matrix().buffer, c.buffer, arguments);
  call_.launch_over(*k, c.rows, c.columns);
  if (rest > 0) {
    const DeviceProduct of_rest{
        precision_,    alpha, a.sub(0, parts * part, a.rows, rest), b.sub(parts * part, 0, rest, b.columns),
        dd_complex(1), c};
    DevicePlan plan_of_rest = plan_of(of_rest);
    run(plan_of_rest, of_rest);
  }
  return true;
}

// Whether a triangle as one product is faster than its halves and, where the caller fixes the engine, has their bits.
bool DevicePlace::prefers_one_product(const DevicePlan& plan) {
  const auto* own = std::get_if<modular::DevicePlan>(&plan.engine);
  // Other engines' kernels for CPUs leave no tiles out.
  if (!own) return call_.context().info.type != DeviceType::cpu;
  // Those of the other accuracies follow from all entries of a product.
  const bool has_moduli_of_k = own->accuracy == Accuracy::normwise || own->accuracy == Accuracy::bits;
  return has_moduli_of_k || is_engine_open();
}

bool DevicePlace::multiply_triangle_at_once(Uplo uplo, Symmetry symmetry, const dd_complex& alpha, const Matrix& a,
                                            const Matrix& b, const dd_complex& beta, const Matrix& c) {
  // The diagonal of a Hermitian matrix is real, whatever stands there and is rounded on the way.
  if (is_complex(precision_) && symmetry == Symmetry::hermitian) return false;
  if (c.rows != c.columns) return false;
  const DeviceProduct product{precision_, alpha, a, b, beta, c, {}, uplo};
  if (product.is_empty() || !product.reads_operands()) return false;
  DevicePlan plan = plan_of(product);
  if (!prefers_one_product(plan) || !takes_triangle(call_.context(), plan)) return false;
  run(plan, product);
  return true;
}

bool DevicePlace::is_engine_open() const {
  return options_.engine == Engine::automatic && !modular::is_needed(options_.accuracy);
}

bool DevicePlace::may_lend(std::int64_t elements) {
  const DeviceInfo& device = call_.context().info;
  return elements <= std::min(device.global_memory / 4, device.max_allocation) / (2 * element_bytes(precision_));
}

bool DevicePlace::multiply_both_at_once(Uplo uplo, Symmetry symmetry, const dd_complex& alpha, const Matrix& a,
                                        const Matrix& b, const dd_complex& beta, const Matrix& c) {
  const std::int64_t n = c.rows;
  if (!is_double_double(precision_) || !is_engine_open() || !may_lend(n * n)) return false;
  DeviceProduct product{precision_, alpha, a, b, 0, {c.buffer, 0, n, n, 1, n}};
  if (product.is_empty() || !product.reads_operands()) return false;
  DevicePlan plan = plan_of(product);
  // Of other engines' products a triangle is half, and nothing beside them counts.
  if (!std::holds_alternative<modular::DevicePlan>(plan.engine)) return false;
  multiply_both(plan, product, uplo, symmetry, beta, c);
  return true;
}

void DevicePlace::multiply_both(DevicePlan& plan, DeviceProduct product, Uplo uplo, Symmetry symmetry,
                                const dd_complex& beta, const Matrix& c) {
  const Lent whole = lend(c.rows, c.rows);
  product.c = whole.matrix();
  run(plan, product);
  opencl::copy_arguments arguments = copy_of(whole.matrix(), c, 0);
  arguments.is_upper = uplo == Uplo::upper;
  arguments.is_hermitian = symmetry == Symmetry::hermitian;
  arguments.fills = !(beta == dd_complex(0));
  opencl::BorrowedKernel k = kernel("blas/add_transpose.cl", "add_transpose");
  (*k).setArg(0, whole.matrix().buffer);
  (*k).setArg(1, c.buffer);
  set_number(k, 2, beta);
  (*k).setArg(3, arguments);
  call_.launch_over(*k, c.rows, c.columns);
}

// In DD and ZDD halves have the host's bits, and to the modular engine zeros are exponents that spread.
bool DevicePlace::multiplies_triangles_at_once(std::int64_t order, std::int64_t columns) {
  if (options_.block > 0 || is_double_double(precision_) || order < least_triangle || columns == 0) return false;
  if (!may_lend(order * (order + columns))) return false;
  const Matrix triangle{{}, 0, order, order, 1, order}, rest{{}, 0, order, columns, 1, order};
  return std::holds_alternative<native::DevicePlan>(plan_of({precision_, 1, triangle, rest, 0, rest}).engine);
}

std::int64_t DevicePlace::rows_beside_one_product(std::int64_t order, std::int64_t columns) {
  if (options_.block > 0 || !is_double_double(precision_) || !is_engine_open() || order < least_blocks) return 0;
  if (columns == 0 || !may_lend(order * (order + columns))) return 0;
  const Matrix a{{}, 0, order, order, 1, order}, b{{}, 0, order, columns, 1, order};
  const DevicePlan plan = plan_of({precision_, 1, a, b, 1, b});
  // Halves take half of the direct engine's time.
  const bool is_faster = plan.told.seconds_direct > 2 * plan.told.seconds_modular;
  return std::holds_alternative<modular::DevicePlan>(plan.engine) && is_faster ? DeviceProduct::triangle_block : 0;
}

bool DevicePlace::multiply_by_blocks(Uplo uplo, const dd_complex& alpha, const Matrix& a, const Matrix& b,
                                     const Matrix& c) {
  DeviceProduct product{precision_, alpha, a, b, 1, c};
  product.triangle_of_a = uplo;
  DevicePlan plan = plan_of(product);
  auto* own = std::get_if<modular::DevicePlan>(&plan.engine);
  if (!own) return false;
  own->is_tentative = true;
  return run(plan, product);
}

void DevicePlace::multiply_by_triangle(Uplo uplo, const dd_complex& alpha, const Matrix& a, const Matrix& b,
                                       const Matrix& c) {
  DeviceProduct product{precision_, alpha, a, b, 0, c};
  product.triangle_of_a = uplo;
  DevicePlan plan = plan_of(product);
  run(plan, product);
}

void DevicePlace::scale(const dd_complex& alpha, const Matrix& b) {
  if (alpha == dd_complex(1)) return;
  const Matrix none_a{b.buffer, b.offset, b.rows, 0, 1, std::max<std::int64_t>(b.rows, 1)};
  const Matrix none_b{b.buffer, b.offset, 0, b.columns, 1, 1};
  multiply(dd_complex(0), none_a, none_b, alpha, b);
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

bool DevicePlace::is_short_block(std::int64_t rows) {
  return rows <= short_block &&
         short_block_bytes(element_bytes(precision_)) <= opencl::local_memory(call_.context().info);
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
  if (!is_short_block(a.rows)) {
    opencl::BorrowedKernel k = kernel("blas/triangle.cl", "solve_block");
    set_arguments(k, a.buffer, b.buffer, arguments);
    return call_.launch_over(*k, b.columns);
  }
  // Many columns of B hide each other's chains of operations; few are spread over more work-groups.
  constexpr int lanes = 4;
  const int columns = b.columns < 2048 ? 2 : 4;
  opencl::BorrowedKernel k =
      kernel("blas/triangle.cl", "solve_short_block",
             define("LANES", lanes) + define("COLUMNS", columns) + define("IS_UNIT", diag == Diag::unit));
  set_arguments(k, a.buffer, b.buffer, arguments);
  const std::int64_t groups = blocks(b.columns, lanes * columns);
  call_.launch(*k, cl::NDRange(static_cast<std::size_t>(groups * short_block * lanes)),
               cl::NDRange(static_cast<std::size_t>(short_block * lanes)));
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
