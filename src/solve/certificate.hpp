// Proofs that a solution lies within a bound, entry by entry, and that A is not singular.
//
// With an approximate inverse R of the scaled matrix A, E >= |I − R A| and a >= |R (b − A x)| entry by entry: where
// a + E w <= w for some w > 0, E's spectral radius is below 1, so that A is not singular and |A⁻¹ b − x| <= w. All of
// E and a's roundings are counted. Sources: Oishi, Rump, Numer. Math. 90 (2002); Rump, Acta Numerica 19 (2010).
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "solve/host_system.hpp"

namespace hilo::solver {

/// A bound of |x|, complex numbers' moduli among them.
template <gemm_scalar T>
double magnitude_above(const T& x) {
  const Leading<T> y = leading(x);
  return std::abs(y) * (1.0 + 8.0 * 0x1p-53);
}

/// What one approximate inverse proves.
template <gemm_scalar T>
class Certificate {
 public:
  using X = Solution<T>;

  /// `inverse` is n × n by columns.
  Certificate(const HostSystem<T>& system, std::vector<X> inverse)
      : system_(system),
        n_(system.rows()),
        above_(1.0 + 8.0 * static_cast<double>(n_ + 16) * 0x1p-53),
        inverse_(std::move(inverse)),
        inverse_sizes_(sizes_of(inverse_)),
        options_(proving(system.options())) {
    const std::vector<X> a = system.dense();
    std::vector<X> rest(inverse_.size());
    for (std::int64_t i = 0; i < n_; ++i) rest[static_cast<std::size_t>(i * (n_ + 1))] = X(1);
    const GemmReport report = gemm(X(-1), of(inverse_), of(a), X(1), of(rest), options_);
    const double unit = report.plan.error_bound_u2 * 0x1p-106;
    excess_ = sizes_of(rest);
    const std::vector<double> sizes = sizes_of(a);
    gemm<double>(unit * above_, of(inverse_sizes_), of(sizes), 1.0, of(excess_), system.options_of_double());
    for (std::int64_t i = 0; i < n_; ++i) excess_[static_cast<std::size_t>(i * (n_ + 1))] += unit;
    // What of A has underflowed is multiplied by R.
    std::vector<double> lost(static_cast<std::size_t>(n_), 1.0);
    for (std::size_t e = 0; e < excess_.size(); ++e) lost[e % lost.size()] += inverse_sizes_[e];
    for (std::size_t e = 0; e < excess_.size(); ++e) {
      excess_[e] = excess_[e] * above_ + underflow * lost[e % lost.size()];
      is_finite_ = is_finite_ && excess_[e] < std::numeric_limits<double>::infinity();
    }
  }

  /// Of |x − A⁻¹ b| of one right-hand side, of the scaled system; none where there is no proof.
  std::optional<std::vector<double>> bound(std::int64_t line) const {
    if (!is_finite_) return {};
    const auto [residual, its_error] = system_.residual_with_bound(line);
    std::vector<X> correction(static_cast<std::size_t>(n_));
    const GemmReport report = gemm(X(1), of(inverse_), column(residual), X(0), column(correction), options_);
    std::vector<double> sizes = sizes_of(residual);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      sizes[i] = (sizes[i] * report.plan.error_bound_u2 * 0x1p-106 + its_error[i]) * above_ + underflow;
    }
    const std::vector<double> start = sum(sizes_of(correction), inverse_sizes_, sizes);
    std::vector<double> w = start;
    for (double& e : w) e = std::max(e, 0x1p-1000);
    for (int round = 0; round < most_rounds; ++round) {
      std::vector<double> next = sum(start, excess_, w);
      bool holds = true;
      for (std::size_t i = 0; i < next.size(); ++i) holds = holds && next[i] <= w[i];
      if (holds) return w;
      for (std::size_t i = 0; i < next.size(); ++i) {
        if (!(next[i] < 0x1p1000)) return {};
        w[i] = std::max(1.01 * next[i], 0x1p-1000);
      }
    }
    return {};
  }

 private:
  static constexpr int most_rounds = 60;
  // More than what all that underflows may add.
  static constexpr double underflow = 0x1p-1000;

  // A norm-wise bound is none entry by entry.
  static BlockedOptions proving(BlockedOptions options) {
    if (options.accuracy == Accuracy::normwise) options.accuracy = Accuracy::classic;
    return options;
  }
  template <class M>
  auto of(M& x) const {
    return view(Layout::column, Op::none, x.data(), n_, n_, n_);
  }
  template <class M>
  auto column(M& x) const {
    return view(Layout::column, Op::none, x.data(), n_, 1, n_);
  }
  static std::vector<double> sizes_of(const std::vector<X>& x) {
    std::vector<double> sizes(x.size());
    std::transform(x.begin(), x.end(), sizes.begin(), [](const X& e) { return magnitude_above(e); });
    return sizes;
  }
  // Above x + A y, of what is not negative.
  std::vector<double> sum(std::vector<double> x, const std::vector<double>& a, const std::vector<double>& y) const {
    gemm<double>(1.0, of(a), column(y), 1.0, column(x), system_.options_of_double());
    for (double& e : x) e = e * above_ + underflow;
    return x;
  }

  const HostSystem<T>& system_;
  std::int64_t n_;
  double above_;  // covers the roundings of a sum of n products that are not negative, and of what it is made of
  std::vector<X> inverse_;
  std::vector<double> inverse_sizes_, excess_;
  BlockedOptions options_;  // of the products in double-double
  bool is_finite_ = true;
};

}  // namespace hilo::solver
