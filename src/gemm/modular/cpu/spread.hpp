// How widely exponents spread in each sum of a product: E_ij = e_i + f_j − max over h of E(a_ih) + E(b_hj), both
// nonzero.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gemm/modular/cpu/kernels.hpp"
#include "gemm/modular/cpu/operand.hpp"

namespace hilo::modular {

struct Position;

/// Lines whose sums are asked for more bits than E says; none where the vectors are empty.
struct Surcharge {
  std::array<const std::vector<std::uint8_t>*, 2> lines;
  int bits;
};

class Spread {
 public:
  /// E that are only known to be at least so large, and what stands for a sum without a nonzero product.
  static constexpr int most = max_deficit, of_zero = 255;
  using Histogram = std::array<std::int64_t, 256>;

  /// Exponents e by operand and line, with the terms of A scaled by 2^balance and those of B by its inverse, if any.
  /// Idle lines are left out; E of the sums of lines with a surcharge is larger by it. All references must stay.
  Spread(const Operand (&operand)[2], std::array<const std::vector<std::int64_t>*, 2> exponent,
         const std::vector<std::int64_t>& balance, std::array<const std::vector<std::uint8_t>*, 2> idle,
         Surcharge surcharge, const KernelSet& kernels, int threads, std::int64_t tile);

  /// How many entries have each E; those of at most `enough` may be counted as any E up to it. Keeps a map of them
  /// where that takes no more than `map_bytes`.
  Histogram histogram(int enough, std::int64_t map_bytes);

  bool has_map() const { return !map_.empty(); }

  /// The entries whose E is larger than `enough`, which is no less than histogram's; of_zero excepted.
  std::vector<Position> beyond(int enough) const;

 private:
  class Tile;
  template <class Visit>
  void visit(int enough, Visit visit) const;

  bool is_idle(int o, std::int64_t line) const {
    return (*idle_[static_cast<std::size_t>(o)])[static_cast<std::size_t>(line)] != 0;
  }
  bool is_charged(int o, std::int64_t line) const {
    const auto& charged = *surcharge_.lines[static_cast<std::size_t>(o)];
    return !charged.empty() && charged[static_cast<std::size_t>(line)];
  }

  const Operand* operand_;
  std::array<const std::vector<std::int64_t>*, 2> exponent_;
  std::array<std::vector<std::int64_t>, 2> shift_;  // by operand: −(what scales its terms), or empty
  std::array<const std::vector<std::uint8_t>*, 2> idle_;
  Surcharge surcharge_;
  const KernelSet* kernels_;
  int threads_;
  std::int64_t tile_;
  std::vector<std::uint8_t> map_;  // E by row and column, or empty
};

}  // namespace hilo::modular
