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

int moduli_without_spread(const Guarantee& g, std::int64_t k, bool is_complex) {
  return least_moduli(k, is_complex, 2 * g.bits);
}

}  // namespace hilo::modular
