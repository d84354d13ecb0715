// One operand of a panel of C: its residues, plane after plane, as the factors that Strassen's algorithm multiplies
// (block_products.hpp), the whole operand without levels.
#pragma once

#include <cstdint>
#include <vector>

#include "gemm/modular/cpu/byte_residues.hpp"
#include "gemm/modular/cpu/bytes.hpp"
#include "gemm/modular/cpu/kernels.hpp"
#include "gemm/modular/cpu/operand.hpp"
#include "gemm/modular/cpu/panels.hpp"
#include "gemm/modular/range.hpp"

namespace hilo::modular {

/// What makes an operand's entries integers of `bits` bits: a line's shift, and a term's, if there are any.
struct IntegerScaling {
  std::vector<std::int64_t> up, balance;
  int bits;
};

/// The problem and its panels must stay.
class PanelOperand {
 public:
  /// `place`: 0 for the first operand of products of bytes, 1 for the second. `memory` begins a cache line and has
  /// panels.operand_bytes(); `staging` too, and panels.staging_bytes() for each thread.
  PanelOperand(const Operand& operand, int place, IntegerScaling scaling, const KernelSet& kernels, const Basis& basis,
               const PanelProblem& problem, const Panels& panels, std::uint8_t* memory, std::uint8_t* staging);

  /// The residues of these lines and terms modulo a chunk of moduli, unless they are there from before.
  void load(Range lines, Range chunk, Range terms);

  /// Lines of each block that are there, filled up with zeros, and terms.
  std::int64_t lines() const { return lines_; }
  std::int64_t terms() const { return terms_; }

  /// A factor's lines from `first_line` on, of a plane of the chunk's, where residues are not packed.
  template <class Byte>
  ByteMatrix<Byte> factor(std::int64_t plane, int factor, std::int64_t first_line) const {
    const auto* data = reinterpret_cast<const Byte*>(factor_at(plane, factor));
    return {data + first_line * (along_ ? 1 : run_), run_, along_ == (place_ == 0)};
  }

  /// The same where they are, from a term on; line and term are multiples of packed_side.
  std::uint8_t* packed_factor(std::int64_t plane, int factor, std::int64_t first_line, std::int64_t first_term) const {
    return factor_at(plane, factor) + packed_at(first_line, first_term, terms_);
  }

 private:
  std::uint8_t* factor_at(std::int64_t plane, int factor) const {
    return residues_ + plane * plane_ + factor * factor_;
  }
  // By a run's and its entries' place, whichever of them are lines.
  struct BlockPlace {
    int of_runs, of_length;
  };
  int factor_of(BlockPlace block) const;
  int planes_of_chunk() const;

  void load_runs();
  void load_packed();
  // Lines and terms from these on, of all blocks, and of one.
  void pack(std::int64_t line, std::int64_t term, std::uint8_t* staging);
  void pack(BlockPlace block, Range lines, Range terms, std::uint8_t* staging);
  void pack_integers(BlockPlace block, Range lines, Range terms);

  // What there is of a part of a run of a block.
  struct Piece {
    Run run;
    Exponents shifts;
  };
  Piece piece(BlockPlace block, std::int64_t run, Range part) const;
  // Its residues modulo the chunk's numbers; zeros beyond the operand.
  void find_residues(BlockPlace block, std::int64_t run, Range part, std::uint8_t* to, std::int64_t plane) const;
  // The same of a whole run, by bytes of the integers. `to` begins a cache line, and the last line is filled up with
  // zeros.
  void find_from_bytes(BlockPlace block, std::int64_t run, std::int64_t length, std::uint8_t* to) const;
  // The sums of blocks that are factors, of so many bytes of each.
  void add_blocks(std::int64_t at, std::int64_t count);

  const Operand operand_;
  const int place_;
  const IntegerScaling scaling_;
  const KernelSet& kernels_;
  const ResidueConstants* const constants_;
  const PanelProblem& problem_;
  const Panels& panels_;
  const bool along_;  // whether a run is of lines, one for each term
  const std::int64_t plane_;
  std::uint8_t *const staging_, *const residues_;
  std::vector<ByteResidue> byte_residues_;  // of all moduli, where residues are found from bytes
  bool streams_ = false;                    // whether these are written past all caches

  struct Loaded {
    Range lines, chunk, terms;
    bool operator==(const Loaded&) const = default;
  };
  Loaded loaded_;
  std::int64_t lines_ = 0, terms_ = 0;
  std::int64_t factor_ = 0, run_ = 0;  // from one factor to the next, and from one run
};

}  // namespace hilo::modular
