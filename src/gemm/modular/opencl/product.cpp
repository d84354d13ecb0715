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
#include "gemm/modular/opencl/prepared.hpp"
#include "gemm/modular/opencl/scaling.hpp"
#include "opencl/settled.hpp"

namespace hilo::modular {
namespace {

// What is begun before the figures are there: what takes no longer than a wait or two for the device, and where nobody
// counts the memory.
enum class Beginning { nothing, residues, product };

Beginning beginning_of(opencl::ContextState& context, const DevicePlan& plan, const DeviceProduct& p, int row_parts,
                       const ScalingChoice& expected) {
  if (plan.is_bounded) return Beginning::nothing;
  const auto m = static_cast<double>(p.m()), n = static_cast<double>(p.n()), k = static_cast<double>(p.k());
  const double planes = planes_of(expected.moduli, is_complex(p.precision));
  if (2.0 * m * n * k * planes <= plan.most_begun_operations) return Beginning::product;
  if ((m + n) * k * planes > plan.most_begun_residues) return Beginning::nothing;
  const DevicePanels panels = panels_for(context, plan, expected.moduli, row_parts);
  const bool is_one_panel = row_parts <= 1 && panels.rows >= plan.problem.rows &&
                            panels.columns >= plan.problem_of(expected.moduli, 0).main_columns();
  return is_one_panel && panels.levels == 0 ? Beginning::residues : Beginning::nothing;
}

// A plan whose workspace leaves room for the context's buffers, whose memory may not have been taken yet, for what
// others have borrowed, and for what is found of operands.
DevicePlan with_room_for_buffers(const DevicePlan& plan, const DeviceProduct& p, opencl::ContextState& context,
                                 const PreparedOperands& prepared) {
  DevicePlan result = plan;
  if (plan.is_bounded) return result;
  const std::int64_t all = context.info.global_memory;
  const std::int64_t of_scaling = scaling_bytes(plan.accuracy, ElementKind(p.precision), p.m(), p.n(), p.k());
  std::int64_t room = all - all / 16 - *context.buffer_bytes - context.workspaces.lent_bytes() - of_scaling;
  // Which is among what the product is planned to take.
  prepared.each([&](const PreparedOperand& x) { room += x.residue_bytes(); });
  result.workspace = std::min(plan.workspace, std::max(room, context.least_workspace));
  return result;
}

// Begins a product with what memory there is: half of what was wanted and not there, and so on.
void begin_with_less(std::optional<Multiplication>& product, opencl::Call& call, DevicePlan& plan,
                     const DeviceProduct& p, const DeviceOperand (&operand)[2], const ScaledOperands& scaled,
                     int row_parts, const PreparedOperands& prepared = {}) {
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  for (;;) {
    const int count = scaled.choice.moduli;
    const DevicePanels panels = panels_for(call.context(), plan, count, row_parts);
    const std::int64_t bytes = panels.bytes(plan.problem_of(count, panels.levels)), less = bytes / 2;
    try {
      product.emplace(call, plan, p, operand, scaled, row_parts, prepared);
      return;
    } catch (const error& e) {
      prepared.each([](PreparedOperand& x) { x.drop_unmade(); });
      const bool is_least = bytes >= before || less < call.context().least_workspace;
      if (e.code() != errc::out_of_memory || plan.is_bounded || is_least) throw;
      before = bytes;
      plan.workspace = less;
    }
  }
}

// Exponents alone are asked for: moduli and bits follow from the terms.
DeviceOutcome execute_unwatched(DevicePlan plan, const DeviceProduct& p, opencl::Call& call,
                                const DeviceOperand (&operand)[2], const PreparedOperands& prepared, bool& writes) {
  const ElementKind kind(p.precision);
  const Guarantee promised = guarantee(plan.accuracy, p.k(), kind.words, kind.is_complex());
  ScaledOperands scaled{.choice = {}, .exponents = find_exponents(call, kind, operand, prepared), .balance = {}};
  const int count = plan.problem.moduli, bits = largest_bits(count, p.k(), kind.is_complex());
  scaled.choice.moduli = count;
  scaled.choice.bits[0] = scaled.choice.bits[1] = bits;
  std::optional<Multiplication> product;
  begin_with_less(product, call, plan, p, operand, scaled, 0, prepared);
  DeviceOutcome outcome{};
  outcome.path = Path::modular;
  outcome.bits = bits;
  outcome.moduli = count;
  outcome.error_bound_u2 = error_bound(promised, p.k(), kind.words, kind.is_complex());
  product->describe(outcome);
  product->run(writes);
  return outcome;
}

// A product that a Guardrail, or a PreparedScaling, watches; none where it does not settle. writes: C may be written
// to.
template <class Guard>
std::optional<DeviceOutcome> execute_watched(DevicePlan& plan, const DeviceProduct& p, opencl::Call& call,
                                             int row_parts, const DeviceOperand (&operand)[2], Guard& guard,
                                             const PreparedOperands& prepared, bool& writes) {
  std::optional<Multiplication> product;
  const auto begin = [&](auto step) {
    try {
      step();
    } catch (const error& e) {
      // What is expected may take more than what it turns out to be.
      if (e.code() != errc::out_of_memory) throw;
      product.reset();
      prepared.each([](PreparedOperand& x) { x.drop_unmade(); });
    }
  };
  const auto expected = guard.expected();
  const Beginning beginning =
      expected ? beginning_of(call.context(), plan, p, row_parts, expected->choice) : Beginning::nothing;
  if (beginning != Beginning::nothing) {
    begin([&] {
      product.emplace(call, plan, p, operand, *expected, row_parts, prepared);
      product->begin_residues();
    });
  }
  // To ask for figures takes the host about as long as the device takes for residues, which come first for that.
  guard.begin_read();
  if (product && beginning == Beginning::product) begin([&] { product->begin(); });
  const std::optional<DeviceScaling> settled = guard.settle();
  const ElementKind kind(p.precision);
  if (product && (!settled || !makes_same_residues(product->choice(), settled->choice, kind))) {
    product->release();
    product.reset();
  }
  // What took memory to settle makes room for the product; one that has begun has its own.
  const bool has_begun = product.has_value();
  if (!has_begun) guard.release();
  if (!settled) return std::nullopt;
  const DeviceScaling& scaling = *settled;
  DeviceOutcome outcome{};
  outcome.path = scaling.choice.path;
  if (!outcome.is_modular()) return outcome;
  outcome.bits = scaling.choice.most_bits();
  outcome.moduli = scaling.choice.moduli;
  outcome.esc = scaling.esc;
  outcome.error_bound_u2 = scaling.error_bound_u2;
  outcome.entries_direct = scaling.direct.count;
  if (!product) begin_with_less(product, call, plan, p, operand, scaling, row_parts, prepared);
  product->describe(outcome);
  std::optional<DirectDeviceEntries> direct;
  if (scaling.direct.count > 0) direct.emplace(call, plan, p, scaling.direct.positions, scaling.direct.count);
  std::vector<Part> parts = product->run(writes);
  if (has_begun) guard.release();
  if (!direct) {
    outcome.parts = std::move(parts);
    return outcome;
  }
  // Those of the accuracies that only this engine has are never finite.
  const double of_direct = is_modular_only(plan.accuracy) ? 0.0 : direct->error_bound_u2();
  outcome.error_bound_u2 = std::max(outcome.error_bound_u2, of_direct);
  outcome.recomputed = direct->write();
  return outcome;
}

// None where what is kept of operands does not tell enough, or where there is no memory to keep it. What a call that
// fails leaves of it is of no use.
std::optional<DeviceOutcome> execute_prepared(const DevicePlan& wanted, const DeviceProduct& p, opencl::Call& call,
                                              const DeviceOperand (&operand)[2], const PreparedOperands& prepared) {
  if (!prepared.any() || !(wanted.is_unwatched || PreparedScaling::suits(wanted, p))) return std::nullopt;
  DevicePlan plan = with_room_for_buffers(wanted, p, call.context(), prepared);
  const auto forget = [](PreparedOperand& x) { x.forget(); };
  bool writes = false;
  std::optional<DeviceOutcome> outcome;
  try {
    if (plan.is_unwatched) {
      outcome = execute_unwatched(plan, p, call, operand, prepared, writes);
    } else {
      PreparedScaling scaling(call, plan, p, operand, prepared);
      outcome = execute_watched(plan, p, call, 0, operand, scaling, prepared, writes);
    }
  } catch (const error& failure) {
    prepared.each(forget);
    if (failure.code() != errc::out_of_memory || writes) throw;
    return std::nullopt;
  } catch (...) {
    prepared.each(forget);
    throw;
  }
  // Nothing is kept that later calls could not wait for.
  prepared.each([&](PreparedOperand& x) {
    if (!opencl::is_certain([&] { return x.end(call), true; })) x.forget();
  });
  return outcome;
}

}  // namespace

DeviceOutcome execute(const DevicePlan& wanted, const DeviceProduct& p, opencl::Call& call, int row_parts,
                      const PreparedOperands& prepared) {
  const ElementKind kind(p.precision);
  const DeviceOperand operand[2] = {DeviceOperand::left(p.a), DeviceOperand::right(p.b)};
  if (!wanted.is_unwatched && !update_of(wanted, p).stores()) {
    require_doubles(call.context(), kind, "alpha other than 1 or beta other than 0");
  }
  if (auto outcome = execute_prepared(wanted, p, call, operand, prepared)) return std::move(*outcome);
  bool writes = false;
  const auto execute_alone = [&]() -> DeviceOutcome {
    DevicePlan plan = with_room_for_buffers(wanted, p, call.context(), {});
    if (plan.is_unwatched) return execute_unwatched(plan, p, call, operand, {}, writes);
    Guardrail guardrail(call, kind, operand,
                        {plan.accuracy, plan.bits, plan.most_moduli, plan.unit, triangle_of(p), plan.is_tentative});
    return *execute_watched(plan, p, call, row_parts, operand, guardrail, {}, writes);
  };
  try {
    return execute_alone();
  } catch (const error& failure) {
    if (!prepared.any() || writes || failure.code() != errc::out_of_memory) throw;
  }
  // What is kept has the memory.
  prepared.each([](PreparedOperand& x) { x.forget(); });
  return execute_alone();
}

}  // namespace hilo::modular
