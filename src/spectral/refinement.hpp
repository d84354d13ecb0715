// What refinements of eigenvectors and of singular vectors have in common: steps until what is left is rounding.
#pragma once

#include <algorithm>
#include <limits>

#include "spectral/orthogonality.hpp"

namespace hilo::spectral {

inline constexpr double unit = 0x1p-106;

/// LAPACK's bits depend on its threads, and those of what is refined would.
inline constexpr int lapack_threads = 1;

/// What looser products round is more than the noise gate takes for noise.
inline BlockedOptions classic(BlockedOptions options) {
  options.accuracy = Accuracy::classic;
  options.bits = 0;
  return options;
}

/// f(j) of each column.
template <class F>
void for_columns(int threads, std::int64_t n, F f) {
  host::for_parts(n < 64 ? 1 : threads, n, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = begin; j < end; ++j) f(j);
  });
}

/// How far vectors are from what they are to be.
struct Rest {
  double couplings, defect;  // largest sums of a column
  bool is_done;              // what is left to rotate is rounding
};

/// Whether vectors become as good as their products show, or, where those are not wanted, values; counts updates.
/// `judge` returns the Rest of vectors of `order` elements, update(true) makes them orthonormal and nothing else.
template <class Judge, class AreValuesRight, class Update>
bool refine(std::int64_t order, bool wants_vectors, int& updates, Judge judge, AreValuesRight are_values_right,
            Update update) {
  constexpr int most_updates = 20;
  double couplings = std::numeric_limits<double>::infinity(), defect = couplings;
  for (int since_halved = 0; updates <= most_updates; ++updates) {
    const Rest rest = judge();
    // Roundings of the defect itself are a few u².
    if (rest.is_done && rest.defect <= unit * static_cast<double>(order + 4)) return true;
    if (!(rest.defect < 0.5)) return false;
    if (!wants_vectors && are_values_right()) return true;
    const bool has_halved = rest.couplings <= couplings / 2.0 || rest.defect <= defect / 2.0;
    since_halved = has_halved ? 0 : since_halved + 1;
    if (since_halved == 3) return false;
    couplings = std::min(couplings, rest.couplings);
    defect = std::min(defect, rest.defect);
    update(rest.is_done);
  }
  return false;
}

/// The largest |entry|.
template <class D>
double largest_entry(int threads, const Dense<D>& e) {
  std::vector<double> largest(static_cast<std::size_t>(e.columns()));
  for_columns(threads, e.columns(), [&](std::int64_t j) {
    double& most = largest[static_cast<std::size_t>(j)];
    for (std::int64_t i = 0; i < e.rows(); ++i) most = std::max(most, std::abs(e(i, j)));
  });
  return largest.empty() ? 0.0 : *std::max_element(largest.begin(), largest.end());
}

}  // namespace hilo::spectral
