#include "gemm/modular/guarantee.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "gemm/modular/moduli.hpp"

namespace hilo::modular {

Guarantee guarantee(Accuracy accuracy, std::int64_t k, int words, bool is_complex) {
  bool is_double_double = words == 2;
  int unit_bits = is_double_double ? 106 : 53;
  // Half of what classic's bound allows; normwise needs it all.
  int log2_kappa = is_double_double ? 2 : -1;
  if (accuracy == Accuracy::fast) log2_kappa += 2;
  if (accuracy == Accuracy::tight) log2_kappa -= 2;
  if (accuracy == Accuracy::normwise) log2_kappa += 1;
  int bits = unit_bits - log2_kappa + (is_complex ? 2 : 1);
  if (accuracy == Accuracy::normwise) {
    bits -= (63 - std::countl_zero(static_cast<std::uint64_t>(std::max<std::int64_t>(k, 1)))) / 2;
  }
  return {std::ldexp(1.0, log2_kappa), bits};
}

double error_bound(const Guarantee& g, std::int64_t k, int words, bool is_complex, double excess_bits) {
  double rounding = words == 2 ? (is_complex ? 16.0 : 12.0) : (is_complex ? 5.0 : 4.0);
  return g.kappa * std::exp2(excess_bits) * static_cast<double>(k) + rounding;
}

double bound_of_bits(const Guarantee& g, int bits, int spread, std::int64_t k, int words, bool is_complex) {
  int missing = std::max(g.bits + spread - bits, 0);
  return error_bound(g, k, words, is_complex, missing) * (1.0 + std::ldexp(1.0, -bits - 1));
}

void reject_bits(int bits, std::int64_t k, bool is_complex) {
  throw error(errc::unsupported, "gemm: options.bits = " + std::to_string(bits) + " with k = " + std::to_string(k) +
                                     " is more than the moduli hold, which is " +
                                     std::to_string(largest_bits(max_moduli, k, is_complex)));
}

void plan_bits(GemmPlan& plan, const GemmOptions& options) {
  plan.engine = Engine::modular;
  plan.path = Path::modular;
  int words = plan.precision == Precision::dd || plan.precision == Precision::zdd ? 2 : 1;
  bool complex = (plan.precision == Precision::z || plan.precision == Precision::zdd);
  std::int64_t k = std::max<std::int64_t>(plan.k, 1);
  Guarantee g = guarantee(plan.accuracy, k, words, complex);
  plan.measure = plan.accuracy == Accuracy::normwise ? Measure::normwise : Measure::componentwise;
  int bits = plan.accuracy == Accuracy::bits ? options.bits : g.bits;
  plan.moduli = least_moduli(k, complex, 2 * bits);
  if (plan.accuracy == Accuracy::bits && plan.moduli == 0) reject_bits(options.bits, k, complex);
  plan.bits = plan.accuracy == Accuracy::bits || plan.moduli == 0 ? bits : largest_bits(plan.moduli, k, complex);
  bool has_esc = plan.accuracy != Accuracy::normwise && plan.accuracy != Accuracy::exact;
  plan.esc = has_esc ? std::max(plan.bits - g.bits, 0) : 0;
  switch (plan.accuracy) {
    case Accuracy::exact:
      plan.error_bound_u2 = 1.0;
      break;
    case Accuracy::bits:
      plan.error_bound_u2 = bound_of_bits(g, plan.bits, 0, plan.k, words, complex);
      break;
    default:
      plan.error_bound_u2 = error_bound(g, plan.k, words, complex);
  }
}

namespace {

// The accuracies that the direct engine has too.
bool falls_back(Accuracy a) { return a == Accuracy::classic || a == Accuracy::fast; }

}  // namespace

std::int64_t most_unscalable(Accuracy accuracy, std::int64_t entries) {
  return falls_back(accuracy) ? entries / 256 : entries - 1;
}

std::int64_t most_wide(Accuracy accuracy, std::int64_t entries) { return falls_back(accuracy) ? entries / 1024 : 0; }

void reject_spread(std::int64_t k, bool is_complex) {
  throw error(errc::unsupported,
              "gemm: accuracy tight cannot be met: the exponents of A and B spread more widely than " +
                  std::to_string(largest_bits(max_moduli, k, is_complex)) + " bits an entry, the most for k = " +
                  std::to_string(k) + ", can cover; classic accuracy takes the direct engine for them");
}

int moduli_for_exact(std::int64_t bits_of_a, std::int64_t bits_of_b, std::int64_t k, bool is_complex) {
  int count = 0;
  if (std::max(bits_of_a, bits_of_b) <= max_bits) {
    count = least_moduli(k, is_complex, static_cast<int>(bits_of_a + bits_of_b));
  }
  if (count) return count;
  std::int64_t of_sums = ceil_log2(k) + (is_complex ? 2 : 1);
  throw error(errc::unsupported, "gemm: the exact product takes " + std::to_string(bits_of_a + bits_of_b + of_sums) +
                                     " bits: " + std::to_string(bits_of_a) + " for the entries of A, " +
                                     std::to_string(bits_of_b) + " for those of B, and " + std::to_string(of_sums) +
                                     " for their sums; there are 341, and " + std::to_string(max_bits) +
                                     " for an entry");
}

std::int64_t ceil_log2(std::int64_t x) { return x <= 1 ? 0 : 64 - std::countl_zero(static_cast<std::uint64_t>(x - 1)); }

double even_sum(std::int64_t k) { return std::max(2.0, std::sqrt(static_cast<double>(k)) / 4.0); }

int uneven_bits(std::int64_t k) { return static_cast<int>((ceil_log2(k) + 1) / 2); }

int moduli_without_spread(const Guarantee& g, std::int64_t k, bool is_complex) {
  return least_moduli(k, is_complex, 2 * g.bits);
}

}  // namespace hilo::modular
