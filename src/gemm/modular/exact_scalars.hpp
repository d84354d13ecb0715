// What alpha and beta may be for the exact product.
#pragma once

#include <cmath>
#include <complex>
#include <hilo/gemm.hpp>
#include <string>

namespace hilo::modular {

inline double leading_word(double x) { return x; }
inline double leading_word(const std::complex<double>& x) { return x.real(); }
inline double leading_word(const dd_real& x) { return x.hi; }
inline double leading_word(const dd_complex& x) { return x.re.hi; }

template <class T>
bool is_power_of_two(const T& x) {
  double word = leading_word(x);
  int exponent;
  return std::isfinite(word) && std::fabs(std::frexp(word, &exponent)) == 0.5 && x == T(word);
}

/// Throws unsupported for what `exact` cannot round once: an alpha that is not ±2^s, a beta that is not 0.
template <class T>
void check_exact_scalars(Accuracy accuracy, const T& alpha, const T& beta) {
  if (accuracy != Accuracy::exact) return;
  if (!is_power_of_two(alpha) || !(beta == T(0))) {
    throw error(errc::unsupported, "gemm: accuracy exact rounds alpha * A * B once, for alpha = +-2^s and beta = 0; " +
                                       std::string(beta == T(0) ? "alpha is no power of two" : "beta is not 0"));
  }
}

}  // namespace hilo::modular
