#include "cli/bench/device_ceiling.hpp"

#include <algorithm>

#include "gemm/direct/reference.hpp"
#include "model/byte_planes.hpp"
#include "tune/byte_rate.hpp"
#include "tune/issue_rate.hpp"

namespace hilo::cli {
namespace {

// Operations of a step with its part of closing a chunk of 64, each of which takes the place of a multiply-add.
double operations_of_step(const GemmPlan& plan) {
  const double step = plan.fma ? 10.0 : 27.0, renormalisation = 3.0 / direct::renormalisation_interval(plan.accuracy);
  return step + renormalisation + 23.0 / 64.0;
}

}  // namespace

double DeviceCeilings::multiply_adds(Queue& queue, Unit unit) {
  switch (unit) {
    case Unit::in_single:
      return tune::issue_rate<float>(queue);
    case Unit::in_double:
      return tune::issue_rate<double>(queue);
    case Unit::matrix:
      return tune::matrix_issue_rate(queue).value_or(0.0);
    case Unit::bytes:
      break;
  }
  return tune::byte_rate(queue);
}

double DeviceCeilings::rate(Queue& queue, const Place& place, Unit unit) {
  for (const Known& known : known_) {
    if (known.place == place && known.unit == unit) return known.rate;
  }
  known_.push_back({place, unit, 2.0 * multiply_adds(queue, unit)});
  return known_.back().rate;
}

std::optional<Ceiling> DeviceCeilings::of(Queue& queue, const BenchCase& what, const GemmPlan& plan) {
  if (plan.engine == Engine::modular) {
    if (plan.moduli == 0) return {};
    const bool is_of_parts = is_complex(what.precision);
    const double real_products = is_of_parts ? 4.0 : 1.0, planes = model::byte_planes(is_of_parts, plan.moduli);
    return Ceiling{1e-9 * real_products * rate(queue, what.place, Unit::bytes) / planes, "products of bytes"};
  }
  if (is_single(what.precision)) return Ceiling{1e-9 * rate(queue, what.place, Unit::in_single), "multiply-adds"};
  const double flops = rate(queue, what.place, Unit::in_double);
  if (what.precision == Precision::dd || what.precision == Precision::zdd) {
    return Ceiling{1e-9 * flops / operations_of_step(plan), "steps of the direct engine"};
  }
  // Other compilers complain of the instruction on standard error.
  const bool may_have_matrix_unit = queue.context().device().compute_capability > 0;
  const double of_matrix = may_have_matrix_unit ? rate(queue, what.place, Unit::matrix) : 0.0;
  return Ceiling{1e-9 * std::max(flops, of_matrix), "multiply-adds"};
}

}  // namespace hilo::cli
