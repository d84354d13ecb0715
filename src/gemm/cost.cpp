#include "gemm/cost.hpp"

#include <algorithm>

#include "gemm/modular/cpu/bytes.hpp"
#include "gemm/modular/guarantee.hpp"
#include "gemm/modular/moduli.hpp"
#include "gemm/rate_table.hpp"

namespace hilo {

static_assert(model::most_byte_depth == modular::max_byte_depth);

int expected_moduli(Precision precision, Accuracy accuracy, std::int64_t k) {
  const bool complex = is_complex(precision);
  return modular::usual_moduli(modular::guarantee(accuracy, k, words(precision), complex), accuracy, k, complex).moduli;
}

int inner_moduli(Precision precision, std::int64_t k) {
  const bool complex = is_complex(precision);
  return modular::moduli_without_spread(modular::guarantee(Accuracy::normwise, k, words(precision), complex), k,
                                        complex);
}

std::int64_t crossover(const model::CpuRates& rates, Precision precision, Accuracy accuracy) {
  // Of whole tiles: what others are padded by makes the direct engine slower for some of them.
  constexpr std::int64_t tile = 16;
  for (std::int64_t n = 64; n <= 65536; n += std::max(n / 64 / tile * tile, tile)) {
    const model::ProductSize size{precision, n, n, n};
    if (!model::may_be_modular(size)) continue;
    const int moduli = expected_moduli(precision, accuracy, n);
    if (model::modular_seconds(rates, size, moduli) < model::direct_seconds(rates, size, accuracy)) return n;
  }
  return 0;
}

Expectation expected_seconds(Precision precision, const GemmShape& s, const GemmOptions& options) {
  const model::ProductSize size{precision, s.m, s.n, s.k};
  if (!model::may_be_modular(size)) return {0.0, 0.0};
  const model::CpuRates rates = rates_for(options).rates;
  return {model::direct_seconds(rates, size, options.accuracy),
          model::modular_seconds(rates, size, expected_moduli(precision, options.accuracy, s.k))};
}

namespace {

// Of a square that only a triangle is wanted of about half.
model::ProductSize inner_size(Precision precision, const GemmShape& s, bool is_triangle) {
  const double beside = is_triangle ? static_cast<double>(std::min(s.m, s.n)) / 2.0 : 0.0;
  return {precision, s.m, s.n, s.k, 1.0 - beside / static_cast<double>(std::max<std::int64_t>({s.m, s.n, 1}))};
}

Expectation expected_inside(model::CpuRates rates, const model::ProductSize& size, Accuracy accuracy) {
  // Of all that a scan does the largest of a line is left, and beside it what takes operands and residues through
  // memory: about half of it.
  rates.scan *= 0.5;
  return {model::direct_seconds(rates, size, accuracy),
          model::modular_seconds(rates, size, inner_moduli(size.precision, size.k))};
}

}  // namespace

Expectation expected_inside(Precision precision, const GemmShape& s, const GemmOptions& options, bool is_triangle) {
  const model::ProductSize size = inner_size(precision, s, is_triangle);
  if (!model::may_be_modular(size)) return {0.0, 0.0};
  return expected_inside(rates_for(options).rates, size, options.accuracy);
}

double inner_seconds(const model::CpuRates& rates, Precision precision, const GemmShape& s, const GemmOptions& options,
                     bool is_triangle) {
  const model::ProductSize size = inner_size(precision, s, is_triangle);
  if (options.engine == Engine::direct || !model::may_be_modular(size)) {
    return model::direct_seconds(rates, size, options.accuracy);
  }
  const Expectation e = expected_inside(rates, size, options.accuracy);
  return options.engine == Engine::modular ? e.seconds_modular : std::min(e.seconds_direct, e.seconds_modular);
}

int most_moduli_worthwhile(Precision precision, const GemmShape& s, const GemmOptions& options) {
  const model::ProductSize size{precision, s.m, s.n, s.k};
  const model::CpuRates rates = rates_for(options).rates;
  const double direct = model::direct_seconds(rates, size, options.accuracy);
  int most = modular::max_moduli;
  while (most > 0 && model::modular_seconds(rates, size, most) > direct) --most;
  return most;
}

}  // namespace hilo
