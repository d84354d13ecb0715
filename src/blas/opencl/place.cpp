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

void DevicePlace::run(DevicePlan& plan, const DeviceProduct& product) {
  DeviceRun run = execute(plan, product, call_.queue(), call_.pending());
  if (run.recomputed.buffer()()) run.recomputed.release(call_.queue().queue, cl::Event(run.event.native(), true));
  call_.include(cl::Event(run.event.native(), true));
}

void DevicePlace::multiply(const dd_complex& alpha, const Matrix& a, const Matrix& b, const dd_complex& beta,
                           const Matrix& c) {
  if (c.rows == 0 || c.columns == 0) return;
  const DeviceProduct product{precision_, alpha, a, b, beta, c};
  DevicePlan plan = plan_of(product);
  run(plan, product);
}

// Whether a triangle as one product is faster than its halves and, where the caller fixes the engine, has their bits.
bool DevicePlace::prefers_one_product(const DevicePlan& plan) {
  const auto* own = std::get_if<modular::DevicePlan>(&plan.engine);
  // Other engines' kernels for CPUs leave no tiles out.
  if (!own) return call_.context().info.type != DeviceType::cpu;
  // Those of the other accuracies follow from all entries of a product.
  const bool has_moduli_of_k = own->accuracy == Accuracy::normwise || own->accuracy == Accuracy::bits;
  const bool is_open = options_.engine == Engine::automatic && !modular::is_needed(options_.accuracy);
  return has_moduli_of_k || is_open;
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

void DevicePlace::scale(const dd_complex& alpha, const Matrix& b) {
  if (alpha == dd_complex(1)) return;
  const Matrix none_a{b.buffer, b.offset, b.rows, 0, 1, std::max<std::int64_t>(b.rows, 1)};
  const Matrix none_b{b.buffer, b.offset, 0, b.columns, 1, 1};
  multiply(dd_complex(0), none_a, none_b, alpha, b);
}

bool DevicePlace::is_short_block(std::int64_t rows) {
  return rows <= short_block &&
         short_block_bytes(element_bytes(precision_)) <= opencl::local_memory(call_.context().info);
}

void DevicePlace::solve_block(Uplo uplo, Diag diag, const Matrix& a, const Matrix& b, bool is_open) {
  if (a.rows == 0 || b.columns == 0) return;
  const opencl::triangle_arguments arguments{.a = view_of(a),
                                             .b = view_of(b),
                                             .order = narrow(a.rows),
                                             .columns = narrow(b.columns),
                                             .is_upper = uplo == Uplo::upper,
                                             .is_unit = diag == Diag::unit,
                                             .is_open = is_open};
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

void DevicePlace::multiply_block(Uplo uplo, Diag diag, const Matrix& a, const Matrix& b) {
  if (a.rows == 0 || b.columns == 0) return;
  const opencl::triangle_arguments arguments{.a = view_of(a),
                                             .b = view_of(b),
                                             .order = narrow(a.rows),
                                             .columns = narrow(b.columns),
                                             .is_upper = uplo == Uplo::upper,
                                             .is_unit = diag == Diag::unit,
                                             .is_open = false};
  if (a.rows > short_block) {
    opencl::BorrowedKernel k = kernel("blas/triangle.cl", "multiply_block");
    set_arguments(k, a.buffer, b.buffer, arguments);
    return call_.launch_over(*k, b.columns);
  }
  constexpr int lanes = 4;
  const int columns = b.columns < 2048 || is_complex(precision_) ? 2 : 4;
  opencl::BorrowedKernel k =
      kernel("blas/triangle.cl", "multiply_short_block",
             define("LANES", lanes) + define("COLUMNS", columns) + define("IS_UNIT", diag == Diag::unit));
  set_arguments(k, a.buffer, b.buffer, arguments);
  const std::int64_t groups = blocks(b.columns, lanes * columns);
  call_.launch(*k, cl::NDRange(static_cast<std::size_t>(groups * short_block * lanes)),
               cl::NDRange(static_cast<std::size_t>(short_block * lanes)));
}

void DevicePlace::write_out(Uplo uplo, Symmetry symmetry, const Matrix& a, std::int64_t first, const Matrix& to) {
  opencl::BorrowedKernel k = kernel("blas/triangle_copy.cl", "write_out");
  set_arguments(k, a.buffer, to.buffer,
                opencl::copy_arguments{.from = view_of(a),
                                       .to = view_of(to),
                                       .rows = narrow(to.rows),
                                       .columns = narrow(to.columns),
                                       .first = narrow(first),
                                       .is_upper = uplo == Uplo::upper,
                                       .is_hermitian = symmetry == Symmetry::hermitian,
                                       .fills = 0});
  call_.launch_over(*k, to.rows, to.columns);
}

void DevicePlace::copy_triangle(Uplo uplo, Symmetry symmetry, const Matrix& from, const Matrix& to, bool fills) {
  opencl::BorrowedKernel k = kernel("blas/triangle_copy.cl", "copy_triangle");
  set_arguments(k, from.buffer, to.buffer,
                opencl::copy_arguments{.from = view_of(from),
                                       .to = view_of(to),
                                       .rows = narrow(to.rows),
                                       .columns = narrow(to.columns),
                                       .first = 0,
                                       .is_upper = uplo == Uplo::upper,
                                       .is_hermitian = symmetry == Symmetry::hermitian,
                                       .fills = fills});
  call_.launch_over(*k, to.rows, to.columns);
}

void DevicePlace::take_triangle(Uplo uplo, Symmetry symmetry, const Matrix& from, const Matrix& to) {
  copy_triangle(uplo, symmetry, from, to, true);
}
void DevicePlace::put_triangle(Uplo uplo, Symmetry symmetry, const Matrix& from, const Matrix& to) {
  copy_triangle(uplo, symmetry, from, to, false);
}

}  // namespace hilo::blas
