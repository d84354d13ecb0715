#include "gemm/plan.hpp"

#include <algorithm>
#include <string>

#include "gemm/modular/guarantee.hpp"

namespace hilo {
namespace {

// The same for a shape on every machine.
Engine reproducible_engine(const GemmShape& shape) {
  constexpr std::int64_t least = 256;
  return std::min({shape.m, shape.n, shape.k}) >= least ? Engine::modular : Engine::direct;
}

}  // namespace

Engine engine_asked_for(Precision precision, Backend backend, const GemmShape& shape, const GemmOptions& options) {
  const bool wants_modular = options.engine == Engine::modular || modular::is_needed(options.accuracy);
  const auto refuse = [](const std::string& why) { throw error(errc::unsupported, "gemm: " + why); };
  if (options.engine == Engine::direct && wants_modular) {
    refuse("accuracy " + std::string(name(options.accuracy)) + " is not one of engine direct's");
  }
  if (!has_modular_engine(precision)) {
    const std::string which = "precision " + std::string(name(precision));
    // A BLAS library is taken for `reproducible` too, though its bits are its own.
    if (backend == Backend::opencl && (wants_modular || options.engine == Engine::reproducible)) {
      refuse(which + " has engine direct alone");
    }
    if (wants_modular) {
      refuse(which + " has no modular engine, nor the accuracies that take it; d, z, dd and zdd have");
    }
    return Engine::direct;
  }
  if (wants_modular) return Engine::modular;
  if (options.engine == Engine::reproducible) {
    return is_double_double(precision) ? reproducible_engine(shape) : Engine::modular;
  }
  // In D and Z a BLAS library, where `automatic` may be the other engine on a device.
  const bool is_decided = backend == Backend::cpu && !is_double_double(precision);
  return is_decided ? Engine::direct : options.engine;
}

GemmPlan plan_of(Precision precision, const GemmShape& shape, std::int64_t batch, Backend backend, Accuracy accuracy) {
  GemmPlan plan{};
  plan.precision = precision;
  plan.layout = shape.layout;
  plan.opa = shape.opa;
  plan.opb = shape.opb;
  plan.m = shape.m;
  plan.n = shape.n;
  plan.k = shape.k;
  plan.batch = batch;
  plan.engine = Engine::direct;
  plan.accuracy = accuracy;
  plan.backend = backend;
  return plan;
}

GemmShape shape_of(const GemmPlan& told) {
  return packed_shape(told.layout, told.opa, told.opb, told.m, told.n, told.k, element_bytes(told.precision));
}

void add_to_report(GemmReport& report, const GemmPlan& ran, bool is_first) {
  GemmPlan& plan = report.plan;
  double bound = std::max(is_first ? 0.0 : plan.error_bound_u2, ran.error_bound_u2);
  bool says_more = is_first || ran.path > plan.path || (ran.path == plan.path && ran.moduli > plan.moduli);
  if (says_more) plan = ran;
  plan.error_bound_u2 = bound;
}

}  // namespace hilo
