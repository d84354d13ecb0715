#include "gemm/modular/cpu/product.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "gemm/modular/block_products.hpp"
#include "gemm/modular/cpu/bytes.hpp"
#include "gemm/modular/cpu/direct_entries.hpp"
#include "gemm/modular/cpu/kernels.hpp"
#include "gemm/modular/cpu/operand.hpp"
#include "gemm/modular/cpu/panel_operand.hpp"
#include "gemm/modular/cpu/panels.hpp"
#include "gemm/modular/cpu/result.hpp"
#include "gemm/modular/cpu/result_residues.hpp"
#include "gemm/modular/cpu/scaling.hpp"
#include "gemm/modular/rounding.hpp"
#include "host/team.hpp"
#include "host/workspace.hpp"
#include "matrix/sizes.hpp"

namespace hilo::modular {
namespace {

// The operand whose lines are the rows of products of bytes: neighbours in C are columns of theirs.
int first_operand(bool rows_are_neighbours) { return rows_are_neighbours ? 1 : 0; }

// Lines of a tile of the scan, so that its bytes stay below the bound.
std::int64_t scan_tile(std::int64_t bytes) {
  std::int64_t tile = 2048;
  while (tile > 64 && tile * tile + 512 * tile > bytes) tile /= 2;
  return tile;
}

// Of A, where `o` is 0, or B: 2^up scales a line to integers.
IntegerScaling integer_scaling(const Scaling& scaling, int o) {
  IntegerScaling x{std::vector<std::int64_t>(scaling.exponent[o].size()), scaling.balance, scaling.bits[o]};
  for (std::size_t l = 0; l < x.up.size(); ++l) {
    x.up[l] = scaling.is_bad[o][l] ? leave_out : scaling.bits[o] - scaling.exponent[o][l];
  }
  if (o == 1) {
    for (std::int64_t& b : x.balance) b = -b;
  }
  return x;
}

// One product, cut to panels.
template <class T>
class Multiplication {
 public:
  Multiplication(const CpuPlan& plan, const Operand (&operand)[2], const Scaling& scaling, const Product<T>& x)
      : kernels_(*plan.kernels),
        library_(plan.int8_library),
        scaling_(scaling),
        basis_(basis(scaling.moduli, operand[0].parts == 2)),
        result_(x.alpha, x.beta, x.c, plan.options.accuracy == Accuracy::exact,
                direct::kernel_set(plan.options.target)),
        triangle_(x.triangle),
        first_(first_operand(x.c.row_stride < x.c.column_stride)),
        problem_{{operand[first_].lines, operand[1 - first_].lines},
                 {operand[first_].runs_along_lines(), operand[1 - first_].runs_along_lines()},
                 operand[0].terms,
                 scaling.moduli,
                 operand[0].parts,
                 plan.threads,
                 packs_bytes(plan.int8_library),
                 x.triangle ? 0 : plan.options.levels},
        panels_(plan.panels_of(problem_)),
        steps_(stored_block_steps(panels_.levels)),
        workspace_(panels_.bytes(problem_)),
        operand_{panel_operand(0, operand), panel_operand(1, operand)},
        residues_(kernels_, problem_, panels_, reinterpret_cast<std::int8_t*>(operand_memory(2))),
        sums_(reinterpret_cast<std::int32_t*>(residues_.end())) {
    set_shifts();
  }

  void describe(Outcome& outcome) const {
    outcome.tile_rows = panels_.lines[first_ == 0 ? 0 : 1];
    outcome.tile_columns = panels_.lines[first_ == 0 ? 1 : 0];
    outcome.depth = panels_.depth;
    outcome.levels = panels_.levels;
    outcome.workspace_bytes = panels_.bytes(problem_);
  }

  void run() {
    for (std::int64_t j = 0; j < problem_.lines[1]; j += panels_.lines[1]) {
      for (std::int64_t i = 0; i < problem_.lines[0]; i += panels_.lines[0]) {
        panel_[0] = {i, std::min(panels_.lines[0], problem_.lines[0] - i)};
        panel_[1] = {j, std::min(panels_.lines[1], problem_.lines[1] - j)};
        if (!wants(panel_[0], panel_[1])) continue;
        multiply_panel();
        for_each(panel_[0].count, [&](std::int64_t r, int) { write_row(r); });
      }
    }
  }

 private:
  // Rows that are multiplied at a time where a triangle alone is wanted.
  static constexpr std::int64_t triangle_rows = 128;

  // Of an operand of products of bytes, after where residues are staged, and what comes after both.
  std::uint8_t* operand_memory(int place) const {
    auto* memory =
        reinterpret_cast<std::uint8_t*>(workspace_.data()) + problem_.threads * panels_.staging_bytes(problem_);
    for (int i = 0; i < place; ++i) memory += panels_.operand_bytes(problem_, i);
    return memory;
  }
  PanelOperand panel_operand(int place, const Operand (&operand)[2]) const {
    const int o = place == 0 ? first_ : 1 - first_;
    return {operand[o],
            place,
            integer_scaling(scaling_, o),
            kernels_,
            basis_,
            problem_,
            panels_,
            operand_memory(place),
            reinterpret_cast<std::uint8_t*>(workspace_.data())};
  }

  template <class F>
  void for_each(std::int64_t count, F f) {
    host::for_each(problem_.threads, count, f);
  }

  // Whether entries are wanted of rows and columns of the products of bytes.
  bool wants(Range rows, Range columns) const {
    const Range& i = first_ == 0 ? rows : columns;
    const Range& j = first_ == 0 ? columns : rows;
    return !triangle_ || wants_block(*triangle_, i.first, j.first, i.count, j.count);
  }

  // The columns of the panel that are wanted in a row, from its first one.
  Range wanted_columns(std::int64_t row) const {
    const Range& all = panel_[1];
    if (!triangle_) return {0, all.count};
    // Up to the diagonal, or from there on.
    const bool is_up_to = (*triangle_ == Uplo::lower) == (first_ == 0);
    const std::int64_t diagonal = std::clamp<std::int64_t>(row - all.first + (is_up_to ? 1 : 0), 0, all.count);
    return is_up_to ? Range{0, diagonal} : Range{diagonal, all.count - diagonal};
  }

  // Of these columns, in whole blocks, those that are wanted in any of the rows; both count from the panel's first.
  Range wanted_columns(Range rows, Range columns) const {
    if (!triangle_) return columns;
    const std::int64_t row = panel_[0].first + rows.first;
    const Range first = wanted_columns(row), last = wanted_columns(row + rows.count - 1);
    std::int64_t begin = std::clamp<std::int64_t>(std::min(first.first, last.first) - columns.first, 0, columns.count);
    std::int64_t end = std::max(first.first + first.count, last.first + last.count) - columns.first;
    begin -= begin % block_bytes;
    end = std::clamp(end, begin, columns.count);
    return {columns.first + begin, end - begin};
  }

  // What scales the product's lines back.
  void set_shifts() {
    for (int i = 0; i < 2; ++i) {
      const int o = i == 0 ? first_ : 1 - first_;
      const auto& exponent = scaling_.exponent[o];
      down_[i].resize(exponent.size() + static_cast<std::size_t>(block_bytes));
      for (std::size_t l = 0; l < exponent.size(); ++l) {
        down_[i][l] = scaling_.is_bad[o][l] ? 0 : exponent[l] - scaling_.bits[o];
      }
    }
    auto [least, most] = std::minmax_element(down_[1].begin(), down_[1].end() - block_bytes);
    least_down_ = *least;
    most_down_ = *most;
    auto terms = static_cast<double>(problem_.terms) * problem_.parts;
    result_bits_ = scaling_.bits[0] + scaling_.bits[1] + static_cast<std::int64_t>(std::ceil(std::log2(terms)));
  }

  void multiply_panel() {
    for (std::int64_t l = 0; l < problem_.moduli; l += panels_.chunk) {
      Range chunk{l, std::min<std::int64_t>(panels_.chunk, problem_.moduli - l)};
      for (std::int64_t h = 0; h < problem_.terms; h += panels_.depth) {
        Range terms{h, std::min(panels_.depth, problem_.terms - h)};
        for (int i = 0; i < 2; ++i) operand_[i].load(panel_[i], chunk, terms);
        residues_.set_panel(panel_, operand_[0].lines(), operand_[1].lines());
        multiply(chunk, terms.first > 0);
      }
    }
  }

  void multiply(Range chunk, bool accumulates) {
    const std::int64_t depth = operand_[0].terms(), at_once = panels_.terms_at_once(depth);
    for (std::int64_t h = 0; h < depth; h += at_once) {
      multiply(chunk, {h, std::min(at_once, depth - h)}, accumulates || h > 0);
    }
  }

  void multiply(Range chunk, Range terms, bool accumulates) {
    const std::int64_t lines[2] = {operand_[0].lines(), operand_[1].lines()};
    const std::int64_t tiles[2] = {blocks(lines[0], panels_.tile[0]), blocks(lines[1], panels_.tile[1])};
    for_each(chunk.count * tiles[0] * tiles[1], [&](std::int64_t task, int thread) {
      const auto modulus = static_cast<int>(chunk.first + task / (tiles[0] * tiles[1]));
      Range tile[2];
      for (int i = 0; i < 2; ++i) {
        std::int64_t at = i == 0 ? task / tiles[1] % tiles[0] : task % tiles[1];
        tile[i] = {at * panels_.tile[i], std::min(panels_.tile[i], lines[i] - at * panels_.tile[i])};
      }
      if (!wants({panel_[0].first + tile[0].first, tile[0].count}, {panel_[1].first + tile[1].first, tile[1].count})) {
        return;
      }
      const std::int64_t strip = triangle_ ? triangle_rows : tile[0].count;
      for (std::int64_t r = 0; r < tile[0].count; r += strip) {
        const Range rows{tile[0].first + r, std::min(strip, tile[0].count - r)},
            columns = wanted_columns(rows, tile[1]);
        if (columns.count == 0) continue;
        multiply_tile(thread, modulus, planes_before(modulus) - planes_before(chunk.first), rows, columns, terms,
                      accumulates, next_rows(modulus, chunk, rows, terms, tiles[1] - 1 - task % tiles[1]));
      }
    });
  }

  // Those of the tile below, or of the next modulus, where tiles follow one another by columns on one core, each with
  // one product of packed bytes.
  NextRows next_rows(int modulus, Range chunk, Range rows, Range terms, std::int64_t calls) const {
    if (!panels_.packs || problem_.threads > 1 || panels_.levels > 0 || triangle_ || problem_.parts == 2) return {};
    const std::int64_t below = rows.first + rows.count, plane = modulus - chunk.first;
    if (below < operand_[0].lines()) return {operand_[0].packed_factor(plane, 0, below, terms.first), calls};
    if (plane + 1 < chunk.count) return {operand_[0].packed_factor(plane + 1, 0, 0, terms.first), calls};
    return {};
  }

  // That tile of each block. The modulus's planes begin at the `plane`th of those that are held.
  void multiply_tile(int thread, int modulus, int plane, Range rows, Range columns, Range terms, bool accumulates,
                     const NextRows& next) {
    const int planes = planes_before(modulus + 1) - planes_before(modulus);
    const std::int64_t leading = panels_.leading_sums(), size = panels_.tile[0] * leading;
    std::int32_t* const sums = sums_ + thread * panels_.sums(problem_) * size;
    for (const BlockStep& step : steps_) {
      for (int p = 0; p < planes; ++p) {
        if (panels_.packs) {
          multiply_packed_bytes(rows.count, columns.count, terms.count, operand_[0].terms(),
                                operand_[0].packed_factor(plane + p, step.factor, rows.first, terms.first),
                                operand_[1].packed_factor(plane + p, step.factor, columns.first, terms.first),
                                sums + p * size, leading, next);
        } else {
          multiply_bytes(library_, rows.count, columns.count, terms.count,
                         operand_[0].factor<std::uint8_t>(plane + p, step.factor, rows.first),
                         operand_[1].factor<std::int8_t>(plane + p, step.factor, columns.first), sums + p * size,
                         leading);
        }
      }
      for (const BlockStore& store : step.store) {
        if (store.to >= 0) residues_.reduce(thread, modulus, store, rows, columns, sums, accumulates);
      }
    }
  }

  // Planes of the moduli before one.
  int planes_before(std::int64_t modulus) const { return planes_of(static_cast<int>(modulus), problem_.parts == 2); }

  // A row of the panel's product from its residues to C.
  void write_row(std::int64_t r) {
    std::int64_t row = panel_[0].first + r;
    std::int64_t shift = down_[0][static_cast<std::size_t>(row)] + result_.shift();
    const Range wanted = wanted_columns(row);
    for (std::int64_t j = wanted.first; j < wanted.first + wanted.count; j += Result<T>::width) {
      std::int64_t count = std::min(Result<T>::width, wanted.first + wanted.count - j);
      typename Result<T>::Line line;
      for (int part = 0; part < problem_.parts; ++part) {
        rebuild(residues_.at(part, r, j), panel_[1].first + j, count, shift, line.hi[part],
                words_of<T> == 2 ? line.lo[part] : nullptr);
      }
      std::int64_t at[2];
      at[first_] = row;
      at[1 - first_] = panel_[1].first + j;
      result_.write(at[0], at[1], first_ == 0, count, line);
    }
  }

  void rebuild(const std::int8_t* residues, std::int64_t column, std::int64_t count, std::int64_t shift, double* hi,
               double* lo) {
    const std::int64_t stride = residues_.stride();
    const std::int64_t* down = down_[1].data() + column;
    kernels_.rebuild(count, basis_, residues, stride, {down, shift}, hi, lo);
    auto is_safe = [&](std::int64_t s) { return s >= -1074 && s + result_bits_ <= 1022; };
    if (is_safe(least_down_ + shift) && is_safe(most_down_ + shift)) return;
    for (std::int64_t i = 0; i < count; ++i) {
      if (is_safe(down[i] + shift)) continue;
      dd_real x = rebuild_entry(basis_, residues + i, stride, down[i] + shift, words_of<T>);
      hi[i] = x.hi;
      if (lo) lo[i] = x.lo;
    }
  }

  const KernelSet& kernels_;
  Int8Library library_;
  const Scaling& scaling_;
  const Basis& basis_;
  Result<T> result_;
  std::optional<Uplo> triangle_;
  int first_;  // A's place or B's: which one is the first operand of products of bytes
  PanelProblem problem_;
  Panels panels_;
  std::vector<BlockStep> steps_;
  host::Workspace workspace_;
  PanelOperand operand_[2];
  ResultResidues residues_;
  std::int32_t* sums_;
  // By place: 2^down scales a line of the product back.
  std::vector<std::int64_t> down_[2];
  std::int64_t least_down_, most_down_, result_bits_;
  Range panel_[2];
};

}  // namespace

template <class T>
Outcome execute(const CpuPlan& plan, const Product<T>& x) {
  Operand operand[2] = {Operand::left(x.a), Operand::right(x.b)};
  check_exact_scalars(plan.options.accuracy, x.alpha, x.beta);
  Scaling scaling = scale(operand,
                          {.accuracy = plan.options.accuracy,
                           .bits = plan.options.bits,
                           .most_moduli = plan.most_moduli,
                           .threads = plan.threads,
                           .bytes = plan.workspace / 4,
                           .tile = scan_tile(plan.workspace),
                           .library = plan.int8_library},
                          *plan.kernels);
  Outcome outcome{};
  outcome.path = scaling.path;
  if (!outcome.is_modular()) return outcome;
  outcome.bits = std::max(scaling.bits[0], scaling.bits[1]);
  outcome.moduli = scaling.moduli;
  outcome.esc = scaling.esc;
  outcome.error_bound_u2 = scaling.error_bound_u2;
  if (x.triangle)
    std::erase_if(scaling.direct, [&](const Position& p) { return !x.wants_block(p.line[0], p.line[1], 1, 1); });
  outcome.entries_direct = std::ssize(scaling.direct);
  // First, while C is as it was and memory may still be lacking.
  DirectEntries<T> direct(plan, scaling.direct, x);
  Multiplication<T> multiplication(plan, operand, scaling, x);
  multiplication.describe(outcome);
  multiplication.run();
  direct.write(x.c);
  outcome.entries_recomputed = direct.recomputed();
  // Those of the accuracies that only this engine has are never finite.
  if (outcome.entries_direct && !is_modular_only(plan.options.accuracy)) {
    outcome.error_bound_u2 = std::max(outcome.error_bound_u2, direct.error_bound_u2());
  }
  return outcome;
}

template Outcome execute(const CpuPlan&, const Product<double>&);
template Outcome execute(const CpuPlan&, const Product<std::complex<double>>&);
template Outcome execute(const CpuPlan&, const Product<dd_real>&);
template Outcome execute(const CpuPlan&, const Product<dd_complex>&);

}  // namespace hilo::modular
