// Residues of a panel of C: what sums of products of bytes become.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gemm/modular/block_products.hpp"
#include "gemm/modular/cpu/kernels.hpp"
#include "gemm/modular/cpu/panel_operand.hpp"
#include "gemm/modular/cpu/panels.hpp"
#include "gemm/modular/moduli.hpp"

namespace hilo::modular {

/// Modulo all numbers and of both parts, a plane for each; and behind them the scratch blocks of each thread that
/// products of blocks are added to.
class ResultResidues {
 public:
  /// `memory` has result_bytes, and scratch_bytes for each thread. All that is given must outlive it.
  ResultResidues(const KernelSet& kernels, const PanelProblem& problem, const Panels& panels, std::int8_t* memory)
      : kernels_(kernels),
        problem_(problem),
        panels_(panels),
        data_(memory),
        scratch_(memory + panels.result_bytes(problem)) {}

  /// What follows in memory.
  std::int8_t* end() const { return scratch_ + problem_.threads * panels_.scratch_bytes(problem_); }

  /// The rows and columns of a panel, and of the blocks that it is cut into.
  void set_panel(const Range (&panel)[2], std::int64_t block_rows, std::int64_t block_columns) {
    panel_[0] = panel[0].count;
    panel_[1] = panel[1].count;
    block_[0] = block_rows;
    block_[1] = block_columns;
  }

  /// Of a part of an entry of the panel modulo the first number, with neighbours beside it; those modulo the next one
  /// are stride() further on.
  const std::int8_t* at(int part, std::int64_t row, std::int64_t column) const {
    return data_ + part * panels_.result_plane() + row * leading_bytes(panels_.lines[1]) + column;
  }
  std::int64_t stride() const { return problem_.parts * panels_.result_plane(); }

  /// Sums of these rows and columns of a block, those of one modulus, to where it is stored, with what is added;
  /// accumulates: to what is there of a block of C.
  void reduce(int thread, int modulus, const BlockStore& store, Range rows, Range columns, const std::int32_t* sums,
              bool accumulates) const {
    const int grid = block_grid(panels_.levels);
    const bool is_of_c = store.to < grid * grid;
    std::int64_t height = rows.count, width = columns.count;
    if (is_of_c) {
      // The last blocks may reach past the panel.
      height = std::min(height, panel_[0] - store.to / grid * block_[0] - rows.first);
      width = std::min(width, panel_[1] - store.to % grid * block_[1] - columns.first);
      if (height <= 0 || width <= 0) return;
    }
    const bool is_complex = problem_.parts == 2, is_split = splits(modulus, is_complex);
    const ReductionConstants constants = reduction_constants(modulus_at(modulus, is_complex), is_split);
    const std::int64_t leading = panels_.leading_sums(), size = panels_.tile[0] * leading;
    const Tile to = tile_of(thread, modulus, store.to, rows, columns);
    Added added;
    std::int64_t next_row[Added::most];
    auto add = [&](const Tile& x) {
      next_row[added.count] = x.leading;
      added.add(x.data, x.data + x.part);
    };
    if (is_of_c && accumulates) add(to);
    for (const int block : store.add) {
      if (block >= 0) add(tile_of(thread, modulus, block, rows, columns));
    }
    std::int8_t *re = to.data, *im = re + to.part;
    for (std::int64_t r = 0; r < height; ++r, sums += leading, re += to.leading, im += to.leading) {
      if (!is_complex) {
        kernels_.reduce(width, constants, sums, added, re);
      } else if (is_split) {
        kernels_.reduce_split(width, constants, {sums, sums + size}, added, re, im);
      } else {
        kernels_.reduce_complex(width, constants, {sums, sums + size, sums + 2 * size}, added, re, im);
      }
      for (int i = 0; i < added.count; ++i) {
        added.part[0][i] += next_row[i];
        added.part[1][i] += next_row[i];
      }
    }
  }

 private:
  // Of a part of C or of a scratch block, from one row to the next and from one part of a complex number to the other.
  struct Tile {
    std::int8_t* data;
    std::int64_t leading, part;
  };

  // Of that block: one of C's, or one of the thread's scratch blocks, which come after them.
  Tile tile_of(int thread, int modulus, int block, Range rows, Range columns) const {
    const int grid = block_grid(panels_.levels);
    if (block < grid * grid) {
      const std::int64_t row = block / grid * block_[0] + rows.first, column = block % grid * block_[1] + columns.first,
                         leading = leading_bytes(panels_.lines[1]);
      return {data_ + modulus * stride() + row * leading + column, leading, panels_.result_plane()};
    }
    return {scratch_ + thread * panels_.scratch_bytes(problem_) +
                (block - grid * grid) * problem_.parts * panels_.scratch_plane(),
            leading_bytes(panels_.tile[1]), panels_.scratch_plane()};
  }

  const KernelSet& kernels_;
  const PanelProblem& problem_;
  const Panels& panels_;
  std::int8_t *data_, *scratch_;
  std::int64_t panel_[2] = {0, 0}, block_[2] = {0, 0};
};

}  // namespace hilo::modular
