#include "gemm/modular/cpu/exact_bits.hpp"

#include <algorithm>
#include <bit>

#include "host/team.hpp"

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
  std::vector<std::int64_t> all(static_cast<std::size_t>(x.lines), 0);
  host::for_parts(threads, x.lines, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      auto line = static_cast<std::size_t>(i);
      if (is_idle[line]) continue;
      std::int64_t most = 0;
      for (std::int64_t h = 0; h < x.terms; ++h) {
        const double* e = x.element(i, h);
        for (int w = 0; w < x.words * x.parts; ++w) {
          if (e[w] != 0.0) most = std::max(most, exponent[line] - last_bit(e[w]));
        }
      }
      all[line] = most;
    }
  });
  return all.empty() ? 0 : *std::max_element(all.begin(), all.end());
}

}  // namespace hilo::modular
