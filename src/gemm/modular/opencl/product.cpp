#include "gemm/modular/opencl/product.hpp"

#include <algorithm>
#include <optional>

#include "gemm/modular/guarantee.hpp"
#include "gemm/modular/opencl/direct_entries.hpp"
#include "gemm/modular/opencl/multiplication.hpp"
#include "gemm/modular/opencl/scaling.hpp"

namespace hilo::modular {
namespace {

// Whether to begin before the figures are there: where that takes no longer than a wait or two for the device, and
// where nobody counts the memory.
bool is_worth_beginning(const DevicePlan& plan, const DeviceProduct& p, const ScalingChoice& expected) {
  constexpr double most_operations = 1e12;
  const double operations = 2.0 * static_cast<double>(p.m()) * static_cast<double>(p.n()) * static_cast<double>(p.k()) *
                            expected.moduli * ElementKind(p.precision).products();
  return !plan.is_bounded && operations <= most_operations;
}

}  // namespace

DeviceOutcome execute(const DevicePlan& plan, const DeviceProduct& p, opencl::Call& call, int row_parts) {
  const ElementKind kind(p.precision);
  if (has_factors(plan, p)) require_doubles(call.context(), kind, "alpha other than 1 or beta other than 0");
  const DeviceOperand operand[2] = {DeviceOperand::left(p.a), DeviceOperand::right(p.b)};
  Guardrail guardrail(call, kind, operand, {plan.accuracy, plan.bits, plan.most_moduli, plan.unit});
  std::optional<Multiplication> product;
  if (const auto expected = guardrail.expected(); expected && is_worth_beginning(plan, p, expected->choice)) {
    try {
      product.emplace(call, plan, p, operand, *expected, row_parts);
      product->begin();
    } catch (const error& e) {
      // What is expected may take more than what it turns out to be.
      if (e.code() != errc::out_of_memory) throw;
      product.reset();
    }
  }
  const DeviceScaling scaling = guardrail.settle();
  if (product && product->choice() != scaling.choice) {
    product->release();
    product.reset();
  }
  DeviceOutcome outcome{};
  outcome.path = scaling.choice.path;
  if (!outcome.is_modular()) return outcome;
  outcome.bits = scaling.choice.most_bits();
  outcome.moduli = scaling.choice.moduli;
  outcome.esc = scaling.esc;
  outcome.error_bound_u2 = scaling.error_bound_u2;
  outcome.entries_direct = scaling.direct.count;
  if (!product) product.emplace(call, plan, p, operand, scaling, row_parts);
  product->describe(outcome);
  if (scaling.direct.count == 0) {
    outcome.parts = product->run();
    return outcome;
  }
  DirectDeviceEntries direct(call, plan, p, scaling.direct.positions, scaling.direct.count);
  product->run();
  // Those of the accuracies that only this engine has are never finite.
  const double of_direct = is_needed(plan.accuracy) ? 0.0 : direct.error_bound_u2();
  outcome.error_bound_u2 = std::max(outcome.error_bound_u2, of_direct);
  outcome.recomputed = direct.write();
  return outcome;
}

}  // namespace hilo::modular
