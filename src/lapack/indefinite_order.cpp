#include "lapack/indefinite_order.hpp"

#include <algorithm>
#include <string>

#include "lapack/pivots.hpp"

namespace hilo::lapack {

using std::to_string;

std::vector<std::int64_t> ordered_pivots(Uplo uplo, std::span<const std::int64_t> pivots, std::int64_t n) {
  std::vector<std::int64_t> p(pivots.begin(), pivots.begin() + n);
  if (uplo == Uplo::upper) {
    std::ranges::reverse(p);
    for (std::int64_t& x : p) x = x > 0 ? n + 1 - x : -(n + 1 + x);
  }
  return p;
}

std::vector<std::int64_t> checked_pivots(const blas::Arguments& check, Uplo uplo, std::span<const std::int64_t> pivots,
                                         std::int64_t n) {
  check_pivot_count(check, pivots, n);
  const auto ordered = ordered_pivots(uplo, pivots, n);
  const auto at = [&](std::int64_t k) { return ordered[static_cast<std::size_t>(k)]; };
  for (std::int64_t k = 0, size; k < n; k += size) {
    size = at(k) > 0 ? 1 : 2;
    const std::int64_t row = size == 1 ? at(k) : -at(k), last = k + size;
    if (last > n || row < last || row > n || at(last - 1) != at(k)) {
      const std::int64_t place = uplo == Uplo::upper ? n - 1 - k : k;
      check.reject(errc::invalid_argument, "pivots[" + to_string(place) +
                                               "] = " + to_string(pivots[static_cast<std::size_t>(place)]) +
                                               " is no pivot of a matrix of " + to_string(n) + " rows");
    }
  }
  return ordered;
}

std::vector<BlockOfD> blocks_of_d(std::span<const std::int64_t> pivots, std::int64_t first, std::int64_t count) {
  std::vector<BlockOfD> all;
  for (std::int64_t k = first; k < first + count; k += all.back().size) {
    const std::int64_t p = pivots[static_cast<std::size_t>(k)];
    all.push_back({k, p > 0 ? 1 : 2, (p > 0 ? p : -p) - 1});
  }
  return all;
}

}  // namespace hilo::lapack
