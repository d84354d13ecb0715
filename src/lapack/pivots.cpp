#include "lapack/pivots.hpp"

namespace hilo::lapack {

using blas::Arguments;
using std::to_string;

void check_pivot_count(const Arguments& check, std::span<const std::int64_t> pivots, std::int64_t count,
                       const char* lines) {
  if (std::ssize(pivots) < count) {
    check.reject(errc::invalid_argument,
                 "pivots has room for " + to_string(pivots.size()) + ", of " + to_string(count) + " " + lines);
  }
  if (count > 0 && !pivots.data()) check.reject(errc::invalid_argument, "pivots is null");
}

void check_pivots_apart(const Arguments& check, std::span<const std::int64_t> pivots, std::int64_t count,
                        const blas::Argument& written) {
  const Arguments of_pivots("", sizeof(std::int64_t));
  if (overlap(of_pivots.footprint({"pivots", count, 1, pivots.data()}), check.footprint(written))) {
    check.reject(errc::invalid_argument, std::string("pivots overlap ") + written.name + " in memory");
  }
}

void check_pivots(const Arguments& check, std::span<const std::int64_t> pivots, std::int64_t n) {
  check_pivot_count(check, pivots, n);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t p = pivots[static_cast<std::size_t>(i)];
    if (p < i + 1 || p > n) {
      check.reject(errc::invalid_argument, "pivots[" + to_string(i) + "] = " + to_string(p) + " is not between " +
                                               to_string(i + 1) + " and " + to_string(n));
    }
  }
}

}  // namespace hilo::lapack
