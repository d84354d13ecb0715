// Which pairs of vectors a refinement rotates by first order, and which belong together: what products round is not
// to be rotated away, and where a gap is too small for first order the vectors are those of a small dense problem.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace hilo::spectral {

/// Judges a pair by the sizes of its two couplings N_ij and N_ji, which should be 0, and the gap that divides them.
class NoiseGate {
 public:
  /// `order` is the length of the sums behind a coupling, `size` the largest value: products of double-double numbers
  /// leave couplings of about u² · size, a little more for long sums. Rotations up to `by_noise`, which has to be more
  /// than what small dense problems in double leave of one, follow couplings with noise in them, too: what they leave,
  /// 2^10 u² of 2^-48, the next step takes back.
  NoiseGate(std::int64_t order, double size, double by_noise = 0x1p-48)
      : noise_((2.0 + std::sqrt(static_cast<double>(order)) / 4.0) * 0x1p-106 * size),
        largest_rotation_by_noise_(by_noise) {}

  /// Couplings up to `noise` are noise; first order rotates by `rotation` at most, by what has noise in it
  /// `rotation_by_noise`, by noise alone less than `harmless_rotation`.
  struct Limits {
    double noise, rotation, rotation_by_noise, harmless_rotation;
  };
  Limits limits() const { return {noise_, largest_rotation, largest_rotation_by_noise_, harmless_rotation}; }

  /// Both are what roundings leave: rotations by them would not be small, of equal values, and come back squared.
  bool is_noise(double one, double other) const { return one <= noise_ && other <= noise_; }
  /// Noise that is not to be rotated away. Where a gap is so large that rotations leave nothing it is: what stayed just
  /// below the gate, with many vectors thousands of pairs, would be lifted above it by roundings, others each time.
  bool is_left_alone(double one, double other, double gap) const {
    return is_noise(one, other) && !(std::max(one, other) < harmless_rotation * std::fabs(gap));
  }
  /// First order does not hold, noise or not, or has little to tell from noise, which rotations are not to follow.
  bool is_close(double one, double other, double gap) const {
    const double most = std::max(one, other);
    return most > (most <= 16.0 * noise_ ? largest_rotation_by_noise_ : largest_rotation) * std::fabs(gap);
  }
  /// Where there is more than noise, so that something is to be done.
  bool is_unresolved(double one, double other, double gap) const {
    return !is_noise(one, other) && is_close(one, other, gap);
  }

 private:
  // Its square is what a step leaves, as large as the noise of a step in double.
  static constexpr double largest_rotation = 0x1p-26;
  // Squares of n of them are n u² / 1024.
  static constexpr double harmless_rotation = 0x1p-58;

  double noise_, largest_rotation_by_noise_;
};

/// Connected components of 0 … n − 1 under close pairs. One with an unresolved pair is a cluster, and its noise belongs
/// to it: were some of a multiple value's vectors rotated alone, noise of others would grow beyond the gate, for ever.
/// The others are left alone.
class Components {
 public:
  explicit Components(std::int64_t n) : parent_(static_cast<std::size_t>(n)), is_unresolved_(parent_.size()) {
    std::iota(parent_.begin(), parent_.end(), std::int64_t{0});
  }

  void join(std::int64_t i, std::int64_t j, bool is_unresolved) {
    i = root(i);
    j = root(j);
    const std::int64_t first = std::min(i, j), second = std::max(i, j);
    const bool is_either = is_unresolved || is_cluster(i) || is_cluster(j);
    parent_[static_cast<std::size_t>(second)] = first;
    is_unresolved_[static_cast<std::size_t>(first)] = is_either;
  }
  /// A number for each: members of a cluster have one in common.
  std::vector<std::int64_t> labels() {
    std::vector<std::int64_t> labels(parent_.size());
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const std::int64_t own = static_cast<std::int64_t>(i), r = root(own);
      labels[i] = is_cluster(r) ? r : own;
    }
    // The root of what is no cluster is its own, and nobody else's.
    return labels;
  }
  std::vector<std::vector<std::int64_t>> clusters() {
    std::vector<std::vector<std::int64_t>> of(parent_.size());
    const std::vector<std::int64_t> label = labels();
    for (std::size_t i = 0; i < label.size(); ++i) {
      of[static_cast<std::size_t>(label[i])].push_back(static_cast<std::int64_t>(i));
    }
    std::erase_if(of, [](const auto& members) { return members.size() < 2; });
    return of;
  }

 private:
  bool is_cluster(std::int64_t root) const { return is_unresolved_[static_cast<std::size_t>(root)]; }
  std::int64_t root(std::int64_t i) {
    std::int64_t r = i;
    while (parent_[static_cast<std::size_t>(r)] != r) r = parent_[static_cast<std::size_t>(r)];
    while (i != r) i = std::exchange(parent_[static_cast<std::size_t>(i)], r);
    return r;
  }

  std::vector<std::int64_t> parent_;
  std::vector<char> is_unresolved_;  // of a root
};

}  // namespace hilo::spectral
