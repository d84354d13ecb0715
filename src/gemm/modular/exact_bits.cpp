#include "gemm/modular/exact_bits.hpp"

#include <algorithm>
#include <bit>

namespace hilo::modular {
namespace {

// The exponent of the last bit that is set.
std::int64_t last_bit(double x) {
  auto bits = std::bit_cast<std::uint64_t>(x);
  auto fraction = bits & ((std::uint64_t{1} << 52) - 1);
  auto biased = static_cast<int>(bits >> 52 & 2047);
  if (biased) fraction |= std::uint64_t{1} << 52;
  return std::max(biased, 1) - 1075 + std::countr_zero(fraction);
}

}  // namespace

std::int64_t exact_bits(const Operand& x, const std::vector<std::int64_t>& exponent,
                        const std::vector<std::uint8_t>& is_idle, int threads) {
  std::int64_t most = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(max : most)
  for (std::int64_t i = 0; i < x.lines; ++i) {
    if (is_idle[static_cast<std::size_t>(i)]) continue;
    for (std::int64_t h = 0; h < x.terms; ++h) {
      const double* e = x.element(i, h);
      for (int w = 0; w < x.words * x.parts; ++w) {
        if (e[w] != 0.0) most = std::max(most, exponent[static_cast<std::size_t>(i)] - last_bit(e[w]));
      }
    }
  }
  return most;
}

}  // namespace hilo::modular
