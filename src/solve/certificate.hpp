// Proofs that a solution lies within a bound, entry by entry, and that A is not singular: one text for every place.
//
// With r = b − A (x + y), y being what x lacks as far as corrections tell, an approximate inverse R of the scaled
// matrix A, E >= |I − R A| and a >= |R r| entry by entry: where a + E w <= w for some w > 0, E's spectral radius is
// below 1, so that A is not singular and |A⁻¹ b − x| <= |y| + w. All of E and a's roundings are counted. R is an
// inverse, or that of triangles (factor_certificate.hpp). Sources: Oishi, Rump, Numer. Math. 90 (2002); Rump, Acta
// Numerica 19 (2010).
//
// A place has, of its System and of what holds an inverse there, sizes_of(system, inverse), whose times(y) is |R| y but
// for what a sum of n products rounds, and rest_of(system, inverse), which is a Rest (host_proof.hpp,
// opencl/device_proof.hpp).
#pragma once

#include <algorithm>
#include <hilo/solve.hpp>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "solve/proof_units.hpp"
#include "solve/scaling.hpp"

namespace hilo::solver {

/// I − R A as it is computed, by its sizes: |error| <= unit (|R| |A| + I).
template <class Sizes>
struct Rest {
  Sizes sizes;
  double unit;
};

/// What one approximate inverse proves, E being |G| + unit (|R| |A| + I) with G = I − R A as it is computed.
template <class System, class Sizes>
class Certificate {
 public:
  /// By a product in double, G counting as 0 until it is made.
  template <class Inverse>
  Certificate(System& system, const Inverse& inverse)
      : system_(system),
        above_(above_sums(system.rows())),
        unit_(unit_of_parts<typename System::Low>(system.rows())),
        inverse_sizes_(sizes_of(system, inverse)) {}

  /// In double, or in double-double, as the inverse is.
  template <class Inverse>
  void make_product(const Inverse& inverse) {
    auto rest = rest_of(system_, inverse);
    excess_.emplace(std::move(rest.sizes));
    unit_ = rest.unit;
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
    if (excess_) {
      const std::vector<double> own = product(*excess_, w);
      for (std::size_t i = 0; i < q.size(); ++i) q[i] += own[i];
    }
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = (q[i] + unit_ * w[i] + of_w) * above_;
    return q;
  }
  std::vector<double> finish(std::vector<double> w) const { return w; }

 private:
  // Above A y, of what is not negative.
  std::vector<double> product(const Sizes& a, const std::vector<double>& y) const {
    std::vector<double> x = a.times(y);
    for (double& e : x) e = e * above_ + underflow;
    return x;
  }

  System& system_;
  double above_, unit_;
  Sizes inverse_sizes_;
  std::optional<Sizes> excess_;
};
template <class System, class Inverse>
Certificate(System& system, const Inverse& inverse)
    -> Certificate<System, decltype(sizes_of(std::declval<System&>(), std::declval<const Inverse&>()))>;

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

/// A bound of |b − A (x + rest)|, which is found in so many words and rounded.
template <class System>
std::vector<double> bound_residual(System& system, std::int64_t line, int words) {
  system.find_residuals({line}, words);
  const auto& unknowns = system.unknowns();
  const double lost = system.lost_of_residual(words);
  std::vector<double> error = system.product_of_sizes(line);
  double sum_of_x = 1.0;
  for (std::int64_t i = 0; i < system.rows(); ++i) {
    sum_of_x += size_of(unknowns.x.get(i, line)) + system.rest_size(i, line);
  }
  for (std::int64_t i = 0; i < system.rows(); ++i) {
    double& e = error[static_cast<std::size_t>(i)];
    const auto r = unknowns.r.get(i, line);
    // The product of sizes takes larger parts, which moduli are up to √2 times, and rounds itself.
    e = 4.0 * (2.0 * 0x1p-106 * size_of(r) + 2.0 * lost * e) + 0x1p-1000 * sum_of_x;
    e = (e + magnitude_above(r)) * (1.0 + 0x1p-50);
  }
  return error;
}

/// Of |x − A⁻¹ b| of one right-hand side, of the scaled system; none where there is no proof. What x lacks is found by
/// the system's factors, until what is left is small beside it. `words` are the residual's.
template <class System, class C>
std::optional<std::vector<double>> proved_bound(System& system, const C& certificate, std::int64_t line, int words) {
  constexpr int most_corrections = 20;
  std::vector<double> a, rest;
  double left = std::numeric_limits<double>::infinity();
  for (int step = 0; step < most_corrections; ++step) {
    if (system.has_factors()) {
      system.find_corrections({line});
      system.unknowns().correct_rest(line);
    }
    std::vector<double> next = certificate.start(bound_residual(system, line, words));
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
