#include "gemm/device_product.hpp"

#include <optional>

#include "gemm/device_cost.hpp"
#include "gemm/modular/exact_scalars.hpp"
#include "gemm/modular/guarantee.hpp"
#include "gemm/modular/moduli.hpp"
#include "gemm/modular/opencl/product.hpp"
#include "gemm/modular/opencl/units.hpp"
#include "gemm/native/error_bound.hpp"
#include "gemm/native/opencl/product.hpp"
#include "gemm/plan.hpp"

namespace hilo {
namespace {

template <class T>
dd_complex as_complex(const T& x) {
  if constexpr (double_double<T>) {
    return dd_complex(x);
  } else {
    return dd_complex(dd_real(std::real(x)), dd_real(std::imag(x)));
  }
}

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

void set_form(GemmPlan& plan, const tile::Form& form) {
  plan.micro_rows = form.micro_rows;
  plan.micro_columns = form.micro_columns;
  plan.tile_rows = form.tile_rows;
  plan.tile_columns = form.tile_columns;
  plan.depth = form.depth;
  plan.workspace_bytes = form.workspace_bytes;
}

GemmPlan direct_plan(const DeviceInfo& device, Precision precision, const GemmShape& s, std::int64_t batch,
                     const GemmOptions& options) {
  const Accuracy accuracy = modular::is_needed(options.accuracy) ? Accuracy::classic : options.accuracy;
  GemmPlan plan = plan_of(precision, s, batch, Backend::opencl, accuracy);
  device.name.copy(plan.unit, sizeof plan.unit - 1);
  const bool is_empty = s.m == 0 || s.n == 0 || s.k == 0;
  if (is_double_double(precision)) {
    direct::OpenclProduct product{};
    product.is_complex = is_complex(precision);
    product.m = s.m;
    product.n = s.n;
    product.k = s.k;
    if (!is_empty) set_form(plan, planned_form(device, product));
    plan.fma = uses_fma(options, device);
    plan.error_bound_u2 = direct_error_bound_u2(s.k, accuracy, product.is_complex, plan.fma);
  } else {
    if (is_complex(precision)) plan.complex_product = options.complex_product;
    native::NativeProduct product{precision,
                                  s.m,
                                  s.n,
                                  s.k,
                                  1.0,
                                  0.0,
                                  device_matrix(s.layout, s.opa, {}, 0, s.lda),
                                  device_matrix(s.layout, s.opb, {}, 0, s.ldb),
                                  device_matrix(s.layout, Op::none, {}, 0, s.ldc)};
    product.is_three_products = plan.complex_product == ComplexProduct::three;
    if (!is_empty) set_form(plan, planned_form(device, product));
    plan.error_bound_u2 = native::error_bound(precision, s.k, plan.complex_product);
  }
  return plan;
}

// The plan as it ran: a table's tile may have given way to the default.
GemmPlan as_it_ran(GemmPlan plan, const tile::Run& run) {
  if (run.form) set_form(plan, *run.form);
  return plan;
}

// Of a whole product in D and Z that the modular engine gives up.
GemmPlan plain_plan(const DeviceInfo& device, Precision precision, const GemmShape& s, std::int64_t batch,
                    const GemmOptions& options) {
  GemmPlan plan = plan_of(precision, s, batch, Backend::opencl,
                          modular::is_needed(options.accuracy) ? Accuracy::classic : options.accuracy);
  std::string unit = device.name.substr(0, sizeof plan.unit - 16) + ", plain sums";
  unit.copy(plan.unit, sizeof plan.unit - 1);
  plan.error_bound_u2 = native::error_bound(precision, s.k, ComplexProduct::four);
  return plan;
}

template <class T>
DeviceRun enqueue_direct(opencl::QueueState& queue, const GemmPlan& plan, const DeviceProduct<T>& x,
                         const std::vector<cl::Event>& wait_list) {
  const direct::OpenclProduct product{std::same_as<T, dd_complex>,
                                      plan.m,
                                      plan.n,
                                      plan.k,
                                      as_complex(x.alpha),
                                      as_complex(x.beta),
                                      x.a,
                                      x.b,
                                      x.c,
                                      plan.accuracy,
                                      plan.fma};
  tile::Run run = direct::enqueue(queue, product, wait_list);
  return {run.event, as_it_ran(plan, run), 0, std::move(run.recomputed), {}, run.counters};
}

template <class T>
DeviceRun enqueue_native(opencl::QueueState& queue, const GemmPlan& plan, const DeviceProduct<T>& x,
                         const std::vector<cl::Event>& wait_list) {
  const native::NativeProduct product{plan.precision,
                                      plan.m,
                                      plan.n,
                                      plan.k,
                                      std::complex<double>(x.alpha),
                                      std::complex<double>(x.beta),
                                      x.a,
                                      x.b,
                                      x.c,
                                      x.batch.count,
                                      x.batch.stride_a,
                                      x.batch.stride_b,
                                      x.batch.stride_c,
                                      plan.complex_product == ComplexProduct::three};
  const tile::Run run = native::enqueue_native(queue, product, wait_list);
  return {run.event, as_it_ran(plan, run), 0, {}};
}

template <class T>
DeviceRun enqueue_modular(opencl::QueueState& queue, const GemmPlan& plan, const GemmShape& shape,
                          const GemmOptions& options, const DeviceProduct<T>& x,
                          const std::vector<cl::Event>& wait_list, int row_parts) {
  modular::check_exact_scalars(plan.accuracy, x.alpha, x.beta);
  const DeviceInfo& device = queue.context->info;
  modular::OpenclProduct p{precision_of<T>,
                           plan.m,
                           plan.n,
                           plan.k,
                           as_complex(x.alpha),
                           as_complex(x.beta),
                           x.a,
                           x.b,
                           x.c,
                           plan.accuracy,
                           options.bits,
                           uses_fma(options, device),
                           modular::max_moduli,
                           options.workspace_bytes,
                           options.depth,
                           row_parts};
  if constexpr (double_double<T>) {
    if (options.engine == Engine::automatic && !modular::is_needed(options.accuracy)) {
      p.most_moduli = most_moduli_on_device(device, modular::byte_unit(*queue.context), p.precision, shape, options);
    }
  }
  opencl::Sequence sequence(queue, wait_list);
  modular::OpenclOutcome outcome = modular::enqueue(queue, sequence, p);
  DeviceRun run;
  if (outcome.is_modular()) {
    run.plan = outcome.ran(plan);
    run.recomputed = std::move(outcome.recomputed);
    run.parts = std::move(outcome.parts);
    run.event = sequence.finish();
  } else if constexpr (double_double<T>) {
    const cl::Event first = sequence.first();
    GemmPlan instead = direct_plan(device, plan.precision, shape, plan.batch, options);
    run = enqueue_direct(queue, instead, x, {sequence.last()});
    run.event =
        Event(std::make_shared<opencl::EventState>(opencl::EventState{first, cl::Event(run.event.native(), true)}));
    run.plan = modular::ran_instead(run.plan, plan, outcome.path);
  } else {
    modular::enqueue_plain(queue, sequence, p);
    run.plan = modular::ran_instead(plain_plan(device, plan.precision, shape, plan.batch, options), plan, outcome.path);
    run.event = sequence.finish();
  }
  run.entries_direct = outcome.entries_direct;
  return run;
}

}  // namespace

tile::OpenclMatrix device_matrix(Layout layout, Op op, cl::Buffer buffer, std::int64_t offset, std::int64_t leading) {
  auto v = view<const dd_real>(layout, op, nullptr, 0, 0, leading);
  return {std::move(buffer), offset, v.row_stride, v.column_stride, v.conjugate};
}

template <gemm_scalar T>
GemmPlan device_plan(opencl::ContextState& context, const GemmShape& shape, std::int64_t batch,
                     const GemmOptions& options) {
  Engine engine = engine_asked_for(precision_of<T>, Backend::opencl, shape, options);
  DeviceExpectation expected{0.0, 0.0};
  if (engine == Engine::automatic) {
    engine = Engine::direct;
    if (auto unit = usable_unit(context)) {
      expected = expected_on_device(context.info, *unit, precision_of<T>, shape, options);
      engine = expected.faster();
    }
  }
  GemmPlan plan;
  if (engine == Engine::direct) {
    plan = direct_plan(context.info, precision_of<T>, shape, batch, options);
  } else {
    plan = plan_of(precision_of<T>, shape, batch, Backend::opencl, options.accuracy);
    plan.fma = uses_fma(options, context.info);
    modular::plan_opencl(plan, context, options);
  }
  plan.seconds_direct = expected.seconds_direct;
  plan.seconds_modular = expected.seconds_modular;
  return plan;
}

template <gemm_scalar T>
DeviceRun enqueue_product(opencl::QueueState& queue, const GemmPlan& plan, const GemmShape& shape,
                          const GemmOptions& options, const DeviceProduct<T>& x,
                          const std::vector<cl::Event>& wait_list, int row_parts) {
  return opencl::guarded("computing a product", [&]() -> DeviceRun {
    const bool reads = shape.k > 0 && !(x.alpha == T(0));
    if constexpr (has_modular_engine(precision_of<T>)) {
      if (plan.engine == Engine::modular && reads) {
        return enqueue_modular(queue, plan, shape, options, x, wait_list, row_parts);
      }
    }
    if constexpr (double_double<T>) {
      GemmPlan direct = plan;
      if (modular::is_needed(plan.accuracy)) direct.accuracy = Accuracy::classic;
      DeviceRun run = enqueue_direct(queue, direct, x, wait_list);
      run.plan.accuracy = plan.accuracy;
      return run;
    } else {
      return enqueue_native(queue, plan, x, wait_list);
    }
  });
}

template <gemm_scalar T>
DeviceRun enqueue_batch(opencl::QueueState& queue, const GemmPlan& plan, const DeviceProduct<T>& x,
                        const std::vector<cl::Event>& wait_list) {
  if constexpr (double_double<T>) {
    return {};
  } else {
    return enqueue_native(queue, plan, x, wait_list);
  }
}

#define HILO_INSTANTIATE(T)                                                                                         \
  template GemmPlan device_plan<T>(opencl::ContextState&, const GemmShape&, std::int64_t, const GemmOptions&);      \
  template DeviceRun enqueue_product<T>(opencl::QueueState&, const GemmPlan&, const GemmShape&, const GemmOptions&, \
                                        const DeviceProduct<T>&, const std::vector<cl::Event>&, int);               \
  template DeviceRun enqueue_batch<T>(opencl::QueueState&, const GemmPlan&, const DeviceProduct<T>&,                \
                                      const std::vector<cl::Event>&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
