// One operand of a panel of C: its residues, plane after plane, as the factors that Strassen's algorithm multiplies
// (block_products.hpp), the whole operand without levels.
#pragma once

#include <cstdint>
#include <vector>

#include "gemm/modular/cpu/bytes.hpp"
#include "gemm/modular/cpu/kernels.hpp"
#include "gemm/modular/cpu/operand.hpp"
#include "gemm/modular/cpu/panels.hpp"

namespace hilo::modular {

/// Lines, terms or moduli.
struct PanelRange {
  std::int64_t first, count;
  bool operator==(const PanelRange&) const = default;
};

/// What makes an operand's entries integers of `bits` bits: a line's shift, and a term's, if there are any.
struct IntegerScaling {
  std::vector<std::int64_t> up, balance;
  int bits;
};

/// The problem and its panels must stay.
class PanelOperand {
 public:
  /// `place`: 0 for the first operand of products of bytes, 1 for the second. `memory` begins a cache line and has
  /// panels.packed_operand_bytes(), then panels.operand_bytes().
  PanelOperand(const Operand& operand, int place, IntegerScaling scaling, const KernelSet& kernels, const Basis& basis,
               const PanelProblem& problem, const Panels& panels, std::uint8_t* memory);

  /// The residues of these lines and terms modulo a chunk of moduli, unless they are there from before.
  void load(PanelRange lines, PanelRange chunk, PanelRange terms);

  /// Lines of each block that are there, filled up with zeros, and terms.
  std::int64_t lines() const { return lines_; }
  std::int64_t terms() const { return terms_; }

  /// A factor's lines from `first_line` on, of a plane of the chunk's.
  template <class Byte>
  ByteMatrix<Byte> factor(std::int64_t plane, int factor, std::int64_t first_line) const {
    const auto* data = reinterpret_cast<const Byte*>(factor_at(plane, factor));
    return {data + first_line * (along_ ? 1 : run_), run_, along_ == (place_ == 0)};
  }

  /// Parts that a plane is packed in, and one of them: where planes are packed at a time, the `slot`th of those.
  std::int64_t packing_tasks() const { return block_factors(panels_.levels) * blocks(lines_, packed_lines); }
  void pack(std::int64_t plane, std::int64_t slot, std::int64_t task);
  /// A packed factor's lines from `first_line` on, a multiple of packed_lines.
  std::uint8_t* packed_factor(std::int64_t slot, int factor, std::int64_t first_line) const;

 private:
  std::uint8_t* factor_at(std::int64_t plane, int factor) const {
    return residues_ + plane * plane_ + factor * factor_;
  }
  void load_run(std::int64_t run);
  void load_block(std::int64_t run, int block_of_runs, int block_of_length);
  void add_blocks(std::int64_t run);

  const Operand operand_;
  const int place_;
  const IntegerScaling scaling_;
  const KernelSet& kernels_;
  const ResidueConstants* const constants_;
  const PanelProblem& problem_;
  const Panels& panels_;
  const bool along_;  // whether a run is of lines, one for each term
  const std::int64_t plane_;
  std::uint8_t *const packed_, *const residues_;

  struct Loaded {
    PanelRange lines{-1, 0}, chunk{-1, 0}, terms{-1, 0};
    bool operator==(const Loaded&) const = default;
  };
  Loaded loaded_;
  std::int64_t lines_ = 0, terms_ = 0;
  std::int64_t factor_ = 0, run_ = 0;  // from one factor to the next, and from one run
};

}  // namespace hilo::modular
