// Singular values and vectors of a matrix in double-double, from singular vectors in double.
//
// With U and V near the singular vectors, R = I − Uᴴ U, S = I − Vᴴ V and T = Uᴴ A V, U (I + F) and V (I + G) are nearer
// where F + Fᴴ = R, G + Gᴴ = S and, with α_ij = t_ij + σ_j r_ij and β_ij = conj(t_ji) + σ_j s_ij,
//   (σ_j − σ_i) (F + G)_ij = α_ij + β_ij = 2 p_ij,   (σ_j + σ_i) (F − G)_ij = α_ij − β_ij = 2 q_ij
// (Ogita and Aishima, Japan J. Indust. Appl. Math. 37, 2020, who solve for F and G). So parted, nearly equal values,
// where p matters, are told from values near zero, where q does, too. Where first order does not hold, small dense
// problems give the rotations; where what would be rotated is rounding, nothing does (noise_gate.hpp).
// docs/singular-values.md has the rules and what they were measured to do. One text for every place where matrices are:
// singular_host.hpp.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "spectral/cluster.hpp"
#include "spectral/native.hpp"
#include "spectral/native_singular_values.hpp"
#include "spectral/noise_gate.hpp"
#include "spectral/refinement.hpp"

namespace hilo::spectral {

/// What stands on the diagonals of T, R and S.
struct SingularDiagonals {
  std::vector<dd_real> of_t, of_r, of_s;
};
struct SingularNorms {
  double residual, left, right;
};

template <class Place>
class SingularRefinement {
 public:
  explicit SingularRefinement(Place& place) : place_(place), m_(place.rows()), n_(place.columns()) {}

  /// Whether U, V and σ are as good as their products show, or σ alone if vectors are not wanted; else rotate() is
  /// left. The place has started.
  bool refine(bool wants_vectors) {
    return spectral::refine(
        m_, wants_vectors, updates_,
        [this] {
          evaluate();
          return judge();
        },
        [this] { return are_values_right(); }, [this](bool only_orthonormalises) { update(only_orthonormalises); });
  }

  /// For every matrix: Jacobi rotations in double-double. The number of sweeps.
  int rotate() {
    const int sweeps = place_.rotate_all();
    evaluate();
    return sweeps;
  }

  int updates() const { return updates_; }
  /// Columns of V that belong to descending |values|.
  std::vector<std::int64_t> order() const {
    std::vector<std::int64_t> order(static_cast<std::size_t>(n_));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [this](std::int64_t i, std::int64_t j) { return abs(value(i)) > abs(value(j)); });
    return order;
  }
  /// Negative ones, which are small, belong to −u or −v.
  dd_real value(std::int64_t j) const { return values_[static_cast<std::size_t>(j)]; }

  /// ‖A V − U Σ‖ relative to the largest |value|, ‖I − Uᴴ U‖ and ‖I − Vᴴ V‖, n columns of U, in the Frobenius norm, by
  /// the products there are, in u².
  SingularNorms norms_u2() const {
    const SingularNorms norms = place_.norms(values_);
    return {size_ > 0.0 ? norms.residual / size_ / unit : 0.0, norms.left / unit, norms.right / unit};
  }

 private:
  // R, S, T, σ.
  void evaluate() {
    const SingularDiagonals diagonals = place_.evaluate();
    values_.resize(static_cast<std::size_t>(n_));
    size_ = 0.0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      values_[i] = diagonals.of_t[i] / (1.0 - (diagonals.of_r[i] + diagonals.of_s[i]) * 0.5);
      size_ = std::max(size_, std::fabs(values_[i].hi));
    }
  }

  // LAPACK's xBDSQR takes couplings of 90 u, relative to the values, for 0: rotations of values near zero leave them.
  // Where components are found by differences, 2^-46 of noise would leave noise that is rotated again, for ever.
  Rest judge() {
    Rest rest = place_.couple(values_, NoiseGate(m_, size_, 0x1p-46), NoiseGate(m_, size_));
    rest.is_done = rest.couplings <= 2.0 * static_cast<double>(m_) * unit * size_ || place_.is_all_noise();
    return rest;
  }

  // σ_j and −σ_j are Rayleigh quotients of [0 A; Aᴴ 0], and err by the squares of what an update would take away.
  bool are_values_right() const {
    const double enough = unit / 8.0 * size_;
    return place_.largest_error(enough) <= enough;
  }

  void update(bool only_orthonormalises) {
    std::vector<Cluster> clusters;
    std::vector<std::int64_t> left, right;  // columns of U and V that belong to values near zero
    if (only_orthonormalises) {
      place_.take_halves_of_defects();
    } else {
      Components components = place_.components();
      place_.find_corrections(components.labels());
      for (auto& members : components.clusters()) {
        if (members.back() == n_) {
          right.assign(members.begin(), members.end() - 1);
          left = right;
          for (std::int64_t i = n_; i < m_; ++i) left.push_back(i);
          continue;
        }
        std::sort(members.begin(), members.end(),
                  [this](std::int64_t i, std::int64_t j) { return value(i) < value(j); });
        const dd_real middle = value(members[members.size() / 2]);
        clusters.push_back({std::move(members), middle});
      }
    }
    // What is left of T in a cluster's spaces once the value in its middle is taken off is small, and exact to double.
    auto blocks = place_.blocks(clusters);
    using D = typename Place::D;
    Dense<D> of_zero = right.empty() ? Dense<D>() : place_.block(left, right);
    place_.correct();
    for (auto& block : blocks) block = eigenvectors_in_double(lapack_threads, block);
    place_.rotate(clusters, blocks);
    if (right.empty()) return;
    // Values near zero are small, so that double suffices; U's columns beyond n belong to the same space.
    double most = 0.0;
    for (std::int64_t l = 0; l < of_zero.columns(); ++l) {
      for (std::int64_t k = 0; k < of_zero.rows(); ++k) most = std::max(most, std::abs(of_zero(k, l)));
    }
    const int exponent = solver::exponent_to_one(most);
    of_zero = Dense<D>(of_zero, [exponent](const D& d) { return solver::scaled(d, exponent); });
    const Decomposition<D> found = native_decomposition<D>(lapack_threads, of_zero, LeftVectors::whole);
    place_.rotate_sides(left, found.u, right, found.v);
  }

  Place& place_;
  std::int64_t m_, n_;
  std::vector<dd_real> values_;
  double size_ = 0.0;
  int updates_ = 0;
};

}  // namespace hilo::spectral
