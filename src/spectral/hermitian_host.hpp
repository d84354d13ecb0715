// What the refinement of eigenvectors does with matrices, on the host (opencl/hermitian_device.hpp: on a device).
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "spectral/cluster.hpp"
#include "spectral/jacobi.hpp"
#include "spectral/native.hpp"
#include "spectral/noise_gate.hpp"
#include "spectral/refinement.hpp"

namespace hilo::spectral {

template <double_double T>
class HermitianHost {
 public:
  using D = Leading<T>;
  using Values = std::vector<dd_real>;

  /// A, both triangles, with its largest entry near 1, or 0.
  HermitianHost(Dense<T> a, const BlockedOptions& options)
      : n_(a.rows()), options_(classic(options)), place_(options_), a_(std::move(a)) {}

  std::int64_t order() const { return n_; }
  const Dense<T>& matrix() const { return a_; }
  const Dense<T>& vectors() const { return x_; }

  /// X from LAPACK's eigenvectors of A's leading words.
  void start() {
    start_with(eigenvectors_in_double(lapack_threads, Dense<D>(a_, [](const T& t) { return leading(t); })));
  }
  void start_with(const Dense<D>& x) {
    x_ = Dense<T>(x, [](const D& d) { return T(d); });
  }

  /// R, Y, S; what stands on the diagonals of S and R.
  std::pair<Values, Values> evaluate() {
    r_ = orthogonality_defect(place_, x_);
    y_ = product(place_, a_, x_);
    s_ = hermitian_product(place_, x_, y_);
    std::pair<Values, Values> diagonals;
    for (std::int64_t i = 0; i < n_; ++i) {
      diagonals.first.push_back(real_part(s_(i, i)));
      diagonals.second.push_back(real_part(r_(i, i)));
    }
    return diagonals;
  }

  /// N, rounded only when it is there: s_ij and λ_j r_ij cancel. The largest sums of columns; all that follows is of
  /// these values and this gate.
  Rest couple(const Values& values, const NoiseGate& gate) {
    values_ = values;
    gate_ = gate;
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
    return {*std::max_element(of_couplings.begin(), of_couplings.end()),
            *std::max_element(of_defect.begin(), of_defect.end()), false};
  }

  bool is_all_noise() const {
    for (std::int64_t j = 0; j < n_; ++j) {
      for (std::int64_t i = 0; i < j; ++i) {
        if (!gate_.is_noise(std::abs(couplings_(i, j)), std::abs(couplings_(j, i)))) return false;
      }
    }
    return true;
  }

  /// Σ |N_ij|² / |λ_j − λ_i| of a column, the largest; Inf where a pair is unresolved. No more than `enough` counts.
  double largest_error(double enough) const {
    double largest = 0.0;
    for (std::int64_t j = 0; j < n_ && largest <= enough; ++j) {
      double error = 0.0;
      for (std::int64_t i = 0; i < n_; ++i) {
        if (i == j) continue;
        const double one = std::abs(couplings_(i, j)), other = std::abs(couplings_(j, i));
        if (gate_.is_noise(one, other)) continue;
        if (gate_.is_unresolved(one, other, gap(i, j))) return std::numeric_limits<double>::infinity();
        error += one * (one / std::fabs(gap(i, j)));
      }
      if (!(error <= largest)) largest = error;
    }
    return largest;
  }

  /// Components of close pairs.
  Components components() const {
    Components components(n_);
    for (std::int64_t j = 0; j < n_; ++j) {
      for (std::int64_t i = 0; i < j; ++i) {
        const double one = std::abs(couplings_(i, j)), other = std::abs(couplings_(j, i));
        if (gate_.is_close(one, other, gap(i, j))) components.join(i, j, !gate_.is_noise(one, other));
      }
    }
    return components;
  }

  /// E = R / 2.
  void take_half_of_defect() {
    e_ = Dense<D>(n_, n_);
    for_columns([&](std::int64_t j) {
      for (std::int64_t i = 0; i < n_; ++i) e_(i, j) = half_of_defect(i, j);
    });
  }
  /// E of pairs of different labels by first order but where noise is left alone, of others R / 2.
  void find_corrections(const std::vector<std::int64_t>& label) {
    e_ = Dense<D>(n_, n_);
    for_columns([&](std::int64_t j) {
      for (std::int64_t i = 0; i < n_; ++i) {
        const bool is_together = label[static_cast<std::size_t>(i)] == label[static_cast<std::size_t>(j)];
        const double one = std::abs(couplings_(i, j)), other = std::abs(couplings_(j, i));
        if (is_together || gate_.is_left_alone(one, other, gap(i, j))) {
          e_(i, j) = half_of_defect(i, j);
        } else {
          e_(i, j) = couplings_(i, j) / gap(i, j);
        }
      }
    });
  }

  /// S − µ (I − R) in each cluster, rounded.
  std::vector<Dense<D>> blocks(const std::vector<Cluster>& clusters) const {
    std::vector<Dense<D>> all;
    for (const Cluster& cluster : clusters) {
      const auto count = static_cast<std::int64_t>(cluster.members.size());
      Dense<D> t(count, count);
      for (std::int64_t l = 0; l < count; ++l) {
        for (std::int64_t k = 0; k < count; ++k) {
          const std::int64_t i = cluster.members[static_cast<std::size_t>(k)],
                             j = cluster.members[static_cast<std::size_t>(l)];
          const T rest = s_(i, j) + r_(i, j) * cluster.middle;
          t(k, l) = leading(i == j ? T(rest - cluster.middle) : rest);
        }
      }
      all.push_back(std::move(t));
    }
    return all;
  }

  /// X + X · E.
  void correct() { spectral::correct(place_, x_, e_, largest_entry(place_.threads(), e_), options_); }

  /// Columns of each cluster times its Z, orthonormal to double, made so to double-double.
  void rotate(const std::vector<Cluster>& clusters, const std::vector<Dense<D>>& all) {
    for (std::size_t c = 0; c < clusters.size(); ++c) {
      Dense<T> z(all[c], [](const D& d) { return T(d); });
      orthonormalise(place_, z);
      rotate_columns(place_, x_, clusters[c].members, z);
    }
  }

  /// For every matrix: Jacobi rotations in double-double. The number of sweeps.
  int rotate_all() {
    start();
    for (int step = 0; step < 2; ++step) orthonormalise(place_, x_);
    Dense<T> b = hermitian_product(place_, x_, product(place_, a_, x_));
    const int sweeps = rotate_to_diagonal(b, x_, unit * frobenius(a_) / static_cast<double>(n_));
    orthonormalise(place_, x_);
    return sweeps;
  }

  /// ‖A X − X Λ‖ and ‖I − Xᴴ X‖ by the products there are.
  std::pair<double, double> norms(const Values& values) const {
    Dense<T> w = y_;
    for (std::int64_t j = 0; j < n_; ++j) {
      for (std::int64_t i = 0; i < n_; ++i) w(i, j) = w(i, j) - x_(i, j) * values[static_cast<std::size_t>(j)];
    }
    return {frobenius(w), frobenius(r_)};
  }

 private:
  template <class F>
  void for_columns(F f) const {
    spectral::for_columns(place_.threads(), n_, f);
  }
  const dd_real& value(std::int64_t j) const { return values_[static_cast<std::size_t>(j)]; }
  // λ_j − λ_i.
  double gap(std::int64_t i, std::int64_t j) const { return (value(j) - value(i)).hi; }
  D half_of_defect(std::int64_t i, std::int64_t j) const { return leading(r_(i, j)) * 0.5; }

  std::int64_t n_;
  BlockedOptions options_;
  blas::HostPlace<T> place_;
  Dense<T> a_, x_, y_, r_, s_;
  Dense<D> couplings_, e_;
  Values values_;
  NoiseGate gate_{0, 0.0};
};

}  // namespace hilo::spectral
