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
  /// leave couplings of about u² · size, a little more for long sums.
  NoiseGate(std::int64_t order, double size)
      : noise_((2.0 + std::sqrt(static_cast<double>(order)) / 4.0) * 0x1p-106 * size) {}

  /// Both are what roundings leave: rotations by them would not be small, of equal values, and come back squared.
  bool is_noise(double one, double other) const { return one <= noise_ && other <= noise_; }
  /// First order does not hold.
  bool is_unresolved(double one, double other, double gap) const {
    const double most = std::max(one, other);
    return most > noise_ && most > largest_rotation * std::fabs(gap);
  }

 private:
  // Its square is what a step leaves, as large as the noise of a step in double.
  static constexpr double largest_rotation = 0x1p-26;

  double noise_;
};

/// Connected components of 0 … n − 1 under pairs that were joined.
class Components {
 public:
  explicit Components(std::int64_t n) : parent_(static_cast<std::size_t>(n)) {
    std::iota(parent_.begin(), parent_.end(), std::int64_t{0});
  }

  void join(std::int64_t i, std::int64_t j) {
    i = root(i);
    j = root(j);
    if (i != j) parent_[static_cast<std::size_t>(std::max(i, j))] = std::min(i, j);
  }
  bool are_together(std::int64_t i, std::int64_t j) { return root(i) == root(j); }
  /// A member that all of the component have in common.
  std::int64_t root(std::int64_t i) {
    std::int64_t r = i;
    while (parent_[static_cast<std::size_t>(r)] != r) r = parent_[static_cast<std::size_t>(r)];
    while (i != r) i = std::exchange(parent_[static_cast<std::size_t>(i)], r);
    return r;
  }
  /// Those of more than one member.
  std::vector<std::vector<std::int64_t>> clusters() {
    std::vector<std::vector<std::int64_t>> of(parent_.size());
    for (std::size_t i = 0; i < parent_.size(); ++i) {
      of[static_cast<std::size_t>(root(static_cast<std::int64_t>(i)))].push_back(static_cast<std::int64_t>(i));
    }
    std::erase_if(of, [](const auto& members) { return members.size() < 2; });
    return of;
  }

 private:
  std::vector<std::int64_t> parent_;
};

}  // namespace hilo::spectral
