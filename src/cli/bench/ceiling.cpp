#include "cli/bench/ceiling.hpp"

#include <algorithm>

#include "host/processors.hpp"
#include "model/byte_planes.hpp"
#include "tune/rates.hpp"
#include "tune/register_rate.hpp"

namespace hilo::cli {
namespace {

constexpr int rounds = 3;                   // the best of each rate counts: others may use the machine, too
constexpr int most_runs = 3;                // of a product that is measured for its rate alone
constexpr double seconds_of_product = 0.1;  // the same, at least

bool is_product_on_cpu(const BenchCase& what) { return is_product(what.routine) && what.place.backend == Backend::cpu; }

// That the product may be the BLAS's.
bool may_be_native(const BenchCase& what) {
  return is_product_on_cpu(what) && !is_double_double(what.precision) && what.options.engine != Engine::modular;
}

// That rates of hilo's own engines may tell of it.
bool may_be_of_an_engine(const BenchCase& what) {
  const bool may_be_modular = what.options.engine != Engine::direct && !is_single(what.precision);
  return is_product_on_cpu(what) && (is_double_double(what.precision) || may_be_modular);
}

// Reproducible products have one, whatever is asked for.
Fma fma_of(const GemmOptions& options) { return options.engine == Engine::reproducible ? Fma::on : options.fma; }

}  // namespace

CpuCeilings::CpuCeilings(const std::vector<BenchCase>& cases) {
  for (const BenchCase& what : cases) {
    double& rate = is_single(what.precision) ? multiply_adds_s_ : multiply_adds_d_;
    if (rate > 0.0 || !may_be_native(what)) continue;
    for (int i = 0; i < rounds; ++i) rate = std::max(rate, tune::multiply_add_rate(what.precision));
  }
  for (const BenchCase& what : cases) {
    if (!may_be_of_an_engine(what) || rates_.contains(fma_of(what.options))) continue;
    GemmOptions options = what.options;
    options.fma = fma_of(options);
    model::CpuRates& best = rates_[options.fma] = tune::measure_rates(options);
    for (int i = 1; i < rounds; ++i) {
      const model::CpuRates now = tune::measure_rates(options);
      for (double model::CpuRates::*rate :
           {&model::CpuRates::direct_step, &model::CpuRates::direct_step_fast, &model::CpuRates::byte_product}) {
        best.*rate = std::min(best.*rate, now.*rate);
      }
    }
  }
}

std::optional<Ceiling> CpuCeilings::of(const BenchCase& what, const GemmPlan& plan) const {
  if (plan.backend != Backend::cpu) return {};
  const int threads = host::running_threads(plan.threads);
  const auto rates = rates_.find(fma_of(what.options));
  const double giga = 1e-9 * threads;
  if (plan.engine == Engine::modular) {
    if (rates == rates_.end() || plan.moduli == 0) return {};
    const bool is_of_parts = is_complex(what.precision);
    const double flops = is_of_parts ? 8.0 : 2.0, planes = model::byte_planes(is_of_parts, plan.moduli);
    return Ceiling{giga * flops / (planes * rates->second.byte_product), "products of bytes"};
  }
  if (!is_double_double(what.precision)) {
    return Ceiling{threads * (is_single(what.precision) ? multiply_adds_s_ : multiply_adds_d_), "multiply-adds"};
  }
  if (rates == rates_.end()) return {};
  const double step = plan.accuracy == Accuracy::fast ? rates->second.direct_step_fast : rates->second.direct_step;
  return Ceiling{giga * 2.0 / step, "steps of the direct engine"};
}

BenchCase product_of(const BenchCase& what) {
  BenchCase product = what;
  product.routine = Routine::gemm;
  product.opa = product.opb = Op::none;
  product.repeat = std::min(what.repeat, most_runs);
  product.least_seconds = std::min(what.least_seconds, seconds_of_product);
  if (what.routine == Routine::solve) product.n = what.m;  // not of its right-hand sides
  return product;
}

}  // namespace hilo::cli
