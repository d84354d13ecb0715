// Proofs that a solution lies within a bound, entry by entry, and that A is not singular.
//
// With r = b − A (x + y), y being what x lacks as far as corrections tell, an approximate inverse R of the scaled
// matrix A, E >= |I − R A| and a >= |R r| entry by entry: where a + E w <= w for some w > 0, E's spectral radius is
// below 1, so that A is not singular and |A⁻¹ b − x| <= |y| + w. All of E and a's roundings are counted. R is an
// inverse, or that of triangles (factor_certificate.hpp). Sources: Oishi, Rump, Numer. Math. 90 (2002); Rump, Acta
// Numerica 19 (2010).
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "solve/factor_certificate.hpp"
#include "solve/host_system.hpp"

namespace hilo::solver {

/// What one approximate inverse proves, E being |G| + unit (|R| |A| + I) with G = I − R A as it is computed.
template <gemm_scalar T>
class Certificate {
 public:
  using X = Solution<T>;
  using F = Leading<T>;

  /// By a product in double-double; `inverse` is n × n by columns.
  Certificate(const HostSystem<T>& system, std::vector<X> inverse)
      : Certificate(system, inverse.size(), [&](std::size_t e) { return magnitude_above(inverse[e]); }) {
    std::vector<X> a = system.dense(), rest(inverse.size());
    for (std::int64_t i = 0; i < n_; ++i) rest[static_cast<std::size_t>(i * (n_ + 1))] = X(1);
    // A norm-wise bound is none entry by entry.
    BlockedOptions options = system.options();
    if (options.accuracy == Accuracy::normwise) options.accuracy = Accuracy::classic;
    const GemmReport report = gemm(X(-1), of(inverse), of(a), X(1), of(rest), options);
    unit_ = report.plan.error_bound_u2 * 0x1p-106;
    take(rest);
  }

  /// By a product in double, G counting as 0 until it is made.
  Certificate(const HostSystem<T>& system, const std::vector<F>& inverse)
      : Certificate(system, inverse.size(), [&](std::size_t e) { return magnitude_above(inverse[e]); }) {
    unit_ = unit_of_parts<F>(n_);
  }
  void make_product(const std::vector<F>& inverse) {
    std::vector<F> rest(inverse.size());
    ProofPlace<F> place(system_.options_of_double(), n_, product_strip);
    for (std::int64_t first = 0; first < n_; first += product_strip) {
      const std::int64_t width = std::min(product_strip, n_ - first);
      const MatrixView<F> of_a = place.columns(n_, width);
      const auto product = of(rest).sub(0, first, n_, width);
      system_.write_leading(first, of_a);
      place.add_product(is_by_parts(n_), of(inverse), of_a, product);
      for (std::int64_t j = 0; j < width; ++j) product(first + j, j) -= F(1);
    }
    take(rest);
  }

  /// |R| · t.
  std::vector<double> start(const std::vector<double>& t) const { return product(inverse_sizes_, t); }
  /// E · w.
  std::vector<double> excess(const std::vector<double>& w) const {
    std::vector<double> q = system_.product_with_magnitudes(w);
    // What of A has underflowed is multiplied by R.
    const double of_w = underflow * std::accumulate(w.begin(), w.end(), 1.0) * above_;
    for (double& e : q) e = (unit_ * e + of_w) * above_;
    q = product(inverse_sizes_, q);
    if (!excess_.empty()) {
      const std::vector<double> own = product(excess_, w);
      for (std::size_t i = 0; i < q.size(); ++i) q[i] += own[i];
    }
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = (q[i] + unit_ * w[i] + of_w) * above_;
    return q;
  }
  std::vector<double> finish(std::vector<double> w) const { return w; }

 private:
  template <class Size>
  Certificate(const HostSystem<T>& system, std::size_t count, Size size)
      : system_(system), n_(system.rows()), above_(above_sums(n_)), inverse_sizes_(count) {
    for (std::size_t e = 0; e < count; ++e) inverse_sizes_[e] = size(e);
  }

  template <class M>
  auto of(M& x) const {
    return view(Layout::column, Op::none, x.data(), n_, n_, n_);
  }
  template <class E>
  void take(const std::vector<E>& rest) {
    excess_.resize(rest.size());
    std::transform(rest.begin(), rest.end(), excess_.begin(), [](const E& e) { return magnitude_above(e); });
  }
  // Above A y, of what is not negative.
  std::vector<double> product(const std::vector<double>& a, const std::vector<double>& y) const {
    std::vector<double> x = multiply_magnitudes(system_.threads(), Part::whole, a.data(), n_, y);
    for (double& e : x) e = e * above_ + underflow;
    return x;
  }

  const HostSystem<T>& system_;
  std::int64_t n_;
  double above_, unit_ = 0.0;
  std::vector<double> inverse_sizes_, excess_;
};

/// Whether what proves is likely to: E's spectral radius, from what it makes of a vector, is well below 1.
template <class C>
bool contracts(const C& certificate, std::int64_t n) {
  std::vector<double> v(static_cast<std::size_t>(n), 1.0);
  double ratio = 0.0;
  for (int round = 0; round < 5; ++round) {
    std::vector<double> next = certificate.excess(v);
    const double before = std::accumulate(v.begin(), v.end(), 0.0),
                 sum = std::accumulate(next.begin(), next.end(), 0.0);
    if (!(sum < 0x1p1000)) return false;
    ratio = sum / before;
    // Entries that are small beside others still count.
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = std::max(next[i] / sum, 0x1p-500);
  }
  return ratio < 0.75;
}

/// Some w with a + E w <= w, or nothing where none is found.
template <class C>
std::optional<std::vector<double>> above_its_image(const C& certificate, const std::vector<double>& a) {
  constexpr int most_rounds = 60;
  std::vector<double> w = a;
  for (double& e : w) e = std::max(e, 0x1p-1000);
  for (int round = 0; round < most_rounds; ++round) {
    std::vector<double> next = certificate.excess(w);
    bool holds = true;
    for (std::size_t i = 0; i < next.size(); ++i) {
      next[i] = (a[i] + next[i]) * (1.0 + 0x1p-50);
      holds = holds && next[i] <= w[i] && next[i] < 0x1p1000;
    }
    if (holds) return w;
    for (std::size_t i = 0; i < next.size(); ++i) {
      if (!(next[i] < 0x1p1000)) return {};
      w[i] = std::max(1.01 * next[i], 0x1p-1000);
    }
  }
  return {};
}

/// Of |x − A⁻¹ b| of one right-hand side, of the scaled system; none where there is no proof. What x lacks is found by
/// the system's factors, until what is left is small beside it. `words` are the residual's.
template <class T, class C>
std::optional<std::vector<double>> proved_bound(HostSystem<T>& system, const C& certificate, std::int64_t line,
                                                int words) {
  constexpr int most_corrections = 20;
  std::vector<double> a, rest;
  double left = std::numeric_limits<double>::infinity();
  for (int step = 0; step < most_corrections; ++step) {
    if (system.has_factors()) system.correct_rest(line);
    std::vector<double> next = certificate.start(system.bound_residual(line, words));
    const double share = system.share_of_rest(line, certificate.finish(next)), before = left;
    if (a.empty() || share < left) {
      a = std::move(next);
      rest = system.rest_above(line);
      left = share;
    }
    if (!system.has_factors() || left <= 0x1p-7 || !(share <= before / 2)) break;
  }
  auto w = above_its_image(certificate, a);
  if (!w) return {};
  w = certificate.finish(*std::move(w));
  for (std::size_t i = 0; i < rest.size(); ++i) (*w)[i] = ((*w)[i] + rest[i]) * (1.0 + 0x1p-50);
  return w;
}

}  // namespace hilo::solver
