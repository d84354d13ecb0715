// Eigenvalues and eigenvectors of a Hermitian matrix in double-double, from eigenvectors in double.
//
// With X near the eigenvectors, R = I − Xᴴ X and S = Xᴴ A X, X (I + E) is nearer where E + Eᴴ = R and
// s_ij + λ_j r_ij = (λ_j − λ_i) e_ij (Ogita and Aishima, Japan J. Indust. Appl. Math. 35, 2018). Where gaps are too
// small for that, a small dense eigenproblem gives the rotation; where what would be rotated is rounding, nothing does
// (noise_gate.hpp). docs/eigenvalues.md has the rules and what they were measured to do. One text for every place where
// matrices are: hermitian_host.hpp, opencl/hermitian_device.hpp.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "spectral/cluster.hpp"
#include "spectral/native.hpp"
#include "spectral/noise_gate.hpp"
#include "spectral/refinement.hpp"

namespace hilo::spectral {

template <class Place>
class HermitianRefinement {
 public:
  explicit HermitianRefinement(Place& place) : place_(place), n_(place.order()) {}

  /// Whether X and λ are as good as their products show, or λ alone if vectors are not wanted; else rotate() is left.
  /// The place has started.
  bool refine(bool wants_vectors) {
    return spectral::refine(
        n_, wants_vectors, updates_,
        [this] {
          evaluate();
          return judge();
        },
        [this] { return are_values_right(); }, [this](bool only_orthonormalises) { update(only_orthonormalises); });
  }

  /// For every matrix: Jacobi rotations in double-double from where refine() began. The number of sweeps.
  int rotate() {
    const int sweeps = place_.rotate_all();
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

  /// ‖A X − X Λ‖ and ‖I − Xᴴ X‖ in the Frobenius norm, by the products there are; the former relative to the largest
  /// |value|. In units u².
  struct Norms {
    double residual_u2, orthogonality_u2;
  };
  Norms norms() const {
    const auto [residual, defect] = place_.norms(values_);
    return {size_ > 0.0 ? residual / size_ / unit : 0.0, defect / unit};
  }

 private:
  // R, S, λ.
  void evaluate() {
    const auto [of_s, of_r] = place_.evaluate();
    values_.resize(static_cast<std::size_t>(n_));
    size_ = 0.0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      values_[i] = of_s[i] / (1.0 - of_r[i]);
      size_ = std::max(size_, std::fabs(values_[i].hi));
    }
  }

  Rest judge() {
    Rest rest = place_.couple(values_, NoiseGate(n_, size_));
    rest.is_done = rest.couplings <= 2.0 * static_cast<double>(n_) * unit * size_ || place_.is_all_noise();
    return rest;
  }

  // λ_j, a Rayleigh quotient, errs by Σ e_ij² (λ_i − λ_j): the squares of what an update would take away.
  bool are_values_right() const {
    const double enough = unit / 8.0 * size_;
    return place_.largest_error(enough) <= enough;
  }

  void update(bool only_orthonormalises) {
    std::vector<Cluster> clusters;
    if (only_orthonormalises) {
      place_.take_half_of_defect();
    } else {
      Components components = place_.components();
      place_.find_corrections(components.labels());
      for (auto& members : components.clusters()) {
        std::sort(members.begin(), members.end(),
                  [this](std::int64_t i, std::int64_t j) { return value(i) < value(j); });
        const dd_real middle = value(members[members.size() / 2]);
        clusters.push_back({std::move(members), middle});
      }
    }
    // What is left of A in a cluster's space once the value in its middle is taken off is small, and exact to double.
    auto blocks = place_.blocks(clusters);
    place_.correct();
    for (auto& block : blocks) block = eigenvectors_in_double(lapack_threads, block);
    place_.rotate(clusters, blocks);
  }

  Place& place_;
  std::int64_t n_;
  std::vector<dd_real> values_;
  double size_ = 0.0;
  int updates_ = 0;
};

}  // namespace hilo::spectral
