// The proved error bound of the direct engine, docs/error-bounds.md.
#include <algorithm>
#include <cmath>
#include <hilo/gemm.hpp>

#include "gemm/direct/reference.hpp"

namespace hilo {
namespace {

// What the steps of one chunk lose, in u² of |A||B|. Theorems 1 and 4.
double chunk_bound(double steps, Accuracy accuracy, bool is_complex, bool fma) {
  if (accuracy == Accuracy::classic) {
    return fma ? 5.0 * steps + (is_complex ? 22.0 : 10.0) : 6.0 * steps + (is_complex ? 18.0 : 7.0);
  }
  return fma ? 9.5 * steps + (is_complex ? 80.0 : 44.0) : 12.0 * steps + (is_complex ? 73.0 : 35.0);
}

}  // namespace

double direct_error_bound_u2(std::int64_t k, Accuracy accuracy, bool is_complex, bool fma) {
  double steps = static_cast<double>(std::max<std::int64_t>(k, 0)) * (is_complex ? 2.0 : 1.0);
  constexpr auto chunk = static_cast<double>(direct::chunk_steps);
  double sum = steps > 0.0 ? chunk_bound(std::min(steps, chunk), accuracy, is_complex, fma) : 0.0;
  if (steps > chunk) {
    auto parts = [steps](double length) { return std::ceil(steps / length); };
    // Theorem 2: the accurate additions on a term's way; the first of each kind adds to zero, exactly.
    double additions =
        std::min(parts(direct::chunk_steps), static_cast<double>(direct::superchunk_steps / direct::chunk_steps)) +
        parts(direct::superchunk_steps) - 2.0;
    sum += 3.0 * additions;
  }
  // Theorems 3 and 4: alpha and beta; the last unit is for the terms of higher order.
  return sum + (is_complex ? 16.0 : 9.0);
}

}  // namespace hilo
