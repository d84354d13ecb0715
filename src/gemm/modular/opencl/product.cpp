#include "gemm/modular/opencl/product.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "gemm/modular/guarantee.hpp"
#include "gemm/modular/moduli.hpp"
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
                            planes_of(expected.moduli, is_complex(p.precision));
  return !plan.is_bounded && operations <= most_operations;
}

// A plan whose workspace leaves room for the context's buffers, whose memory may not have been taken yet, for what
// others have borrowed, and for what is found of operands.
DevicePlan with_room_for_buffers(const DevicePlan& plan, const DeviceProduct& p, opencl::ContextState& context) {
  DevicePlan result = plan;
  if (plan.is_bounded) return result;
  const std::int64_t all = context.info.global_memory;
  const std::int64_t of_scaling = scaling_bytes(plan.accuracy, ElementKind(p.precision), p.m(), p.n(), p.k());
  const std::int64_t room = all - all / 16 - *context.buffer_bytes - context.workspaces.lent_bytes() - of_scaling;
  result.workspace = std::min(plan.workspace, std::max(room, context.least_workspace));
  return result;
}

// Begins a product with what memory there is: half of what was wanted and not there, and so on.
void begin_with_less(std::optional<Multiplication>& product, opencl::Call& call, DevicePlan& plan,
                     const DeviceProduct& p, const DeviceOperand (&operand)[2], const ScaledOperands& scaled,
                     int row_parts) {
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  for (;;) {
    const int count = scaled.choice.moduli;
    const DevicePanels panels = panels_for(call.context(), plan, count, row_parts);
    const std::int64_t bytes = panels.bytes(plan.problem_of(count, panels.levels)), less = bytes / 2;
    try {
      product.emplace(call, plan, p, operand, scaled, row_parts);
      return;
    } catch (const error& e) {
      const bool is_least = bytes >= before || less < call.context().least_workspace;
      if (e.code() != errc::out_of_memory || plan.is_bounded || is_least) throw;
      before = bytes;
      plan.workspace = less;
    }
  }
}

// Exponents alone are asked for: moduli and bits follow from the terms.
DeviceOutcome execute_unwatched(DevicePlan plan, const DeviceProduct& p, opencl::Call& call) {
  const ElementKind kind(p.precision);
  const DeviceOperand operand[2] = {DeviceOperand::left(p.a), DeviceOperand::right(p.b)};
  const Guarantee promised = guarantee(plan.accuracy, p.k(), kind.words, kind.is_complex());
  Scan scan(call, kind, operand,
            {.keeps_codes = false, .finds_balance = false, .tests_sums = false, .limit = 0, .has_figures = false});
  ScaledOperands scaled{.choice = {}, .exponents = opencl::copied(scan.found().exponents), .balance = {}};
  const int count = plan.problem.moduli, bits = largest_bits(count, p.k(), kind.is_complex());
  scaled.choice.moduli = count;
  scaled.choice.bits[0] = scaled.choice.bits[1] = bits;
  std::optional<Multiplication> product;
  begin_with_less(product, call, plan, p, operand, scaled, 0);
  DeviceOutcome outcome{};
  outcome.path = Path::modular;
  outcome.bits = bits;
  outcome.moduli = count;
  outcome.error_bound_u2 = error_bound(promised, p.k(), kind.words, kind.is_complex());
  product->describe(outcome);
  product->run();
  return outcome;
}

}  // namespace

DeviceOutcome execute(const DevicePlan& wanted, const DeviceProduct& p, opencl::Call& call, int row_parts) {
  DevicePlan plan = with_room_for_buffers(wanted, p, call.context());
  if (plan.is_unwatched) return execute_unwatched(plan, p, call);
  const ElementKind kind(p.precision);
  if (has_factors(plan, p)) require_doubles(call.context(), kind, "alpha other than 1 or beta other than 0");
  const DeviceOperand operand[2] = {DeviceOperand::left(p.a), DeviceOperand::right(p.b)};
  Guardrail guardrail(call, kind, operand,
                      {plan.accuracy, plan.bits, plan.most_moduli, plan.unit, triangle_of(p), plan.is_tentative});
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
  if (!product) begin_with_less(product, call, plan, p, operand, scaling, row_parts);
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
