// Products of matrices as routines on a device take them.
#include <algorithm>

#include "blas/opencl/place.hpp"
#include "gemm/modular/guarantee.hpp"
#include "opencl/program.hpp"

namespace hilo::blas {
namespace {

using opencl::set_arguments;

// Rows of a triangle whose product is faster than those of its halves.
constexpr std::int64_t least_triangle = 512;
// Those of blocks beside its diagonal by the modular engine.
constexpr std::int64_t least_blocks = 1024;
// Sums at a time that keep a device busy, and terms below which there is no gain in less.
constexpr std::int64_t many_sums = 1 << 19, least_terms = 256;

}  // namespace

namespace {

// A matrix that lies as another does, by rows or by columns.
DeviceView packed(const DeviceView& like, std::int64_t rows, std::int64_t columns) {
  const bool by_columns = like.row_stride == 1;
  return {like.buffer, 0, rows, columns, by_columns ? 1 : columns, by_columns ? rows : 1, like.conjugate};
}

}  // namespace

DevicePlan DevicePlace::plan_on(opencl::ContextState& device, const DeviceProduct& p) const {
  const GemmShape shape = shape_of_views(lines_of(p.a), lines_of(p.b), lines_of(p.c), element_bytes(precision_));
  return is_normwise_ ? plan_inner_product(device, shape, p, options_)
                      : plan_routine_product(device, shape, p, options_);
}

DevicePlan DevicePlace::plan_of(const DeviceProduct& p) {
  if (!whole_) return plan_on(call_.context(), p);
  DeviceProduct whole = p;
  whole.a = packed(p.a, whole_->rows, p.k());
  whole.b = packed(p.b, p.k(), whole_->columns);
  whole.c = packed(p.c, whole_->rows, whole_->columns);
  return plan_part(call_.context(), plan_on(*whole_->device, whole), p, options_);
}

bool DevicePlace::has_products_by_shape() const {
  if (!has_modular_engine(precision_) || options_.engine == Engine::direct) return true;
  return is_double_double(precision_) && is_normwise_ && is_engine_open();
}

// Whether it was done; otherwise its commands have written nothing.
bool DevicePlace::run(DevicePlan& plan, const DeviceProduct& product, const modular::PreparedOperands& prepared) {
  DeviceRun run = execute(plan, product, call_.queue(), call_.pending(), 0, prepared);
  if (run.recomputed.buffer()()) run.recomputed.release(call_.queue().queue, cl::Event(run.event.native(), true));
  call_.include(cl::Event(run.event.native(), true));
  return run.is_done;
}

void DevicePlace::multiply(const dd_complex& alpha, const Matrix& a, const Matrix& b, const dd_complex& beta,
                           const Matrix& c, const modular::PreparedOperands& prepared) {
  if (c.rows == 0 || c.columns == 0) return;
  if (multiply_in_parts(alpha, a, b, beta, c)) return;
  const DeviceProduct product{precision_, alpha, a, b, beta, c};
  DevicePlan plan = plan_of(product);
  run(plan, product, prepared);
}

namespace {

std::int64_t parts_at_most(std::int64_t terms, std::int64_t entries) {
  return std::min(terms / least_terms, many_sums / entries);
}

}  // namespace

bool DevicePlace::multiplies_in_parts(std::int64_t terms, std::int64_t rows, std::int64_t columns,
                                      const dd_complex& beta) const {
  const bool is_sum = beta == dd_complex(1) || beta == dd_complex(0);
  const std::int64_t entries = entries_of_whole(rows, columns);
  // The modular engine has no batches, and its bits are those of the whole product.
  const bool may_be = is_normwise_ && !is_double_double(precision_) && !fixes_bits(precision_, options_);
  return may_be && is_sum && parts_at_most(terms, entries) >= 2;
}

// Few sums of many terms, which leave most of a device idle, as a batch of sums of fewer terms, and these added: as
// many on every device.
bool DevicePlace::multiply_in_parts(const dd_complex& alpha, const Matrix& a, const Matrix& b, const dd_complex& beta,
                                    const Matrix& c) {
  if (!multiplies_in_parts(a.columns, c.rows, c.columns, beta)) return false;
  const bool adds = beta == dd_complex(1);
  const std::int64_t terms = a.columns, most = parts_at_most(terms, entries_of_whole(c.rows, c.columns));
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
  if (!runs_as_batch(plan, product)) return false;
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

std::optional<DevicePlan> DevicePlace::plan_of_triangle(Symmetry symmetry, const DeviceProduct& product) {
  // The diagonal of a Hermitian matrix is real, whatever stands there and is rounded on the way.
  if (is_complex(precision_) && symmetry == Symmetry::hermitian) return std::nullopt;
  if (product.m() != product.n() || product.is_empty() || !product.reads_operands()) return std::nullopt;
  DevicePlan plan = plan_of(product);
  if (!prefers_one_product(plan) || !takes_triangle(call_.context(), plan)) return std::nullopt;
  return plan;
}

bool DevicePlace::takes_triangle_at_once(Symmetry symmetry, const DeviceProduct& product) {
  return plan_of_triangle(symmetry, product).has_value();
}

bool DevicePlace::multiply_triangle_at_once(Uplo uplo, Symmetry symmetry, const dd_complex& alpha, const Matrix& a,
                                            const Matrix& b, const dd_complex& beta, const Matrix& c) {
  const DeviceProduct product{precision_, alpha, a, b, beta, c, {}, uplo};
  std::optional<DevicePlan> plan = plan_of_triangle(symmetry, product);
  if (!plan) return false;
  run(*plan, product);
  return true;
}

bool DevicePlace::is_engine_open() const {
  return options_.engine == Engine::automatic && !modular::is_modular_only(options_.accuracy);
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

}  // namespace hilo::blas
