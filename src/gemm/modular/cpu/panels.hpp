// How the modular engine cuts a product to fit its workspace. Nothing here can change a bit of the result.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gemm/modular/block_products.hpp"
#include "gemm/modular/cpu/bytes.hpp"
#include "gemm/modular/moduli.hpp"
#include "matrix/sizes.hpp"

namespace hilo::modular {

/// Whole cache lines of bytes.
constexpr std::int64_t padded(std::int64_t count) { return (count + 63) / 64 * 64; }

/// From a row of residues to the next: rows a power of two apart would share cache sets.
constexpr std::int64_t leading_bytes(std::int64_t count) {
  std::int64_t bytes = padded(count);
  return bytes % 512 == 0 ? bytes + 64 : bytes;
}

/// A plane of rows of residues; planes must not share cache sets either.
inline constexpr std::int64_t apart = 5 * 64;
constexpr std::int64_t plane_bytes(std::int64_t rows, std::int64_t columns) {
  return rows * leading_bytes(columns) + apart;
}

/// So many terms of a packed tile of 256 rows, 1 MiB, stay in the second-level cache.
inline constexpr std::int64_t most_packed_terms = 4096;

/// Lines and terms of one of the blocks that `count` of them are cut into; all of them where there are no levels. A
/// block of lines begins a cache line of C's residues.
constexpr std::int64_t block_lines(std::int64_t count, int levels) {
  return levels == 0 ? count : padded(blocks(count, block_grid(levels)));
}
constexpr std::int64_t block_terms(std::int64_t count, int levels) {
  return levels == 0 ? count : round_up(blocks(count, block_grid(levels)), 16);
}

/// A run of an operand has its residues modulo a number, with levels those of all its factors: what sums are formed of
/// lies together.
constexpr std::int64_t run_bytes(std::int64_t length, int levels) { return block_factors(levels) * padded(length); }

struct PanelProblem {
  std::int64_t lines[2];  ///< of the first operand (rows of the product of bytes) and of the second (columns)
  bool runs_along_lines[2];
  std::int64_t terms;
  int moduli;
  int parts;  ///< 2 for complex products
  int threads;
  bool packs;  ///< whether the library that multiplies bytes gains by packed operands
  int levels;  ///< of Strassen's algorithm, where blocks fit; −1: as many as pay

  bool operator==(const PanelProblem&) const = default;
};

struct Panels {
  std::int64_t lines[2];
  std::int64_t depth;
  int chunk;             ///< moduli whose residues are held at a time
  int levels;            ///< of products of blocks (block_products.hpp): residues of an operand are its factors
  bool packs;            ///< whether residues are packed for the library that multiplies bytes
  std::int64_t tile[2];  ///< of a block, what one call multiplies

  /// Sums of bytes that make a residue of C; of some moduli of complex products fewer.
  int sums(const PanelProblem& p) const { return p.parts == 2 ? 3 : 1; }
  /// A factor of an operand, packed.
  std::int64_t packed_factor(int operand) const {
    return packed_bytes(block_lines(lines[operand], levels), block_terms(depth, levels));
  }
  std::int64_t operand_plane(const PanelProblem& p, int operand) const {
    if (packs) return block_factors(levels) * packed_factor(operand) + apart;
    const std::int64_t terms = block_terms(depth, levels), all = block_lines(lines[operand], levels);
    return p.runs_along_lines[operand] ? plane_bytes(terms, run_bytes(all, levels))
                                       : plane_bytes(all, run_bytes(terms, levels));
  }
  std::int64_t operand_bytes(const PanelProblem& p, int operand) const { return planes(p) * operand_plane(p, operand); }
  /// Residues of a part of an operand before they are packed, of all planes.
  std::int64_t staging_bytes(const PanelProblem& p) const { return packs ? planes(p) * staging_plane : 0; }
  static constexpr std::int64_t staging_plane = packed_side * packed_side + 64;
  /// Of so many terms those that are multiplied at a time, and then reduced.
  std::int64_t terms_at_once(std::int64_t terms) const {
    return packs ? round_up(blocks(terms, blocks(terms, most_packed_terms)), packed_side) : terms;
  }
  std::int64_t result_plane() const { return plane_bytes(lines[0], lines[1]); }
  std::int64_t result_bytes(const PanelProblem& p) const { return p.moduli * p.parts * result_plane(); }
  /// From a row of sums to the next, and their bytes: rows a power of two apart would share cache sets.
  std::int64_t leading_sums() const { return padded(tile[1]) % 128 == 0 ? padded(tile[1]) + 16 : padded(tile[1]); }
  std::int64_t sum_bytes() const { return tile[0] * leading_sums() * 4; }
  /// A tile of residues that products of blocks are added to, of one part.
  std::int64_t scratch_plane() const { return plane_bytes(tile[0], tile[1]); }
  std::int64_t scratch_bytes(const PanelProblem& p) const { return scratch_blocks(levels) * p.parts * scratch_plane(); }
  std::int64_t bytes(const PanelProblem& p) const {
    return operand_bytes(p, 0) + operand_bytes(p, 1) + result_bytes(p) +
           p.threads * (sums(p) * sum_bytes() + scratch_bytes(p) + staging_bytes(p));
  }

 private:
  // Those of a chunk; the last moduli have most.
  int planes(const PanelProblem& p) const {
    return planes_of(p.moduli, p.parts == 2) - planes_of(p.moduli - chunk, p.parts == 2);
  }
};

/// The panels that need at most `bytes`, or the smallest there are. `depth` bounds the terms of a panel.
Panels choose_panels(const PanelProblem& problem, std::int64_t bytes, std::int64_t depth);

/// What a product takes at most where the caller does not say: 256 MiB, or as much as A, B and C take themselves, and
/// twice that up to 2 GiB, which has room for residues of both operands and a level.
std::int64_t default_workspace(std::int64_t operand_bytes);

}  // namespace hilo::modular
