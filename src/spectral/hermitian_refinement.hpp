// Eigenvalues and eigenvectors of a Hermitian matrix in double-double, from eigenvectors in double.
//
// With X near the eigenvectors, R = I − Xᴴ X and S = Xᴴ A X, X (I + E) is nearer where E + Eᴴ = R and
// s_ij + λ_j r_ij = (λ_j − λ_i) e_ij (Ogita and Aishima, Japan J. Indust. Appl. Math. 35, 2018). Where gaps are too
// small for that, a small dense eigenproblem gives the rotation; where what would be rotated is rounding, nothing does
// (noise_gate.hpp). docs/eigenvalues.md has the rules and what they were measured to do.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "spectral/jacobi.hpp"
#include "spectral/native.hpp"
#include "spectral/noise_gate.hpp"
#include "spectral/refinement.hpp"

namespace hilo::spectral {

template <double_double T>
class HermitianRefinement {
 public:
  using D = Leading<T>;

  /// A, both triangles, with its largest entry near 1, or 0.
  HermitianRefinement(Dense<T> a, const BlockedOptions& options)
      : n_(a.rows()), options_(classic(options)), place_(options_), a_(std::move(a)) {
    x_ = Dense<T>(eigenvectors_in_double(lapack_threads, Dense<D>(a_, [](const T& t) { return leading(t); })),
                  [](const D& d) { return T(d); });
  }

  /// Whether X and λ are as good as their products show, or λ alone if vectors are not wanted; else rotate() is left.
  bool refine(bool wants_vectors) {
    return spectral::refine(
        n_, wants_vectors, updates_,
        [this] {
          evaluate();
          return judge();
        },
        [this] { return are_values_right(); }, [this](bool only_orthonormalises) { update(only_orthonormalises); });
  }

  /// For every matrix: Jacobi rotations in double-double from where refine() began, or ended. The number of sweeps.
  int rotate() {
    x_ = Dense<T>(eigenvectors_in_double(lapack_threads, Dense<D>(a_, [](const T& t) { return leading(t); })),
                  [](const D& d) { return T(d); });
    for (int step = 0; step < 2; ++step) orthonormalise(place_, x_);
    Dense<T> b = hermitian_product(place_, x_, product(place_, a_, x_));
    const int sweeps = rotate_to_diagonal(b, x_, unit * frobenius(a_) / static_cast<double>(n_));
    orthonormalise(place_, x_);
    evaluate();
    return sweeps;
  }

  int updates() const { return updates_; }
  /// Columns of X that belong to ascending values.
  std::vector<std::int64_t> order() const {
    std::vector<std::int64_t> order(static_cast<std::size_t>(n_));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [this](std::int64_t i, std::int64_t j) { return value(i) < value(j); });
    return order;
  }
  dd_real value(std::int64_t j) const { return values_[static_cast<std::size_t>(j)]; }
  const Dense<T>& matrix() const { return a_; }
  const Dense<T>& vectors() const { return x_; }

  /// ‖A X − X Λ‖ and ‖I − Xᴴ X‖ in the Frobenius norm, by the products there are; the former relative to the largest
  /// |value|. In units u².
  double residual_u2() const {
    Dense<T> w = y_;
    for (std::int64_t j = 0; j < n_; ++j) {
      for (std::int64_t i = 0; i < n_; ++i) w(i, j) = w(i, j) - x_(i, j) * value(j);
    }
    return size_ > 0.0 ? frobenius(w) / size_ / unit : 0.0;
  }
  double orthogonality_u2() const { return frobenius(r_) / unit; }

 private:
  // R, S, λ.
  void evaluate() {
    r_ = orthogonality_defect(place_, x_);
    y_ = product(place_, a_, x_);
    s_ = hermitian_product(place_, x_, y_);
    values_.resize(static_cast<std::size_t>(n_));
    size_ = 0.0;
    for (std::int64_t i = 0; i < n_; ++i) {
      const dd_real x = real_part(s_(i, i)) / (1.0 - real_part(r_(i, i)));
      values_[static_cast<std::size_t>(i)] = x;
      size_ = std::max(size_, std::fabs(x.hi));
    }
  }

  template <class F>
  void for_columns(F f) const {
    spectral::for_columns(place_.threads(), n_, f);
  }

  // N, rounded only when it is there: s_ij and λ_j r_ij cancel.
  Rest judge() {
    couplings_ = Dense<D>(n_, n_);
    std::vector<double> of_couplings(static_cast<std::size_t>(n_)), of_defect(of_couplings.size());
    for_columns([&](std::int64_t j) {
      double& coupling = of_couplings[static_cast<std::size_t>(j)];
      double& defect = of_defect[static_cast<std::size_t>(j)];
      for (std::int64_t i = 0; i < n_; ++i) {
        defect += std::abs(leading(r_(i, j)));
        if (i == j) continue;
        couplings_(i, j) = leading(T(s_(i, j) + r_(i, j) * value(j)));
        coupling += std::abs(couplings_(i, j));
      }
    });
    Rest rest{*std::max_element(of_couplings.begin(), of_couplings.end()),
              *std::max_element(of_defect.begin(), of_defect.end()), false};
    rest.is_done = rest.couplings <= 2.0 * static_cast<double>(n_) * unit * size_ || is_all_noise();
    return rest;
  }
  bool is_all_noise() const {
    const NoiseGate gate(n_, size_);
    for (std::int64_t j = 0; j < n_; ++j) {
      for (std::int64_t i = 0; i < j; ++i) {
        if (!gate.is_noise(std::abs(couplings_(i, j)), std::abs(couplings_(j, i)))) return false;
      }
    }
    return true;
  }

  // λ_j, a Rayleigh quotient, errs by Σ e_ij² (λ_i − λ_j): the squares of what an update would take away.
  bool are_values_right() const {
    const NoiseGate gate(n_, size_);
    for (std::int64_t j = 0; j < n_; ++j) {
      double error = 0.0;
      for (std::int64_t i = 0; i < n_; ++i) {
        if (i == j) continue;
        const double one = std::abs(couplings_(i, j)), other = std::abs(couplings_(j, i));
        if (gate.is_noise(one, other)) continue;
        if (gate.is_unresolved(one, other, gap(i, j))) return false;
        error += one * (one / std::fabs(gap(i, j)));
      }
      if (!(error <= unit / 8.0 * size_)) return false;
    }
    return true;
  }

  void update(bool only_orthonormalises) {
    Dense<D> e(n_, n_);
    const auto half_defect = [&](std::int64_t i, std::int64_t j) { return leading(r_(i, j)) * 0.5; };
    std::vector<std::vector<std::int64_t>> clusters;
    if (only_orthonormalises) {
      for_columns([&](std::int64_t j) {
        for (std::int64_t i = 0; i < n_; ++i) e(i, j) = half_defect(i, j);
      });
    } else {
      const NoiseGate gate(n_, size_);
      Components components(n_);
      for (std::int64_t j = 0; j < n_; ++j) {
        for (std::int64_t i = 0; i < j; ++i) {
          const double one = std::abs(couplings_(i, j)), other = std::abs(couplings_(j, i));
          if (gate.is_close(one, other, gap(i, j))) components.join(i, j, !gate.is_noise(one, other));
        }
      }
      const std::vector<std::int64_t> label = components.labels();
      for_columns([&](std::int64_t j) {
        for (std::int64_t i = 0; i < n_; ++i) {
          const bool is_together = label[static_cast<std::size_t>(i)] == label[static_cast<std::size_t>(j)];
          if (is_together || gate.is_noise(std::abs(couplings_(i, j)), std::abs(couplings_(j, i)))) {
            e(i, j) = half_defect(i, j);
          } else {
            e(i, j) = couplings_(i, j) / gap(i, j);
          }
        }
      });
      clusters = components.clusters();
    }
    correct(place_, x_, e, largest_entry(place_.threads(), e), options_);
    for (auto& cluster : clusters) rotate_cluster(cluster);
  }

  // λ_j − λ_i.
  double gap(std::int64_t i, std::int64_t j) const { return (value(j) - value(i)).hi; }

  // What is left of A in a cluster's space once the value in its middle is taken off is small, and exact to double.
  void rotate_cluster(std::vector<std::int64_t>& members) {
    const auto count = static_cast<std::int64_t>(members.size());
    std::sort(members.begin(), members.end(), [this](std::int64_t i, std::int64_t j) { return value(i) < value(j); });
    const dd_real middle = value(members[members.size() / 2]);
    Dense<D> t(count, count);
    for (std::int64_t l = 0; l < count; ++l) {
      for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t i = members[static_cast<std::size_t>(k)], j = members[static_cast<std::size_t>(l)];
        const T rest = s_(i, j) + r_(i, j) * middle;
        t(k, l) = leading(i == j ? T(rest - middle) : rest);
      }
    }
    Dense<T> z(eigenvectors_in_double(lapack_threads, t), [](const D& d) { return T(d); });
    orthonormalise(place_, z);
    rotate_columns(place_, x_, members, z);
  }

  std::int64_t n_;
  BlockedOptions options_;
  blas::HostPlace<T> place_;
  Dense<T> a_, x_, y_, r_, s_;
  Dense<D> couplings_;
  std::vector<dd_real> values_;
  double size_ = 0.0;
  int updates_ = 0;
};

}  // namespace hilo::spectral
