#include "gemm/modular/guarantee.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "gemm/modular/moduli.hpp"
#include "matrix/arguments.hpp"

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
  const double kappa = std::ldexp(1.0, log2_kappa);
  double beyond = 0.0;
  if (accuracy == Accuracy::normwise) {
    bits -= (63 - std::countl_zero(static_cast<std::uint64_t>(std::max<std::int64_t>(k, 1)))) / 2;
    const double first_order = kappa * static_cast<double>(k);
    beyond = std::max(std::ldexp(first_order * first_order, -unit_bits - 2) - 0.5, 0.0);
  }
  return {kappa, bits, beyond};
}

namespace {

double bound_of_rounding(int words, bool is_complex) {
  return words == 2 ? (is_complex ? 16.0 : 12.0) : (is_complex ? 5.0 : 4.0);
}

}  // namespace

double error_bound(const Guarantee& g, std::int64_t k, int words, bool is_complex, double excess_bits) {
  return g.kappa * std::exp2(excess_bits) * static_cast<double>(k) + g.beyond + bound_of_rounding(words, is_complex);
}

double sum_test_bound(const Guarantee& g, std::int64_t k, int words, bool is_complex) {
  return g.kappa * 0.5 * std::sqrt(static_cast<double>(k)) + bound_of_rounding(words, is_complex);
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
  int words = precisions::words(plan.precision);
  bool complex = is_complex(plan.precision);
  std::int64_t k = std::max<std::int64_t>(plan.k, 1);
  Guarantee g = guarantee(plan.accuracy, k, words, complex);
  plan.measure = plan.accuracy == Accuracy::normwise ? Measure::normwise : Measure::componentwise;
  const bool is_given = plan.accuracy == Accuracy::bits;
  const ModuliAndBits usual = is_given ? ModuliAndBits{least_moduli(k, complex, 2 * options.bits), options.bits}
                                       : usual_moduli(g, plan.accuracy, k, complex);
  plan.moduli = usual.moduli;
  plan.bits = usual.bits;
  if (is_given && plan.moduli == 0) reject_bits(options.bits, k, complex);
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
      plan.error_bound_u2 = has_sum_test(plan.accuracy, k) ? sum_test_bound(g, k, words, complex)
                                                           : error_bound(g, plan.k, words, complex);
  }
}

double plain_sum_bound(std::int64_t k, bool is_complex) {
  return (is_complex ? 2.0 : 1.0) * (static_cast<double>(k) + 4.0);
}

std::int64_t most_unscalable(Accuracy accuracy, std::int64_t entries) {
  return is_modular_only(accuracy) ? entries - 1 : entries / 256;
}

std::int64_t most_wide(Accuracy accuracy, std::int64_t entries) {
  return is_modular_only(accuracy) ? 0 : entries / 1024;
}

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

bool has_sum_test(Accuracy accuracy, std::int64_t k) {
  constexpr std::int64_t least_terms = 64, most_terms = 65536;
  const bool applies = accuracy == Accuracy::classic || accuracy == Accuracy::fast || accuracy == Accuracy::tight;
  return applies && k >= least_terms && k <= most_terms;
}

// Not a power of two, the product of two of which would take a bit more than moduli hold by a few hundredths of one.
int longest_norm(std::int64_t k) { return 31 << (norm_unit - 5 + (ceil_log2(k) + 1) / 2); }

ModuliAndBits settle_by_sums(const Guarantee& g, const SumTestFigures& figures, std::int64_t k, bool is_complex) {
  // Beyond so many more the spread test may need fewer.
  constexpr int most_above = 2;
  // Where all is zero nothing is asked for.
  const auto least = std::max<std::int64_t>(g.bits - 1 + figures.asked, g.bits - ceil_log2(k));
  if (least > most_bits) return {};
  const std::int64_t terms = (figures.norm[0] * figures.norm[1] >> 2 * norm_unit) + 1;
  const int count = least_moduli(terms, is_complex, 2 * static_cast<int>(least));
  if (count == 0 || count > moduli_without_spread(g, k, is_complex) + most_above) return {};
  const int bits = largest_bits(count, terms, is_complex);
  if (bits + std::max(figures.shift[0], figures.shift[1]) > most_bits) return {};
  return {count, bits};
}

namespace {

// What the sum test finds of elements (complex: parts) between -1 and 1, all alike likely, of k terms, before lines are
// shifted: norms of lines, and the least entry of |A||B|.
struct UsualSums {
  double shortest, of_least_entry, longest, least_entry;
};

UsualSums usual_sums(std::int64_t k, bool is_complex) {
  // Means of |x| and x², or of the larger part of each element, and their standard deviations.
  struct Distribution {
    double mean, deviation, mean_square, deviation_of_square;
  };
  const Distribution x = is_complex ? Distribution{2.0 / 3.0, std::sqrt(1.0 / 18.0), 0.5, std::sqrt(1.0 / 12.0)}
                                    : Distribution{0.5, std::sqrt(1.0 / 12.0), 1.0 / 3.0, std::sqrt(4.0 / 45.0)};
  // Of many lines the shortest and the longest are about so many standard deviations away, and so are the sums of the
  // two of the least entry, whose norms are half as far. Rounding to five bits makes what goes up 1/32 larger, on
  // average, and what goes down smaller; of an entry four bits are left.
  constexpr double deviations = 4.0, rounding = 1.0 / 32.0;
  const double terms = static_cast<double>(k), away = deviations * std::sqrt(terms);
  const auto norm = [&](double part) {
    return std::ldexp((1.0 + rounding) * std::sqrt(terms * x.mean_square + part * away * x.deviation_of_square),
                      norm_unit);
  };
  int exponent = 0;
  const double entry =
      std::frexp((1.0 - 2.0 * rounding) * x.mean * (terms * x.mean - 2.0 * away * x.deviation), &exponent);
  return {norm(-1.0), norm(-0.5), norm(1.0), std::ldexp(std::floor(16.0 * entry), exponent + 10 - 4)};
}

}  // namespace

ModuliAndBits usual_moduli(const Guarantee& g, Accuracy accuracy, std::int64_t k, bool is_complex) {
  if (has_sum_test(accuracy, k)) {
    const UsualSums sums = usual_sums(k, is_complex);
    const double limit = longest_norm(k);
    const auto shift_of = [&](double norm) {
      return std::max(static_cast<int>(std::floor(std::log2(limit / norm))), 0);
    };
    const int shift = shift_of(sums.longest), most = shift_of(sums.shortest);
    // Where norms lie on both sides of a power of two of the limit, some are shifted to just below it.
    const double longest = most > shift ? limit : std::ldexp(sums.longest, shift);
    const auto asked = static_cast<std::int64_t>(
        std::ceil(std::log2(std::ldexp(sums.of_least_entry / (2.0 * sums.least_entry), -shift))));
    const auto whole = static_cast<std::int64_t>(longest);
    const ModuliAndBits found = settle_by_sums(g, {asked, {whole, whole}, {most, most}}, k, is_complex);
    return {found.moduli, found.bits + most};
  }
  const int count = moduli_without_spread(g, k, is_complex);
  return {count, count ? largest_bits(count, k, is_complex) : g.bits};
}

}  // namespace hilo::modular
