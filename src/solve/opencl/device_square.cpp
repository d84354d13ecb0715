#include "solve/opencl/device_square.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "blas/opencl/vector_place.hpp"
#include "gemm/device_product.hpp"
#include "solve/proof_units.hpp"

namespace hilo::solver {
namespace {

using opencl::narrow;
using opencl::set_arguments;

// Columns of a product by parts that are made at a time.
constexpr std::int64_t part_columns = 2048;
// An inverse with larger entries, or with such as are not finite, proves nothing: so nothing overflows.
constexpr double most_of_inverse = 0x1p900;
constexpr double nothing_known = std::numeric_limits<double>::infinity();

// C = alpha · A · B + beta · C as a part of the call: its error in the precision's units, relative to |alpha| |A| |B| +
// |beta| |C|.
double multiply(opencl::Call& call, Precision precision, double alpha, const DeviceView& a, const DeviceView& b,
                double beta, const DeviceView& c, const BlockedOptions& options) {
  const DeviceProduct product{precision, dd_complex(alpha), a, b, dd_complex(beta), c};
  const GemmShape shape = shape_of_views(lines_of(a), lines_of(b), lines_of(c), element_bytes(precision));
  DevicePlan plan = plan_routine_product(call.context(), shape, product, options);
  DeviceRun run = execute(plan, product, call.queue(), call.pending());
  const cl::Event event(run.event.native(), true);
  if (run.recomputed.buffer()()) run.recomputed.release(call.queue().queue, event);
  call.include(event);
  return run.plan.measure == Measure::componentwise ? run.plan.error_bound_u2 : nothing_known;
}

// Sums of products in some order, each product with two roundings at most.
BlockedOptions options_of_plain_sums() {
  BlockedOptions options;
  options.engine = Engine::direct;
  return options;
}

// rest −= R · A in double. Parts of so many terms are products of their own, in memory of their own, which are then
// added, so that roundings do not add up along all of k, whatever the device's kernels do.
double subtract_in_double(opencl::Call& call, const DeviceSquare& inverse, const DeviceView& a,
                          const DeviceView& rest) {
  const std::int64_t n = a.rows;
  const Precision precision = inverse.precision();
  const BlockedOptions options = options_of_plain_sums();
  double most = 0.0;
  if (is_by_parts(n)) {
    const cl::Buffer part = call.borrow(n * std::min(n, part_columns) * element_bytes(precision), "a part of a proof");
    for (std::int64_t first = 0; first < n; first += part_columns) {
      const std::int64_t width = std::min(part_columns, n - first);
      for (std::int64_t k = 0; k < n; k += proof_depth) {
        const std::int64_t depth = std::min(proof_depth, n - k);
        const double bound = multiply(call, precision, -1.0, inverse.view().sub(0, k, n, depth),
                                      a.sub(k, first, depth, width), 0.0, {part, 0, n, width, 1, n}, options);
        most = std::max(most, bound);
        blas::VectorPlace place(call.queue(), precision, options, call.pending());
        place.axpy(dd_complex(1), {part, 0, n * width, 1}, {rest.buffer, first * n, n * width, 1});
        call.include(cl::Event(place.finish().native(), true));
      }
    }
  } else {
    most = multiply(call, precision, -1.0, inverse.view(), a, 1.0, rest, options);
  }
  // A rounding of each part's addition, one of A's low words, and those of roundings.
  const auto parts = static_cast<double>(blocks(n, proof_depth));
  return (most + parts + 8.0) * 0x1p-53 * (1.0 + 0x1p-20);
}

}  // namespace

void set_identity(DeviceMatrix& system, opencl::Call& call, const DeviceSquare& square) {
  const std::int64_t n = system.order();
  opencl::BorrowedKernel k = system.kernel("solve/block_product.cl", "set_identities", square.precision());
  set_arguments(k, square.buffer(),
                opencl::block_product_arguments{.a = view_of(square.view()),
                                                .first_of_x = 0,
                                                .first_of_y = 0,
                                                .rows = narrow(n),
                                                .columns = narrow(n),
                                                .subtracts = 0,
                                                .spare = 0});
  call.launch_over(*k, n, n);
}

DeviceRest rest_of_product(DeviceMatrix& system, const DeviceSquare& inverse, const BlockedOptions& options) {
  const Precision precision = inverse.precision();
  DeviceRest found{{system, precision, "a proof's product"}, nothing_known};
  if (!(system.largest(precision, inverse.view(), Part::all) < most_of_inverse)) return found;
  std::optional<DeviceSquare> copied;
  if (system.exact() != precision) {
    copied.emplace(system, precision, "a matrix of a proof");
    system.copy_to(precision, copied->buffer());
  }
  const std::int64_t n = system.order();
  const DeviceView a = copied ? copied->view() : DeviceView{system.entries(), 0, n, n, 1, n};
  opencl::Call call(system.queue(), system.pending());
  set_identity(system, call, found.rest);
  if (is_double_double(precision)) {
    const double bound =
        multiply(call, precision, -1.0, inverse.view(), a, 1.0, found.rest.view(), for_entries(options));
    found.unit = bound * 0x1p-106;
  } else {
    found.unit = subtract_in_double(call, inverse, a, found.rest.view());
  }
  call.finish().wait();
  return found;
}

DeviceSquare in_double_double(DeviceMatrix& system, const DeviceSquare& of_doubles) {
  const Precision precision = is_complex(of_doubles.precision()) ? Precision::zdd : Precision::dd;
  DeviceSquare numbers(system, precision, "an inverse");
  system.convert(of_doubles.precision(), of_doubles.buffer(), precision, numbers.buffer());
  return numbers;
}

}  // namespace hilo::solver
