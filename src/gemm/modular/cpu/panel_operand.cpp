#include "gemm/modular/cpu/panel_operand.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "gemm/modular/block_products.hpp"
#include "host/team.hpp"
#include "matrix/sizes.hpp"

namespace hilo::modular {

PanelOperand::PanelOperand(const Operand& operand, int place, IntegerScaling scaling, const KernelSet& kernels,
                           const Basis& basis, const PanelProblem& problem, const Panels& panels, std::uint8_t* memory)
    : operand_(operand),
      place_(place),
      scaling_(std::move(scaling)),
      kernels_(kernels),
      constants_(place == 0 ? basis.first : basis.second),
      problem_(problem),
      panels_(panels),
      along_(problem.runs_along_lines[place]),
      plane_(panels.operand_plane(problem, place)),
      packed_(memory),
      residues_(memory + panels.packed_operand_bytes(problem, place)) {}

void PanelOperand::load(PanelRange lines, PanelRange chunk, PanelRange terms) {
  const Loaded wanted{lines, chunk, terms};
  if (loaded_ == wanted) return;
  loaded_ = wanted;
  lines_ = block_lines(lines.count, panels_.levels);
  terms_ = block_terms(terms.count, panels_.levels);
  const std::int64_t length = along_ ? lines_ : terms_;
  factor_ = padded(length);
  run_ = leading_bytes(run_bytes(length, panels_.levels));
  // Their residues are still in cache where sums of blocks are formed.
  const std::int64_t runs = along_ ? terms_ : lines_, at_once = panels_.levels == 0 ? 8 : 1;
  host::for_each(problem_.threads, blocks(runs, at_once), [&](std::int64_t group, int) {
    const std::int64_t last = std::min(runs, (group + 1) * at_once);
    for (std::int64_t run = group * at_once; run < last; ++run) load_run(run);
  });
}

// A run of all blocks, and of their sums.
void PanelOperand::load_run(std::int64_t run) {
  const int grid = block_grid(panels_.levels);
  for (int i = 0; i < grid; ++i) {
    for (int j = 0; j < grid; ++j) load_block(run, i, j);
  }
  add_blocks(run);
}

void PanelOperand::load_block(std::int64_t run, int block_of_runs, int block_of_length) {
  const PanelRange &runs = along_ ? loaded_.terms : loaded_.lines, &length = along_ ? loaded_.lines : loaded_.terms;
  const std::int64_t block = along_ ? lines_ : terms_, index = block_of_runs * (along_ ? terms_ : lines_) + run;
  const std::int64_t before = block_of_length * block,
                     count = index < runs.count ? std::clamp<std::int64_t>(length.count - before, 0, block) : 0;
  // Rows of the first operand's blocks are of lines, of the second's of terms.
  const bool runs_are_rows = along_ == (place_ == 1);
  const int factor = factor_of_block(panels_.levels, place_, runs_are_rows ? block_of_runs : block_of_length,
                                     runs_are_rows ? block_of_length : block_of_runs);
  std::uint8_t* const to = factor_at(0, factor) + run * run_;
  const int first_modulus = static_cast<int>(loaded_.chunk.first),
            count_of_moduli = static_cast<int>(loaded_.chunk.count);
  if (count > 0) {
    const auto r = static_cast<std::size_t>(runs.first + index);
    const std::int64_t first = length.first + before;
    const auto &up = scaling_.up, &balance = scaling_.balance;
    const Exponents shifts = along_ ? Exponents{up.data() + first, balance.empty() ? 0 : balance[r]}
                                    : Exponents{balance.empty() ? nullptr : balance.data() + first, up[r]};
    kernels_.residues(operand_.run(runs.first + index, first, count), shifts, scaling_.bits, constants_ + first_modulus,
                      count_of_moduli, to, plane_);
  }
  if (count == block) return;
  const bool is_complex = problem_.parts == 2;
  const int planes = planes_of(first_modulus + count_of_moduli, is_complex) - planes_of(first_modulus, is_complex);
  for (int p = 0; p < planes; ++p) std::memset(to + p * plane_ + count, 0, static_cast<std::size_t>(block - count));
}

void PanelOperand::add_blocks(std::int64_t run) {
  if (panels_.levels == 0) return;
  const bool is_complex = problem_.parts == 2;
  std::uint8_t* bytes = factor_at(0, 0) + run * run_;
  const std::int64_t count = along_ ? lines_ : terms_;
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

void PanelOperand::pack(std::int64_t plane, std::int64_t slot, std::int64_t task) {
  const std::int64_t strips = blocks(lines_, packed_lines), line = task % strips * packed_lines;
  const auto which = static_cast<int>(task / strips);
  const std::int64_t lines = std::min(packed_lines, lines_ - line);
  std::uint8_t* const to = packed_factor(slot, which, line);
  if (place_ == 0) {
    pack_bytes(factor<std::uint8_t>(plane, which, line), lines, terms_, to);
  } else {
    pack_bytes(factor<std::int8_t>(plane, which, line), lines, terms_, to);
  }
}

std::uint8_t* PanelOperand::packed_factor(std::int64_t slot, int factor, std::int64_t first_line) const {
  return packed_ + slot * panels_.packed_plane(place_) + factor * panels_.packed_factor(place_) +
         first_line / packed_lines * packed_bytes(packed_lines, terms_);
}

}  // namespace hilo::modular
