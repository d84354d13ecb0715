// Residues of integers from their bytes, by the sums of AVX-512 VNNI, run by run or in the order in which AMX takes
// them (docs/modular.md, 3.2).
#pragma once

#include <cstdint>
#include <string_view>

#include "gemm/modular/moduli.hpp"

namespace hilo::modular {

/// Whether this build and CPU can, for integers of so many bits.
bool has_byte_residues(int bits);
/// Whether products with the kernels of that target (KernelSet) do: with AVX-512's, as a caller may ask for less.
bool takes_byte_residues(std::string_view target, int bits);

/// One modulus: Σ byte_b · weight_b from `start` on is congruent to the integer times w of ResidueConstants, plus half
/// of the modulus where residues are symmetric.
struct ByteResidue {
  std::int32_t weights[4];  ///< of four bytes each
  std::int32_t start;
  std::uint32_t reciprocal;
  std::uint16_t modulus;
  std::uint8_t half;
};
ByteResidue byte_residue(const ResidueConstants& constants, int bits, bool is_symmetric);

/// The integers of 16 runs of 64 elements. `along_lines`: a run is of lines, the elements of four runs at a time are
/// neighbours; else a run is of terms, its own elements are.
class IntegerTile {
 public:
  static constexpr std::int64_t runs = 16, elements = 64;
  static constexpr int most_limbs = 3;

  IntegerTile(int bits, bool along_lines) : limbs_(limbs_for(bits)), along_lines_(along_lines) {}

  /// `limb` is what KernelSet::limbs() writes of a run.
  void set(std::int64_t run, const double* limb);

  /// The first `count` of 16 rows of 64 bytes, as AMX packs them: of a run of terms its residues; of lines, where row
  /// 4 g + q has those of elements 16 g to 16 g + 15, of each the four of runs 4 q to 4 q + 3. `rows` begins a cache
  /// line. Where `streams`, past all caches.
  void residues(const ByteResidue& x, std::int64_t count, std::uint8_t* rows, bool streams) const;

 private:
  [[maybe_unused]] int limbs_;
  [[maybe_unused]] bool along_lines_;
  // Of a row the elements that are byte 0, 1, 2 and 3 of its words; of these the integers' words, from the lowest.
  [[maybe_unused]] alignas(64) std::uint32_t word_[16][4][4][16];
};

/// Copies whole cache lines, past all caches where `streams`. A thread's are there for others after finish_streams().
void copy_lines(const std::uint8_t* from, std::uint8_t* to, std::int64_t bytes, bool streams);
void finish_streams();

}  // namespace hilo::modular
