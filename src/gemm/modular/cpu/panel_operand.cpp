#include "gemm/modular/cpu/panel_operand.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "gemm/modular/block_products.hpp"
#include "host/team.hpp"
#include "matrix/sizes.hpp"

namespace hilo::modular {

PanelOperand::PanelOperand(const Operand& operand, int place, IntegerScaling scaling, const KernelSet& kernels,
                           const Basis& basis, const PanelProblem& problem, const Panels& panels, std::uint8_t* memory,
                           std::uint8_t* staging)
    : operand_(operand),
      place_(place),
      scaling_(std::move(scaling)),
      kernels_(kernels),
      constants_(place == 0 ? basis.first : basis.second),
      problem_(problem),
      panels_(panels),
      along_(problem.runs_along_lines[place]),
      plane_(panels.operand_plane(problem, place)),
      staging_(staging),
      residues_(memory) {
  if (problem.parts == 2 || !takes_byte_residues(kernels.target, scaling_.bits)) return;
  // What is larger than a core's share of caches will be read from memory anyway. Sums of blocks read it at once.
  constexpr std::int64_t cached = std::int64_t{1} << 25;
  streams_ = panels.packs && panels.levels == 0 && panels.operand_bytes(problem, place) > cached;
  for (int l = 0; l < problem.moduli; ++l) {
    byte_residues_.push_back(byte_residue(constants_[l], scaling_.bits, place == 1));
  }
}

void PanelOperand::load(Range lines, Range chunk, Range terms) {
  const Loaded wanted{lines, chunk, terms};
  if (loaded_ == wanted) return;
  loaded_ = wanted;
  lines_ = block_lines(lines.count, panels_.levels);
  terms_ = block_terms(terms.count, panels_.levels);
  if (panels_.packs) {
    load_packed();
  } else {
    load_runs();
  }
}

void PanelOperand::load_runs() {
  const std::int64_t length = along_ ? lines_ : terms_;
  factor_ = padded(length);
  run_ = leading_bytes(run_bytes(length, panels_.levels));
  // Their residues are still in cache where sums of blocks are formed.
  const std::int64_t runs = along_ ? terms_ : lines_, at_once = panels_.levels == 0 ? 8 : 1;
  const int grid = block_grid(panels_.levels);
  host::for_each(problem_.threads, blocks(runs, at_once), [&](std::int64_t group, int) {
    const std::int64_t last = std::min(runs, (group + 1) * at_once);
    for (std::int64_t run = group * at_once; run < last; ++run) {
      for (int i = 0; i < grid; ++i) {
        for (int j = 0; j < grid; ++j) {
          std::uint8_t* const to = factor_at(0, factor_of({i, j})) + run * run_;
          if (byte_residues_.empty()) {
            find_residues({i, j}, run, {0, length}, to, plane_);
          } else {
            find_from_bytes({i, j}, run, length, to);
          }
        }
      }
      add_blocks(run * run_, length);
    }
  });
}

void PanelOperand::load_packed() {
  factor_ = packed_bytes(lines_, terms_);
  constexpr std::int64_t at_once = 8;
  const std::int64_t groups = blocks(blocks(terms_, packed_side), at_once);
  host::for_each(problem_.threads, blocks(lines_, packed_side) * groups, [&](std::int64_t task, int thread) {
    const std::int64_t line = task / groups * packed_side, first = task % groups * at_once * packed_side,
                       last = std::min(terms_, first + at_once * packed_side);
    for (std::int64_t term = first; term < last; term += packed_side) {
      pack(line, term, staging_ + thread * panels_.staging_bytes(problem_));
    }
    if (streams_) finish_streams();
  });
}

void PanelOperand::pack(std::int64_t line, std::int64_t term, std::uint8_t* staging) {
  const Range lines{line, std::min(packed_side, lines_ - line)}, terms{term, std::min(packed_side, terms_ - term)};
  const int grid = block_grid(panels_.levels);
  for (int i = 0; i < grid; ++i) {
    for (int j = 0; j < grid; ++j) {
      if (byte_residues_.empty()) {
        pack({i, j}, lines, terms, staging);
      } else {
        pack_integers({i, j}, lines, terms);
      }
    }
  }
  for (std::int64_t l = line; l < line + lines.count; l += packed_lines) {
    add_blocks(packed_at(l, term, terms_), packed_lines * packed_side);
  }
}

void PanelOperand::pack(BlockPlace block, Range lines, Range terms, std::uint8_t* staging) {
  const Range &runs = along_ ? terms : lines, &length = along_ ? lines : terms;
  for (std::int64_t r = 0; r < runs.count; ++r) {
    find_residues(block, runs.first + r, length, staging + r * packed_side, Panels::staging_plane);
  }
  const int planes = planes_of_chunk();
  for (int p = 0; p < planes; ++p) {
    const std::uint8_t* const from = staging + p * Panels::staging_plane;
    std::uint8_t* const to = packed_factor(p, factor_of(block), lines.first, terms.first);
    const bool transposed = along_ == (place_ == 0);
    if (place_ == 0) {
      pack_bytes(ByteMatrix<std::uint8_t>{from, packed_side, transposed}, lines.count, terms.count, terms_, to);
    } else {
      pack_bytes(ByteMatrix<std::int8_t>{reinterpret_cast<const std::int8_t*>(from), packed_side, transposed},
                 lines.count, terms.count, terms_, to);
    }
  }
}

// The same without staging: rows of residues are what is packed of the second operand where runs are of lines, and of
// the first where they are of terms, and else are transposed by words of four bytes.
void PanelOperand::pack_integers(BlockPlace block, Range lines, Range terms) {
  constexpr std::int64_t words = IntegerTile::elements / 4;
  const bool is_in_order = along_ == (place_ == 1);
  const Range &runs = along_ ? terms : lines, &length = along_ ? lines : terms;
  const int factor = factor_of(block);
  alignas(64) double limb[IntegerTile::elements * IntegerTile::most_limbs];
  alignas(64) std::uint8_t rows[IntegerTile::runs * IntegerTile::elements];
  IntegerTile tile(scaling_.bits, along_);
  // Terms are filled up, lines up to packed_lines.
  const std::int64_t count = along_ ? packed_side : runs.count;
  for (std::int64_t r = 0; r < count; r += IntegerTile::runs) {
    const bool is_absent = r >= runs.count;
    for (std::int64_t i = 0; i < IntegerTile::runs && !is_absent; ++i) {
      const Piece x = r + i < runs.count ? piece(block, runs.first + r + i, length) : Piece{};
      kernels_.limbs(x.run, x.shifts, scaling_.bits, limb);
      tile.set(i, limb);
    }
    for (std::int64_t l = 0; l < loaded_.chunk.count; ++l) {
      const ByteResidue& modulus = byte_residues_[static_cast<std::size_t>(loaded_.chunk.first + l)];
      auto at = [&](std::int64_t line) { return packed_factor(l, factor, lines.first + line, terms.first); };
      if (!along_) {
        tile.residues(modulus, IntegerTile::runs, is_in_order ? at(r) : rows, is_in_order && streams_);
        if (!is_in_order) transpose_words(rows, at(r));
        continue;
      }
      // Of each 16 lines the words of a quarter of the tile.
      if (is_absent) {
        std::memset(rows, 0, sizeof rows);
      } else {
        tile.residues(modulus, IntegerTile::runs, rows, false);
      }
      const std::int64_t bytes = sizeof rows / 4;
      for (std::int64_t g = 0; g < lines.count; g += packed_lines) {
        std::uint8_t* const to = at(g);
        copy_lines(rows + g / packed_lines * bytes, to + r * words, bytes, is_in_order && streams_);
        if (!is_in_order && r + IntegerTile::runs == count) transpose_words(to, to);
      }
    }
  }
}

int PanelOperand::factor_of(BlockPlace block) const {
  // Rows of the first operand's blocks are of lines, of the second's of terms.
  const bool runs_are_rows = along_ == (place_ == 1);
  return factor_of_block(panels_.levels, place_, runs_are_rows ? block.of_runs : block.of_length,
                         runs_are_rows ? block.of_length : block.of_runs);
}

int PanelOperand::planes_of_chunk() const {
  const bool is_complex = problem_.parts == 2;
  const int first = static_cast<int>(loaded_.chunk.first), count = static_cast<int>(loaded_.chunk.count);
  return planes_of(first + count, is_complex) - planes_of(first, is_complex);
}

PanelOperand::Piece PanelOperand::piece(BlockPlace block, std::int64_t run, Range part) const {
  const Range &runs = along_ ? loaded_.terms : loaded_.lines, &length = along_ ? loaded_.lines : loaded_.terms;
  const std::int64_t index = block.of_runs * (along_ ? terms_ : lines_) + run,
                     before = block.of_length * (along_ ? lines_ : terms_) + part.first,
                     count = index < runs.count ? std::clamp<std::int64_t>(length.count - before, 0, part.count) : 0;
  if (count == 0) return {};
  const auto r = static_cast<std::size_t>(runs.first + index);
  const std::int64_t first = length.first + before;
  const auto &up = scaling_.up, &balance = scaling_.balance;
  return {operand_.run(runs.first + index, first, count),
          along_ ? Exponents{up.data() + first, balance.empty() ? 0 : balance[r]}
                 : Exponents{balance.empty() ? nullptr : balance.data() + first, up[r]}};
}

void PanelOperand::find_residues(BlockPlace block, std::int64_t run, Range part, std::uint8_t* to,
                                 std::int64_t plane) const {
  const Piece x = piece(block, run, part);
  if (x.run.count > 0) {
    kernels_.residues(x.run, x.shifts, scaling_.bits, constants_ + loaded_.chunk.first,
                      static_cast<int>(loaded_.chunk.count), to, plane);
  }
  if (x.run.count == part.count) return;
  const int planes = planes_of_chunk();
  for (int p = 0; p < planes; ++p) {
    std::memset(to + p * plane + x.run.count, 0, static_cast<std::size_t>(part.count - x.run.count));
  }
}

void PanelOperand::find_from_bytes(BlockPlace block, std::int64_t run, std::int64_t length, std::uint8_t* to) const {
  constexpr std::int64_t elements = IntegerTile::elements;
  alignas(64) double limb[elements * IntegerTile::most_limbs];
  // Parts of the run in the places of runs of terms.
  IntegerTile tile(scaling_.bits, false);
  for (std::int64_t first = 0; first < length; first += IntegerTile::runs * elements) {
    const std::int64_t parts = std::min(blocks(length - first, elements), IntegerTile::runs);
    for (std::int64_t i = 0; i < parts; ++i) {
      const std::int64_t at = first + i * elements;
      const Piece x = piece(block, run, {at, std::min(elements, length - at)});
      kernels_.limbs(x.run, x.shifts, scaling_.bits, limb);
      tile.set(i, limb);
    }
    for (std::int64_t l = 0; l < loaded_.chunk.count; ++l) {
      tile.residues(byte_residues_[static_cast<std::size_t>(loaded_.chunk.first + l)], parts, to + l * plane_ + first,
                    false);
    }
  }
}

void PanelOperand::add_blocks(std::int64_t at, std::int64_t count) {
  if (panels_.levels == 0) return;
  const bool is_complex = problem_.parts == 2;
  std::uint8_t* bytes = factor_at(0, 0) + at;
  const int last = static_cast<int>(loaded_.chunk.first + loaded_.chunk.count);
  for (int l = static_cast<int>(loaded_.chunk.first); l < last; ++l) {
    const int modulus = modulus_at(l, is_complex);
    for (int p = planes_of(l, is_complex); p < planes_of(l + 1, is_complex); ++p, bytes += plane_) {
      if (panels_.levels == 1) {
        kernels_.block_sums(place_, count, modulus, bytes, factor_);
        continue;
      }
      // The outer level's, of each of their blocks, then of the blocks of each.
      for (int i = 0; i < 4; ++i) {
        kernels_.block_sums(place_, count, modulus, bytes + i * factor_, 7 * factor_);
      }
      for (int o = 0; o < 7; ++o) {
        kernels_.block_sums(place_, count, modulus, bytes + 7 * o * factor_, factor_);
      }
    }
  }
}

}  // namespace hilo::modular
