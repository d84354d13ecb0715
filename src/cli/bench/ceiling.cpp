#include "cli/bench/ceiling.hpp"

#include <algorithm>

#include "host/team.hpp"
#include "tune/rates.hpp"

namespace hilo::cli {
namespace {

constexpr int rounds = 3;                   // the least of each rate counts: others may use the machine, too
constexpr int most_runs = 3;                // of a product that is measured for its rate alone
constexpr double seconds_of_product = 0.1;  // the same, at least

// That the product may be one that rates tell of.
bool may_have_ceiling(const BenchCase& what) {
  const bool may_be_modular = what.options.engine != Engine::direct;
  return is_product(what.routine) && what.place.backend == Backend::cpu &&
         (is_double_double(what.precision) || (may_be_modular && !is_single(what.precision)));
}

}  // namespace

CpuCeilings::CpuCeilings(const std::vector<BenchCase>& cases) {
  const auto found = std::find_if(cases.begin(), cases.end(), may_have_ceiling);
  if (found == cases.end()) return;
  for (int i = 0; i < rounds; ++i) {
    const model::CpuRates now = tune::measure_rates(found->options);
    if (!rates_) rates_ = now;
    for (double model::CpuRates::*rate :
         {&model::CpuRates::direct_step, &model::CpuRates::direct_step_fast, &model::CpuRates::byte_product}) {
      (*rates_).*rate = std::min((*rates_).*rate, now.*rate);
    }
  }
}

std::optional<Ceiling> CpuCeilings::of(const BenchCase& what, const GemmPlan& plan) const {
  if (!rates_ || plan.backend != Backend::cpu) return {};
  const int threads = what.options.threads > 0 ? what.options.threads : host::default_threads();
  const double giga = 1e-9 * threads;
  if (plan.engine == Engine::modular) {
    // Three products of real numbers for a complex one, which counts as four.
    const double worth = is_complex(what.precision) ? 8.0 / 3.0 : 2.0;
    return Ceiling{giga * worth / (plan.moduli * rates_->byte_product), "products of bytes"};
  }
  if (!is_double_double(what.precision)) return {};
  const double step = plan.accuracy == Accuracy::fast ? rates_->direct_step_fast : rates_->direct_step;
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
