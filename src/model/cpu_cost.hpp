// What DD and ZDD products on the CPU cost by either engine, and D and Z ones by the modular: formulas of a few rates.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>

namespace hilo::model {

/// Seconds on one core. Both engines share the work among threads alike, so one core tells which is faster.
struct CpuRates {
  double direct_step;       ///< of one term of a real sum in `classic`
  double direct_step_fast;  ///< the same in `fast`
  double direct_entry;      ///< of a real sum, besides
  double scan;              ///< of a number of A or B: exponents, and its integer
  double residue;           ///< of a number of A or B, for each modulus
  double byte_product;      ///< of one product of bytes and its addition
  double byte_pack;         ///< of a byte of an operand of such a product
  double reduction;         ///< of a sum of bytes
  double rebuild;           ///< of an entry, for each modulus
  double entry;             ///< of an entry, besides
  double call;              ///< of a product of matrices of bytes, besides

  bool operator==(const CpuRates&) const = default;
};

/// A product: C is m × n, of sums of k terms.
struct ProductSize {
  Precision precision;
  std::int64_t m, n, k;
  double wanted = 1.0;  ///< the part of C's entries that is computed
};

/// Terms of the products of bytes that a modular product consists of, at most.
inline constexpr std::int64_t most_byte_depth = 65536;

/// Expected seconds on one core. `accuracy` is one of the direct engine's; what an accuracy costs the modular engine is
/// told by its moduli.
double direct_seconds(const CpuRates& rates, const ProductSize& size, Accuracy accuracy);
double modular_seconds(const CpuRates& rates, const ProductSize& size, int moduli);

/// Products below this are not worth a look at the model: no machine is expected to gain there.
constexpr bool may_be_modular(const ProductSize& s) {
  double steps = static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
  return s.m >= 64 && s.n >= 64 && s.k >= 32 && steps * (s.precision == Precision::zdd ? 4.0 : 1.0) >= 0x1p23;
}

}  // namespace hilo::model
