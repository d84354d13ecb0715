#include "gemm/device_product.hpp"

#include <optional>
#include <utility>

#include "gemm/device_cost.hpp"
#include "gemm/direct/opencl/product.hpp"
#include "gemm/modular/exact_scalars.hpp"
#include "gemm/modular/guarantee.hpp"
#include "gemm/modular/moduli.hpp"
#include "gemm/modular/opencl/bytes.hpp"
#include "gemm/modular/opencl/direct_entries.hpp"
#include "gemm/native/opencl/product.hpp"
#include "gemm/plan.hpp"

namespace hilo {
namespace {

bool uses_fma(const GemmOptions& options, const DeviceInfo& device) {
  if (options.engine == Engine::reproducible) return true;
  return options.fma == Fma::automatic ? device.fma : options.fma == Fma::on;
}

// What the modular engine would run on; none where no unit can be used now, which is for those to hear of who ask for
// that engine.
std::optional<modular::ByteUnit> usable_unit(opencl::ContextState& context) {
  modular::byte_features(context);  // throws where the device does not answer
  try {
    return modular::byte_unit(context);
  } catch (const error& failure) {
    const bool is_of_units = failure.code() == errc::self_test_failure || failure.code() == errc::device_failure ||
                             failure.code() == errc::out_of_memory;
    if (!is_of_units || !context.info.fp64) throw;
    return std::nullopt;
  }
}

void tell(GemmPlan& told, const tile::Form& form) {
  told.micro_rows = form.micro_rows;
  told.micro_columns = form.micro_columns;
  told.tile_rows = form.tile_rows;
  told.tile_columns = form.tile_columns;
  told.depth = form.depth;
  told.workspace_bytes = form.workspace_bytes;
}

// What the modular engine gives up keeps the direct engine's own guarantee.
Accuracy direct_accuracy(Accuracy a) { return modular::is_modular_only(a) ? Accuracy::classic : a; }

DevicePlan plan_direct(const DeviceInfo& device, const GemmShape& s, const DeviceProduct& x,
                       const GemmOptions& options) {
  const Accuracy accuracy = direct_accuracy(options.accuracy);
  DevicePlan plan{plan_of(x.precision, s, x.batch.count, Backend::opencl, accuracy), options, {}};
  GemmPlan& told = plan.told;
  device.name.copy(told.unit, sizeof told.unit - 1);
  const bool is_empty = s.m == 0 || s.n == 0 || s.k == 0;
  if (is_double_double(x.precision)) {
    told.fma = uses_fma(options, device);
    const auto& own = plan.engine.emplace<direct::DevicePlan>(direct::plan_product(device, x, accuracy, told.fma));
    if (!is_empty) tell(told, own.form());
  } else {
    if (is_complex(x.precision)) told.complex_product = options.complex_product;
    const auto& own = plan.engine.emplace<native::DevicePlan>(native::plan_product(device, x, told.complex_product));
    if (!is_empty) tell(told, own.form());
  }
  told.error_bound_u2 = direct_error_bound(told);
  return plan;
}

DevicePlan plan_modular(const DeviceInfo& device, modular::ByteUnit unit, const GemmShape& s, const DeviceProduct& x,
                        const GemmOptions& options, SmallWorkspace small) {
  DevicePlan plan{plan_of(x.precision, s, x.batch.count, Backend::opencl, options.accuracy), options, {}};
  plan.told.fma = uses_fma(options, device);
  auto& own = plan.engine.emplace<modular::DevicePlan>(
      modular::plan_product(plan.told, device, unit, x, options, modular::max_moduli, small));
  if (is_double_double(x.precision) && options.engine == Engine::automatic &&
      !modular::is_modular_only(options.accuracy)) {
    own.most_moduli = most_moduli_on_device(device, own.unit, x.precision, s, options);
  }
  return plan;
}

// Of a whole product in D and Z that the modular engine gives up.
GemmPlan plain_plan(const DeviceInfo& device, const GemmPlan& told, Accuracy accuracy) {
  GemmPlan plain = plan_of(told.precision, shape_of(told), told.batch, Backend::opencl, accuracy);
  std::string unit = device.name.substr(0, sizeof plain.unit - 16) + ", plain sums";
  unit.copy(plain.unit, sizeof plain.unit - 1);
  plain.error_bound_u2 = direct_error_bound(plain);
  return plain;
}

// By direct::DevicePlan or native::DevicePlan.
template <class EnginePlan>
DeviceRun execute_tiled(GemmPlan& told, EnginePlan& own, const DeviceProduct& x, opencl::QueueState& queue,
                        const std::vector<cl::Event>& wait_list) {
  tile::Run run = execute(own, x, queue, wait_list);
  // A table's tile may have given way to another.
  if (!x.is_empty() && x.reads_operands()) tell(told, own.form());
  return {run.event, told, 0, std::move(run.recomputed), {}, run.counters};
}

// C = beta · C, by whichever engine's kernels do it.
DeviceRun execute_scaling(const DevicePlan& plan, const DeviceProduct& x, opencl::QueueState& queue,
                          const std::vector<cl::Event>& wait_list) {
  const DeviceInfo& device = queue.context->info;
  GemmPlan told = plan.told;
  if (is_double_double(x.precision)) {
    direct::DevicePlan own = direct::plan_product(device, x, direct_accuracy(told.accuracy), told.fma);
    return {direct::execute(own, x, queue, wait_list).event, told, 0, {}};
  }
  native::DevicePlan own = native::plan_product(device, x, ComplexProduct::four);
  return {native::execute(own, x, queue, wait_list).event, told, 0, {}};
}

DeviceRun execute_modular(const DevicePlan& plan, const DeviceProduct& x, opencl::QueueState& queue,
                          std::vector<cl::Event> wait_list, int row_parts, const modular::PreparedOperands& prepared) {
  const GemmPlan& told = plan.told;
  modular::check_exact_scalars(told.accuracy, x.alpha, x.beta);
  const DeviceInfo& device = queue.context->info;
  prepared.each([&](modular::PreparedOperand& operand) { operand.begin(queue, wait_list); });
  opencl::Call call(queue, std::move(wait_list));
  modular::DeviceOutcome outcome =
      modular::execute(std::get<modular::DevicePlan>(plan.engine), x, call, row_parts, prepared);
  DeviceRun run;
  if (outcome.is_modular()) {
    run.plan = outcome.ran(told);
    run.recomputed = std::move(outcome.recomputed);
    run.parts = std::move(outcome.parts);
    run.event = call.finish();
  } else if (std::get<modular::DevicePlan>(plan.engine).is_tentative) {
    run.plan = told;
    run.is_done = false;
    run.event = call.finish();
  } else if (is_double_double(x.precision)) {
    const cl::Event first = call.first();
    call.finish();
    DevicePlan instead = plan_direct(device, shape_of(told), x, plan.options);
    run = execute_tiled(instead.told, std::get<direct::DevicePlan>(instead.engine), x, queue, {call.last()});
    run.event =
        Event(std::make_shared<opencl::EventState>(opencl::EventState{first, cl::Event(run.event.native(), true)}));
    run.plan = modular::ran_instead(run.plan, told, outcome.path);
  } else {
    modular::execute_plain(x, call);
    run.plan = modular::ran_instead(plain_plan(device, told, direct_accuracy(told.accuracy)), told, outcome.path);
    run.event = call.finish();
  }
  run.entries_direct = outcome.entries_direct;
  return run;
}

DevicePlan plan_asked_for(opencl::ContextState& context, const GemmShape& shape, const DeviceProduct& x,
                          const GemmOptions& options, SmallWorkspace small) {
  Engine engine = engine_asked_for(x.precision, Backend::opencl, shape, options);
  DeviceExpectation expected{0.0, 0.0};
  std::optional<modular::ByteUnit> unit;
  if (engine == Engine::automatic) {
    unit = usable_unit(context);
    if (unit) expected = expected_on_device(context.info, *unit, x.precision, shape, options);
    engine = unit ? expected.faster() : Engine::direct;
  } else if (engine == Engine::modular) {
    unit = modular::byte_unit(context);
  }
  DevicePlan plan = engine == Engine::direct ? plan_direct(context.info, shape, x, options)
                                             : plan_modular(context.info, *unit, shape, x, options, small);
  plan.told.seconds_direct = expected.seconds_direct;
  plan.told.seconds_modular = expected.seconds_modular;
  // The CPU's, and the caller's text may end before the plan does.
  plan.options.target = {};
  return plan;
}

}  // namespace

DevicePlan plan_product(opencl::ContextState& context, const GemmShape& shape, const DeviceProduct& x,
                        const GemmOptions& options) {
  return plan_asked_for(context, shape, x, options, SmallWorkspace::refused);
}

DevicePlan plan_routine_product(opencl::ContextState& context, const GemmShape& shape, const DeviceProduct& x,
                                const GemmOptions& options) {
  return plan_asked_for(context, shape, x, options, SmallWorkspace::raised);
}

DevicePlan plan_inner_product(opencl::ContextState& context, const GemmShape& shape, const DeviceProduct& x,
                              const GemmOptions& options) {
  const bool is_open = options.engine == Engine::automatic && !modular::is_modular_only(options.accuracy);
  if (!is_open || !is_double_double(x.precision)) return plan_routine_product(context, shape, x, options);
  const std::optional<modular::ByteUnit> unit = usable_unit(context);
  if (!unit || expected_inside(context.info, *unit, x.precision, shape).faster() == Engine::direct) {
    return plan_direct(context.info, shape, x, options);
  }
  GemmOptions normwise = options;
  normwise.accuracy = Accuracy::normwise;
  DevicePlan plan = plan_modular(context.info, *unit, shape, x, normwise, SmallWorkspace::raised);
  std::get<modular::DevicePlan>(plan.engine).is_unwatched = true;
  plan.options.target = {};
  return plan;
}

DevicePlan plan_part(opencl::ContextState& context, const DevicePlan& whole, const DeviceProduct& x,
                     const GemmOptions& options) {
  const GemmShape shape = shape_of_views(lines_of(x.a), lines_of(x.b), lines_of(x.c), element_bytes(x.precision));
  GemmOptions of_part = options;
  of_part.engine = whole.told.engine;
  of_part.accuracy = whole.told.accuracy;
  if (options.fma == Fma::automatic) of_part.fma = whole.told.fma ? Fma::on : Fma::off;
  DevicePlan plan = plan_routine_product(context, shape, x, of_part);
  if (const auto* own = std::get_if<modular::DevicePlan>(&whole.engine)) {
    std::get<modular::DevicePlan>(plan.engine).is_unwatched = own->is_unwatched;
  }
  return plan;
}

DeviceRun execute(DevicePlan& plan, const DeviceProduct& x, opencl::QueueState& queue,
                  const std::vector<cl::Event>& wait_list, int row_parts, const modular::PreparedOperands& prepared) {
  return opencl::guarded("computing a product", [&]() -> DeviceRun {
    if (auto* own = std::get_if<direct::DevicePlan>(&plan.engine)) {
      return execute_tiled(plan.told, *own, x, queue, wait_list);
    }
    if (auto* own = std::get_if<native::DevicePlan>(&plan.engine)) {
      return execute_tiled(plan.told, *own, x, queue, wait_list);
    }
    if (!x.reads_operands()) return execute_scaling(plan, x, queue, wait_list);
    return execute_modular(plan, x, queue, wait_list, row_parts, prepared);
  });
}

bool takes_triangle(opencl::ContextState& context, const DevicePlan& plan) {
  if (const auto* own = std::get_if<native::DevicePlan>(&plan.engine)) return !own->is_three_products;
  const auto* own = std::get_if<modular::DevicePlan>(&plan.engine);
  if (!own) return true;
  // What the modular engine gives up in D and Z takes all of C.
  return is_double_double(plan.told.precision) && modular::multiplies(context, own->unit, modular::BytePart::triangle);
}

}  // namespace hilo
