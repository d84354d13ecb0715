// Singular values and vectors of a matrix in double-double, from singular vectors in double.
//
// With U and V near the singular vectors, R = I − Uᴴ U, S = I − Vᴴ V and T = Uᴴ A V, U (I + F) and V (I + G) are nearer
// where F + Fᴴ = R, G + Gᴴ = S and, with α_ij = t_ij + σ_j r_ij and β_ij = conj(t_ji) + σ_j s_ij,
//   (σ_j − σ_i) (F + G)_ij = α_ij + β_ij = 2 p_ij,   (σ_j + σ_i) (F − G)_ij = α_ij − β_ij = 2 q_ij
// (Ogita and Aishima, Japan J. Indust. Appl. Math. 37, 2020, who solve for F and G). So parted, nearly equal values,
// where p matters, are told from values near zero, where q does, too. Where first order does not hold, small dense
// problems give the rotations; where what would be rotated is rounding, nothing does (noise_gate.hpp).
// docs/singular-values.md has the rules and what they were measured to do.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "spectral/native.hpp"
#include "spectral/native_singular_values.hpp"
#include "spectral/noise_gate.hpp"
#include "spectral/one_sided_jacobi.hpp"
#include "spectral/refinement.hpp"

namespace hilo::spectral {

template <double_double T>
class SingularRefinement {
 public:
  using D = Leading<T>;

  /// A is m × n, m >= n >= 1, with its largest entry near 1, or 0. U is m × m.
  SingularRefinement(Dense<T> a, const BlockedOptions& options)
      : m_(a.rows()), n_(a.columns()), options_(classic(options)), place_(options_), a_(std::move(a)) {
    const Decomposition<D> start = native_decomposition(lapack_threads, leading_words(a_), LeftVectors::whole);
    u_ = in_double_double(start.u);
    v_ = in_double_double(start.v);
  }

  /// Whether U, V and σ are as good as their products show, or σ alone if vectors are not wanted; else rotate() is
  /// left.
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
    Decomposition<T> found = jacobi_decomposition(a_, LeftVectors::whole, options_);
    u_ = std::move(found.u);
    v_ = std::move(found.v);
    orthonormalise(place_, u_);
    orthonormalise(place_, v_);
    evaluate();
    return found.sweeps;
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
  const Dense<T>& matrix() const { return a_; }
  const Dense<T>& u() const { return u_; }
  const Dense<T>& v() const { return v_; }

  /// ‖A V − U Σ‖ relative to the largest |value|, ‖I − Uᴴ U‖ and ‖I − Vᴴ V‖, n columns of U, in the Frobenius norm, by
  /// the products there are, in u².
  double residual_u2() const {
    Dense<T> w = y_;
    for_columns(n_, [&](std::int64_t j) {
      for (std::int64_t i = 0; i < m_; ++i) w(i, j) = w(i, j) - u_(i, j) * value(j);
    });
    return size_ > 0.0 ? frobenius(w) / size_ / unit : 0.0;
  }
  double left_orthogonality_u2() const {
    double sum = 0.0;
    for (std::int64_t j = 0; j < n_; ++j) {
      for (std::int64_t i = 0; i < n_; ++i) sum += std::norm(leading(r_(i, j)));
    }
    return std::sqrt(sum) / unit;
  }
  double right_orthogonality_u2() const { return frobenius(s_) / unit; }

 private:
  static Dense<D> leading_words(const Dense<T>& x) {
    return Dense<D>(x, [](const T& t) { return leading(t); });
  }
  static Dense<T> in_double_double(const Dense<D>& x) {
    return Dense<T>(x, [](const D& d) { return T(d); });
  }

  // R, S, T, σ.
  void evaluate() {
    r_ = orthogonality_defect(place_, u_);
    s_ = orthogonality_defect(place_, v_);
    y_ = product(place_, a_, v_);
    t_ = Dense<T>(m_, n_);
    place_.multiply(T(1), u_.view().turned(Op::conjugate_transpose), y_.view(), T(0), t_.view());
    values_.resize(static_cast<std::size_t>(n_));
    size_ = 0.0;
    for (std::int64_t i = 0; i < n_; ++i) {
      const dd_real x = real_part(t_(i, i)) / (1.0 - (real_part(r_(i, i)) + real_part(s_(i, i))) * 0.5);
      values_[static_cast<std::size_t>(i)] = x;
      size_ = std::max(size_, std::fabs(x.hi));
    }
  }

  template <class F>
  void for_columns(std::int64_t count, F f) const {
    spectral::for_columns(place_.threads(), count, f);
  }

  // p and q, and of rows beyond n α, rounded only when they are there: their terms cancel. On the diagonal q is the
  // phase that is left between u_j and v_j.
  Rest judge() {
    p_ = Dense<D>(n_, n_);
    q_ = Dense<D>(n_, n_);
    beyond_ = Dense<D>(m_ - n_, n_);
    std::vector<double> of_couplings(static_cast<std::size_t>(n_));
    for_columns(n_, [&](std::int64_t j) {
      double of_alpha = 0.0, of_beta = 0.0;
      for (std::int64_t i = 0; i < n_; ++i) {
        const T turned = blas::conjugated(t_(j, i), true);
        const T alpha = i == j ? t_(j, j) : T(t_(i, j) + r_(i, j) * value(j));
        const T beta = i == j ? turned : T(turned + s_(i, j) * value(j));
        q_(i, j) = leading(T(alpha - beta)) * 0.5;
        if (i == j) {
          of_alpha += std::abs(q_(i, j));
          of_beta += std::abs(q_(i, j));
          continue;
        }
        p_(i, j) = leading(T(alpha + beta)) * 0.5;
        of_alpha += std::abs(leading(alpha));
        of_beta += std::abs(leading(beta));
      }
      for (std::int64_t i = n_; i < m_; ++i) {
        const D alpha = leading(T(t_(i, j) + r_(i, j) * value(j)));
        beyond_(i - n_, j) = alpha;
        of_alpha += std::abs(alpha);
      }
      of_couplings[static_cast<std::size_t>(j)] = std::max(of_alpha, of_beta);
    });
    const double largest = *std::max_element(of_couplings.begin(), of_couplings.end());
    return {largest, std::max(largest_column(r_), largest_column(s_)),
            largest <= 2.0 * static_cast<double>(m_) * unit * size_ || is_all_noise()};
  }
  double largest_column(const Dense<T>& x) const {
    std::vector<double> sums(static_cast<std::size_t>(x.columns()));
    for_columns(x.columns(), [&](std::int64_t j) {
      for (std::int64_t i = 0; i < x.rows(); ++i) sums[static_cast<std::size_t>(j)] += std::abs(leading(x(i, j)));
    });
    return *std::max_element(sums.begin(), sums.end());
  }

  // What couples two pairs of vectors with σ of the same sign, with σ of opposite signs, and one with a column of U
  // beyond n; and the gaps of values that divide it.
  double p(std::int64_t i, std::int64_t j) const { return std::abs(p_(i, j)); }
  double q(std::int64_t i, std::int64_t j) const { return std::abs(q_(i, j)); }
  double beyond(std::int64_t i, std::int64_t j) const { return std::abs(beyond_(i, j)); }
  double gap(std::int64_t i, std::int64_t j) const { return (value(j) - value(i)).hi; }
  double sum(std::int64_t i, std::int64_t j) const { return (value(j) + value(i)).hi; }

  // LAPACK's xBDSQR takes couplings of 90 u, relative to the values, for 0: rotations of values near zero leave them.
  NoiseGate noise_gate() const { return {m_, size_, 0x1p-46}; }

  // f(one, other, gap) of each coupling until it is false.
  template <class F>
  bool for_couplings(F f) const {
    for (std::int64_t j = 0; j < n_; ++j) {
      for (std::int64_t i = 0; i < j; ++i) {
        if (!f(p(i, j), p(j, i), gap(i, j)) || !f(q(i, j), q(j, i), sum(i, j))) return false;
      }
      if (!f(q(j, j), q(j, j), sum(j, j))) return false;
      for (std::int64_t i = 0; i < m_ - n_; ++i) {
        if (!f(beyond(i, j), beyond(i, j), value(j).hi)) return false;
      }
    }
    return true;
  }
  // Of many roundings a few are more than the gate takes for noise, and other ones after each update.
  bool is_all_noise() const {
    const NoiseGate gate = noise_gate();
    std::int64_t left = n_ / 16;
    return for_couplings([&](double one, double other, double) {
      return gate.is_noise(one, other) || (gate.is_noise(one / 2.0, other / 2.0) && left-- > 0);
    });
  }

  // σ_j and −σ_j are Rayleigh quotients of [0 A; Aᴴ 0], and err by the squares of what an update would take away.
  bool are_values_right() const {
    const NoiseGate gate = noise_gate();
    const auto is_resolved = [&](double one, double other, double gap) { return !gate.is_unresolved(one, other, gap); };
    if (!for_couplings(is_resolved)) return false;
    for (std::int64_t j = 0; j < n_; ++j) {
      double error = 0.0;
      const auto add = [&](double one, double other, double gap) {
        if (!gate.is_noise(one, other)) error += one * (one / std::fabs(gap));
      };
      for (std::int64_t i = 0; i < n_; ++i) {
        add(q(i, j), q(j, i), sum(i, j));
        if (i != j) add(p(i, j), p(j, i), gap(i, j));
      }
      for (std::int64_t i = 0; i < m_ - n_; ++i) add(beyond(i, j), beyond(i, j), value(j).hi);
      if (!(error <= unit / 8.0 * size_)) return false;
    }
    return true;
  }

  // Members of components; that of label(n) is of values too near zero for their sums to divide by.
  Components components(const NoiseGate& gate) const {
    Components components(n_ + 1);
    const auto join = [&](double one, double other, double gap, std::int64_t i, std::int64_t j) {
      if (gate.is_close(one, other, gap)) components.join(i, j, !gate.is_noise(one, other));
    };
    // Rotated by first order, 2^-46 of noise would leave noise that is rotated again, for ever.
    const NoiseGate of_differences(m_, size_);
    for (std::int64_t j = 0; j < n_; ++j) {
      for (std::int64_t i = 0; i <= j; ++i) {
        if (i != j && of_differences.is_close(p(i, j), p(j, i), gap(i, j))) {
          components.join(i, j, of_differences.is_unresolved(p(i, j), p(j, i), gap(i, j)));
        }
        for (const std::int64_t k : {i, j}) join(q(i, j), q(j, i), sum(i, j), k, n_);
      }
      for (std::int64_t i = 0; i < m_ - n_; ++i) join(beyond(i, j), beyond(i, j), value(j).hi, j, n_);
    }
    return components;
  }

  void update(bool only_orthonormalises) {
    Dense<D> f(m_, m_), g(n_, n_);
    const auto half = [](const Dense<T>& x, std::int64_t i, std::int64_t j) { return leading(x(i, j)) * 0.5; };
    for_columns(m_, [&](std::int64_t j) {
      for (std::int64_t i = 0; i < m_; ++i) f(i, j) = half(r_, i, j);
      if (j >= n_) return;
      for (std::int64_t i = 0; i < n_; ++i) g(i, j) = half(s_, i, j);
    });
    std::vector<std::vector<std::int64_t>> clusters;
    std::vector<std::int64_t> label;
    if (!only_orthonormalises) {
      const NoiseGate gate = noise_gate();
      Components found = components(gate);
      label = found.labels();
      clusters = found.clusters();
      find_corrections(gate, label, f, g);
    }
    correct(place_, u_, f, largest_entry(place_.threads(), f), options_);
    correct(place_, v_, g, largest_entry(place_.threads(), g), options_);
    for (auto& cluster : clusters) cluster.back() == n_ ? rotate_null_space(cluster) : rotate_cluster(cluster);
  }

  // F and G of what is neither noise nor in a component; R / 2 and S / 2 stand in them.
  void find_corrections(const NoiseGate& gate, const std::vector<std::int64_t>& label, Dense<D>& f, Dense<D>& g) const {
    const auto label_of = [&](std::int64_t i) { return label[static_cast<std::size_t>(i)]; };
    const auto is_near_zero = [&](std::int64_t i) { return label_of(i) == label_of(n_); };
    for_columns(n_, [&](std::int64_t j) {
      for (std::int64_t i = 0; i < n_; ++i) {
        D same = f(i, j) + g(i, j), opposite = f(i, j) - g(i, j);
        const bool is_together = label_of(i) == label_of(j);
        if (!is_together && !gate.is_noise(p(i, j), p(j, i))) same = p_(i, j) * (2.0 / gap(i, j));
        if (!(is_together && is_near_zero(j)) && !gate.is_noise(q(i, j), q(j, i))) {
          opposite = q_(i, j) * (2.0 / sum(i, j)) + (i == j ? opposite : D(0));
        }
        f(i, j) = (same + opposite) * 0.5;
        g(i, j) = (same - opposite) * 0.5;
      }
      if (is_near_zero(j)) return;
      for (std::int64_t i = n_; i < m_; ++i) {
        if (gate.is_noise(beyond(i - n_, j), 0.0)) continue;
        f(i, j) = beyond_(i - n_, j) * (1.0 / value(j).hi);
        f(j, i) = blas::conjugated(D(leading(r_(i, j)) - f(i, j)), true);
      }
    });
  }

  // What is left of T in a cluster's spaces once the value in its middle is taken off is small, and exact to double.
  void rotate_cluster(std::vector<std::int64_t>& members) {
    const auto count = static_cast<std::int64_t>(members.size());
    std::sort(members.begin(), members.end(), [this](std::int64_t i, std::int64_t j) { return value(i) < value(j); });
    const dd_real middle = value(members[members.size() / 2]);
    Dense<D> rest(count, count);
    for (std::int64_t l = 0; l < count; ++l) {
      for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t i = members[static_cast<std::size_t>(k)], j = members[static_cast<std::size_t>(l)];
        const T defect = (r_(i, j) + s_(i, j)) * middle, both = t_(i, j) + blas::conjugated(t_(j, i), true);
        const T twice = both + defect;
        rest(k, l) = leading(i == j ? T(twice - middle * 2.0) : twice) * 0.5;
      }
    }
    Dense<T> z = in_double_double(eigenvectors_in_double(lapack_threads, rest));
    orthonormalise(place_, z);
    rotate_columns(place_, u_, members, z);
    rotate_columns(place_, v_, members, z);
  }

  // Values near zero are small, so that double suffices; U's columns beyond n belong to the same space.
  void rotate_null_space(const std::vector<std::int64_t>& cluster) {
    std::vector<std::int64_t> right(cluster.begin(), cluster.end() - 1), left = right;
    for (std::int64_t i = n_; i < m_; ++i) left.push_back(i);
    Dense<D> t(static_cast<std::int64_t>(left.size()), static_cast<std::int64_t>(right.size()));
    double most = 0.0;
    for (std::int64_t l = 0; l < t.columns(); ++l) {
      for (std::int64_t k = 0; k < t.rows(); ++k) {
        t(k, l) = leading(t_(left[static_cast<std::size_t>(k)], right[static_cast<std::size_t>(l)]));
        most = std::max(most, std::abs(t(k, l)));
      }
    }
    const int exponent = solver::exponent_to_one(most);
    t = Dense<D>(t, [exponent](const D& d) { return solver::scaled(d, exponent); });
    const Decomposition<D> found = native_decomposition(lapack_threads, t, LeftVectors::whole);
    Dense<T> of_u = in_double_double(found.u), of_v = in_double_double(found.v);
    orthonormalise(place_, of_u);
    orthonormalise(place_, of_v);
    rotate_columns(place_, u_, left, of_u);
    rotate_columns(place_, v_, right, of_v);
  }

  std::int64_t m_, n_;
  BlockedOptions options_;
  blas::HostPlace<T> place_;
  Dense<T> a_, u_, v_, y_, r_, s_, t_;
  Dense<D> p_, q_, beyond_;
  std::vector<dd_real> values_;
  double size_ = 0.0;
  int updates_ = 0;
};

}  // namespace hilo::spectral
