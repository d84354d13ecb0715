#include "gemm/plan.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "gemm/direct/reference.hpp"
#include "gemm/modular/guarantee.hpp"

namespace hilo {
namespace {

// The same for a shape on every machine.
Engine reproducible_engine(const GemmShape& shape) {
  constexpr std::int64_t least = 256;
  return std::min({shape.m, shape.n, shape.k}) >= least ? Engine::modular : Engine::direct;
}

// What the steps of one chunk lose, in u² of |A||B|. Theorems 1 and 4.
double chunk_bound(double steps, Accuracy accuracy, bool is_complex, bool fma) {
  if (accuracy == Accuracy::classic) {
    return fma ? 5.0 * steps + (is_complex ? 22.0 : 10.0) : 6.0 * steps + (is_complex ? 18.0 : 7.0);
  }
  return fma ? 9.5 * steps + (is_complex ? 80.0 : 44.0) : 12.0 * steps + (is_complex ? 73.0 : 35.0);
}

// In S, D, C and Z, summed in any order, in units of (|alpha||A||B| + |beta||C|): docs/error-bounds.md, 2.8. With
// |x||y| >= |Re x||Re y| + |Im x||Im y|, and the same crosswise, each part of a complex entry is within 2 sums of k
// terms, and both parts together within 2√2 k; of three real products √10 k.
double native_error_bound(Precision precision, std::int64_t k, ComplexProduct complex_product) {
  const auto terms = static_cast<double>(k);
  if (is_complex(precision)) {
    return (complex_product == ComplexProduct::three ? 4.0 : 3.0) * (terms + 4.0);
  }
  // What roundings of roundings add to so many terms.
  const bool is_long = precision == Precision::s && terms > 0x1p23;
  return terms + 4.0 + (is_long ? 0x1p-22 * terms : 0.0);
}

}  // namespace

Engine engine_asked_for(Precision precision, Backend backend, const GemmShape& shape, const GemmOptions& options) {
  const bool wants_modular = options.engine == Engine::modular || modular::is_modular_only(options.accuracy);
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

double direct_error_bound_u2(std::int64_t k, Accuracy accuracy, bool is_complex, bool fma) {
  double steps = static_cast<double>(std::max<std::int64_t>(k, 0)) * (is_complex ? 2.0 : 1.0);
  constexpr auto chunk = static_cast<double>(direct::chunk_steps);
  double sum = steps > 0.0 ? chunk_bound(std::min(steps, chunk), accuracy, is_complex, fma) : 0.0;
  if (steps > chunk) {
    auto parts = [steps](double length) { return std::ceil(steps / length); };
    // Theorem 2: the accurate additions on a term's way; the first of each kind adds to zero, exactly.
    double additions =
        std::min(parts(direct::chunk_steps), static_cast<double>(direct::superchunk_steps / direct::chunk_steps)) +
        parts(direct::superchunk_steps) - 2.0;
    sum += 3.0 * additions;
  }
  // Theorems 3 and 4: alpha and beta; the last unit is for the terms of higher order.
  return sum + (is_complex ? 16.0 : 9.0);
}

double direct_error_bound(const GemmPlan& told) {
  if (!is_double_double(told.precision)) return native_error_bound(told.precision, told.k, told.complex_product);
  return direct_error_bound_u2(told.k, told.accuracy, is_complex(told.precision), told.fma);
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
