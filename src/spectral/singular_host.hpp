// What the refinement of singular vectors does with matrices, on the host.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "spectral/cluster.hpp"
#include "spectral/native.hpp"
#include "spectral/native_singular_values.hpp"
#include "spectral/noise_gate.hpp"
#include "spectral/one_sided_jacobi.hpp"
#include "spectral/refinement.hpp"
#include "spectral/singular_refinement.hpp"

namespace hilo::spectral {

template <double_double T>
class SingularHost {
 public:
  using D = Leading<T>;
  using Values = std::vector<dd_real>;

  /// A is m × n, m >= n >= 1, with its largest entry near 1, or 0. U is m × m.
  SingularHost(Dense<T> a, const BlockedOptions& options)
      : m_(a.rows()), n_(a.columns()), options_(classic(options)), place_(options_), a_(std::move(a)) {}

  std::int64_t rows() const { return m_; }
  std::int64_t columns() const { return n_; }
  const Dense<T>& matrix() const { return a_; }
  const Dense<T>& u() const { return u_; }
  const Dense<T>& v() const { return v_; }

  /// U and V from LAPACK's singular vectors of A's leading words.
  void start() {
    const Decomposition<D> start = native_decomposition<D>(
        lapack_threads, Dense<D>(a_, [](const T& t) { return leading(t); }), LeftVectors::whole);
    start_with(start.u, start.v);
  }
  void start_with(const Dense<D>& u, const Dense<D>& v) {
    u_ = in_double_double(u);
    v_ = in_double_double(v);
  }

  /// For every matrix: Jacobi rotations in double-double. The number of sweeps.
  int rotate_all() {
    Decomposition<T> found = jacobi_decomposition(a_, LeftVectors::whole, options_);
    u_ = std::move(found.u);
    v_ = std::move(found.v);
    orthonormalise(place_, u_);
    orthonormalise(place_, v_);
    return found.sweeps;
  }

  /// R, S, Y, T; what stands on the diagonals of T, R and S.
  SingularDiagonals evaluate() {
    r_ = orthogonality_defect(place_, u_);
    s_ = orthogonality_defect(place_, v_);
    y_ = product(place_, a_, v_);
    t_ = Dense<T>(m_, n_);
    place_.multiply(T(1), u_.view().turned(Op::conjugate_transpose), y_.view(), T(0), t_.view());
    SingularDiagonals diagonals;
    for (std::int64_t i = 0; i < n_; ++i) {
      diagonals.of_t.push_back(real_part(t_(i, i)));
      diagonals.of_r.push_back(real_part(r_(i, i)));
      diagonals.of_s.push_back(real_part(s_(i, i)));
    }
    return diagonals;
  }

  /// p and q, and of rows beyond n α, rounded only when they are there: their terms cancel. On the diagonal q is the
  /// phase that is left between u_j and v_j. The largest sums of columns; all that follows is of these values and
  /// gates, that of differences being p's where components are found.
  Rest couple(const Values& values, const NoiseGate& gate, const NoiseGate& of_differences) {
    values_ = values;
    gate_ = gate;
    of_differences_ = of_differences;
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
    return {largest, std::max(largest_column(r_), largest_column(s_)), false};
  }

  /// Of many roundings a few are more than the gate takes for noise, and other ones after each update.
  bool is_all_noise() const {
    std::int64_t left = n_ / 16;
    return for_couplings([&](double one, double other, double) {
      return gate_.is_noise(one, other) || (gate_.is_noise(one / 2.0, other / 2.0) && left-- > 0);
    });
  }

  /// The largest sum of what an update would take away from a value, squared, by gaps; Inf where a pair is unresolved.
  double largest_error(double enough) const {
    const auto is_resolved = [&](double one, double other, double gap) {
      return !gate_.is_unresolved(one, other, gap);
    };
    if (!for_couplings(is_resolved)) return std::numeric_limits<double>::infinity();
    double largest = 0.0;
    for (std::int64_t j = 0; j < n_ && largest <= enough; ++j) {
      double error = 0.0;
      const auto add = [&](double one, double other, double gap) {
        if (!gate_.is_noise(one, other)) error += one * (one / std::fabs(gap));
      };
      for (std::int64_t i = 0; i < n_; ++i) {
        add(q(i, j), q(j, i), sum(i, j));
        if (i != j) add(p(i, j), p(j, i), gap(i, j));
      }
      for (std::int64_t i = 0; i < m_ - n_; ++i) add(beyond(i, j), beyond(i, j), value(j).hi);
      if (!(error <= largest)) largest = error;
    }
    return largest;
  }

  /// Members of components; that of label(n) is of values too near zero for their sums to divide by.
  Components components() const {
    Components components(n_ + 1);
    const auto join = [&](double one, double other, double gap, std::int64_t i, std::int64_t j) {
      if (gate_.is_close(one, other, gap)) components.join(i, j, !gate_.is_noise(one, other));
    };
    // Rotated by first order, 2^-46 of noise would leave noise that is rotated again, for ever.
    for (std::int64_t j = 0; j < n_; ++j) {
      for (std::int64_t i = 0; i <= j; ++i) {
        if (i != j && of_differences_.is_close(p(i, j), p(j, i), gap(i, j))) {
          components.join(i, j, of_differences_.is_unresolved(p(i, j), p(j, i), gap(i, j)));
        }
        for (const std::int64_t k : {i, j}) join(q(i, j), q(j, i), sum(i, j), k, n_);
      }
      for (std::int64_t i = 0; i < m_ - n_; ++i) join(beyond(i, j), beyond(i, j), value(j).hi, j, n_);
    }
    return components;
  }

  /// F = R / 2, G = S / 2.
  void take_halves_of_defects() {
    f_ = Dense<D>(m_, m_);
    g_ = Dense<D>(n_, n_);
    const auto half = [](const Dense<T>& x, std::int64_t i, std::int64_t j) { return leading(x(i, j)) * 0.5; };
    for_columns(m_, [&](std::int64_t j) {
      for (std::int64_t i = 0; i < m_; ++i) f_(i, j) = half(r_, i, j);
      if (j >= n_) return;
      for (std::int64_t i = 0; i < n_; ++i) g_(i, j) = half(s_, i, j);
    });
  }
  /// F and G of what is neither noise nor in a component, of others R / 2 and S / 2.
  void find_corrections(const std::vector<std::int64_t>& label) {
    take_halves_of_defects();
    const auto label_of = [&](std::int64_t i) { return label[static_cast<std::size_t>(i)]; };
    const auto is_near_zero = [&](std::int64_t i) { return label_of(i) == label_of(n_); };
    for_columns(n_, [&](std::int64_t j) {
      for (std::int64_t i = 0; i < n_; ++i) {
        D same = f_(i, j) + g_(i, j), opposite = f_(i, j) - g_(i, j);
        const bool is_together = label_of(i) == label_of(j);
        if (!is_together && !gate_.is_noise(p(i, j), p(j, i))) same = p_(i, j) * (2.0 / gap(i, j));
        if (!(is_together && is_near_zero(j)) && !gate_.is_noise(q(i, j), q(j, i))) {
          opposite = q_(i, j) * (2.0 / sum(i, j)) + (i == j ? opposite : D(0));
        }
        f_(i, j) = (same + opposite) * 0.5;
        g_(i, j) = (same - opposite) * 0.5;
      }
      if (is_near_zero(j)) return;
      for (std::int64_t i = n_; i < m_; ++i) {
        if (gate_.is_noise(beyond(i - n_, j), 0.0)) continue;
        f_(i, j) = beyond_(i - n_, j) * (1.0 / value(j).hi);
        f_(j, i) = blas::conjugated(D(leading(r_(i, j)) - f_(i, j)), true);
      }
    });
  }

  /// U + U · F, V + V · G.
  void correct() {
    spectral::correct(place_, u_, f_, largest_entry(place_.threads(), f_), options_);
    spectral::correct(place_, v_, g_, largest_entry(place_.threads(), g_), options_);
  }

  /// What is left of T in each cluster's spaces once the value in its middle is taken off, rounded.
  std::vector<Dense<D>> blocks(const std::vector<Cluster>& clusters) const {
    std::vector<Dense<D>> all;
    for (const Cluster& cluster : clusters) {
      const auto count = static_cast<std::int64_t>(cluster.members.size());
      Dense<D> rest(count, count);
      for (std::int64_t l = 0; l < count; ++l) {
        for (std::int64_t k = 0; k < count; ++k) {
          const std::int64_t i = cluster.members[static_cast<std::size_t>(k)],
                             j = cluster.members[static_cast<std::size_t>(l)];
          const T defect = (r_(i, j) + s_(i, j)) * cluster.middle, both = t_(i, j) + blas::conjugated(t_(j, i), true);
          const T twice = both + defect;
          rest(k, l) = leading(i == j ? T(twice - cluster.middle * 2.0) : twice) * 0.5;
        }
      }
      all.push_back(std::move(rest));
    }
    return all;
  }
  /// Leading words of T's rows `left` and columns `right`.
  Dense<D> block(const std::vector<std::int64_t>& left, const std::vector<std::int64_t>& right) const {
    Dense<D> t(std::ssize(left), std::ssize(right));
    for (std::int64_t l = 0; l < t.columns(); ++l) {
      for (std::int64_t k = 0; k < t.rows(); ++k) {
        t(k, l) = leading(t_(left[static_cast<std::size_t>(k)], right[static_cast<std::size_t>(l)]));
      }
    }
    return t;
  }

  /// Columns of U and V in each cluster times its Z, orthonormal to double, made so to double-double.
  void rotate(const std::vector<Cluster>& clusters, const std::vector<Dense<D>>& all) {
    for (std::size_t c = 0; c < clusters.size(); ++c) {
      Dense<T> z = in_double_double(all[c]);
      orthonormalise(place_, z);
      rotate_columns(place_, u_, clusters[c].members, z);
      rotate_columns(place_, v_, clusters[c].members, z);
    }
  }
  /// Some columns of U, others of V, each by their own.
  void rotate_sides(const std::vector<std::int64_t>& left, const Dense<D>& of_left,
                    const std::vector<std::int64_t>& right, const Dense<D>& of_right) {
    Dense<T> of_u = in_double_double(of_left), of_v = in_double_double(of_right);
    orthonormalise(place_, of_u);
    orthonormalise(place_, of_v);
    rotate_columns(place_, u_, left, of_u);
    rotate_columns(place_, v_, right, of_v);
  }

  /// ‖A V − U Σ‖, ‖I − Uᴴ U‖, n columns of U, and ‖I − Vᴴ V‖ by the products there are.
  SingularNorms norms(const Values& values) const {
    Dense<T> w = y_;
    for_columns(n_, [&](std::int64_t j) {
      for (std::int64_t i = 0; i < m_; ++i) w(i, j) = w(i, j) - u_(i, j) * values[static_cast<std::size_t>(j)];
    });
    double sum = 0.0;
    for (std::int64_t j = 0; j < n_; ++j) {
      for (std::int64_t i = 0; i < n_; ++i) sum += std::norm(leading(r_(i, j)));
    }
    return {frobenius(w), std::sqrt(sum), frobenius(s_)};
  }

 private:
  static Dense<T> in_double_double(const Dense<D>& x) {
    return Dense<T>(x, [](const D& d) { return T(d); });
  }
  const dd_real& value(std::int64_t j) const { return values_[static_cast<std::size_t>(j)]; }

  template <class F>
  void for_columns(std::int64_t count, F f) const {
    spectral::for_columns(place_.threads(), count, f);
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
  std::int64_t m_, n_;
  BlockedOptions options_;
  blas::HostPlace<T> place_;
  Dense<T> a_, u_, v_, y_, r_, s_, t_;
  Dense<D> p_, q_, beyond_, f_, g_;
  Values values_;
  NoiseGate gate_{0, 0.0}, of_differences_{0, 0.0};
};

}  // namespace hilo::spectral
