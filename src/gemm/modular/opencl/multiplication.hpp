// The product of scaled operands on an OpenCL device, panel by panel: residues, their products, C. Of product.cpp
// alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "gemm/modular/moduli.hpp"
#include "gemm/modular/opencl/block_product.hpp"
#include "gemm/modular/opencl/plan.hpp"
#include "gemm/modular/opencl/prepared.hpp"
#include "gemm/modular/opencl/product.hpp"
#include "gemm/modular/opencl/residues.hpp"
#include "gemm/modular/opencl/scaling.hpp"
#include "gemm/modular/opencl/tables.hpp"
#include "matrix/sizes.hpp"

namespace hilo::modular {

inline constexpr std::int64_t least_part_rows = 512;  // fewer leave a large device idle
// Of A with zeros beside a triangle, whose terms are left out panel by panel, in whole slabs of a product of bytes.
inline constexpr std::int64_t triangle_lines = 512;
inline constexpr std::int64_t most_tile_depth = 64;
static_assert(DeviceProduct::triangle_block % most_tile_depth == 0);

/// What comes after rounding.
inline Update update_of(const DevicePlan& plan, const DeviceProduct& p) {
  return plan.accuracy == Accuracy::exact ? Update() : Update{p.alpha, p.beta};
}

/// What multiplies bytes of what is wanted of a product.
inline ByteMultiplier multiplier(opencl::Call& call, const DevicePlan& plan, const DeviceProduct& p, int levels,
                                 const ByteTile& tile) {
  const BytePart part = levels > 0 ? BytePart::blocks : p.triangle ? BytePart::triangle : BytePart::whole;
  return byte_multiplier(call.context(), plan.unit, tile, ByteResult::residue, part);
}

class Multiplication {
 public:
  // Takes its kernels and its memory. `plan`, `product`, `operand` and `call` must outlive it. Throws build_failure,
  // out_of_memory.
  Multiplication(opencl::Call& call, const DevicePlan& plan, const DeviceProduct& p, const DeviceOperand (&operand)[2],
                 const ScaledOperands& scaled, int row_parts, const PreparedOperands& prepared = {})
      : call_(call),
        plan_(plan),
        p_(p),
        row_parts_(row_parts),
        prepared_(prepared),
        scaled_(scaled),
        first_(plan.is_transposed ? 1 : 0),
        lines_of_a_(operand[0].lines),
        panels_(panels_for(call.context(), plan, scaled.choice.moduli, row_parts)),
        problem_(plan.problem_of(scaled.choice.moduli, panels_.levels)),
        multiplier_{multiplier(call, plan, p, panels_.levels, problem_.tile),
                    multiplier(call, plan, p, panels_.levels, problem_.edge)},
        rebuilder_(call.context(), rebuild_unit(call.context()), ElementKind(p.precision), scaled.choice.moduli,
                   update_of(plan, p), p.triangle.has_value()),
        residues_(call.context(), ElementKind(p.precision), operand, scaled, problem_.tile) {
    if (p.triangle_of_a) cut_to_triangle();
    if (panels_.levels > 0) blocks_.emplace(call.context(), residues_, multiplier_[0], problem_, panels_, first_);
    moduli_ = moduli_of_planes(call.context(), scaled.choice.moduli, problem_.is_complex);
    const std::int64_t lines[3] = {panels_.rows, panels_.columns, panels_.edge};
    for (int place = 0; place < 3; ++place) {
      if (lines[place] == 0) continue;
      take_operand_residues(place, panels_.operand_bytes(problem_, lines[place]));
    }
    for (int place : column_places) {
      if (lines[place] == 0) continue;
      result_residues_[place - 1] = call.lend(panels_.result_bytes(problem_, lines[place]), "residues of the product");
    }
  }

  void describe(DeviceOutcome& outcome) const {
    outcome.tile_rows = first_ == 0 ? panels_.rows : panels_.all_columns();
    outcome.tile_columns = first_ == 0 ? panels_.all_columns() : panels_.rows;
    outcome.depth = panels_.depth;
    outcome.levels = panels_.levels;
    outcome.workspace_bytes = panels_.bytes(problem_);
  }

  const ScalingChoice& choice() const { return scaled_.choice; }

  // Finds the residues that begin() takes first.
  void begin_residues() {
    if (!take_one_panel() || panels_.levels > 0 || !is_wanted(1)) return;
    const Range chunk = chunk_from(0), terms = terms_from(0);
    find_both_residues(1, chunk, terms_at(0, 1, terms), terms_at(1, 1, terms));
  }

  // Multiplies without writing to C, where that is one panel.
  void begin() {
    if (!take_one_panel()) return;
    multiply_panel();
    has_begun_ = true;
  }

  // The parts of C that are complete before the others; none where all are at the end. writes: C may be written to.
  std::vector<Part> run(bool& writes) {
    const std::int64_t rows = rows_at_once(), main_columns = problem_.main_columns();
    const bool has_parts = rows < problem_.rows && panels_.columns >= main_columns;
    std::vector<Part> parts;
    for (std::int64_t j = 0; j < main_columns; j += panels_.columns) {
      const bool is_last = j + panels_.columns >= main_columns;
      for (std::int64_t i = 0; i < problem_.rows; i += rows) {
        panel_[0] = {i, std::min(rows, problem_.rows - i)};
        panel_[1] = {j, std::min(panels_.columns, main_columns - j)};
        panel_[2] = {main_columns, is_last ? problem_.edge_columns() : 0};
        if (!is_wanted(1) && !is_wanted(2)) continue;
        if (!has_begun_) multiply_panel();
        has_begun_ = false;
        writes = true;
        rebuild_panel();
        if (has_parts) parts.push_back({i, panel_[0].count, call_.last()});
      }
    }
    release();
    return parts;
  }

  // Gives its memory back, but for what is kept with operands.
  void release() {
    for (opencl::Workspace& w : operand_residues_) call_.give_back(w);
    for (opencl::Workspace& w : result_residues_) call_.give_back(w);
  }

 private:
  struct Loaded {
    Range panel, chunk, terms;
    bool operator==(const Loaded&) const = default;
  };

  // By place: the operand of the product's rows, of its columns, and of the last columns, which are the edge.
  static constexpr int column_places[] = {1, 2};
  int operand_at(int place) const { return place == 0 ? first_ : 1 - first_; }
  Range all_lines(int place) const {
    if (place == 0) return {0, problem_.rows};
    return place == 1 ? Range{0, problem_.main_columns()} : Range{problem_.main_columns(), problem_.edge_columns()};
  }
  // Of all lines, terms and moduli those that are prepared, and where they are to be found.
  void take_operand_residues(int place, std::int64_t bytes) {
    PreparedOperand* prepared = prepared_.of[operand_at(place)];
    const bool has_all = panels_.chunk >= problem_.moduli && panels_.depth >= problem_.terms && row_parts_ <= 1 &&
                         !p_.triangle_of_a &&
                         (place == 0 ? panels_.rows >= problem_.rows : panels_.columns >= problem_.main_columns());
    if (!prepared || !has_all) {
      operand_residues_[place] = call_.lend(bytes, "residues of an operand");
      residues_at_[place] = opencl::copied(operand_residues_[place].buffer());
      return;
    }
    const Loaded all{all_lines(place), {0, problem_.moduli}, {0, problem_.terms}};
    panel_[place] = all.panel;
    const int grid = block_grid(panels_.levels);
    const std::int64_t padded_terms =
        panels_.levels > 0 ? panels_.depth : round_up(all.terms.count, problem_.tile.depth);
    const ResidueForm form{.is_of_columns = place != 0,
                           .lines = all.panel,
                           .padded_lines = padded_lines(place) / grid,
                           .padded_terms = padded_terms / grid,
                           .tile_lines = tile_lines(place),
                           .levels = panels_.levels,
                           .in_quads = problem_.tile.in_quads,
                           .is_montgomery = problem_.tile.is_montgomery,
                           .choice = choice()};
    kept_[place] = &prepared->residues(call_, form, ElementKind(p_.precision), bytes);
    residues_at_[place] = opencl::copied(kept_[place]->memory.buffer());
    if (kept_[place]->is_made) loaded_[place] = all;
  }

  int tile_lines(int place) const {
    return place == 0 ? problem_.tile.rows : place == 1 ? problem_.tile.columns : problem_.edge.columns;
  }
  std::int64_t padded_lines(int place) const {
    if (panels_.levels > 0) return place == 0 ? panels_.rows : panels_.columns;
    return round_up(panel_[place].count, tile_lines(place));
  }

  // A panel's rows, or fewer for the parts asked for, unless the columns' residues would be found again for each part.
  std::int64_t rows_at_once() const {
    const bool stay = panels_.columns >= problem_.main_columns() && panels_.chunk >= problem_.moduli &&
                      panels_.depth >= problem_.terms;
    if (row_parts_ <= 1 || !stay || panels_.levels > 0) return panels_.rows;
    const std::int64_t least = round_up(least_part_rows, problem_.tile.rows);
    const std::int64_t wanted = problem_.rows / row_parts_ / problem_.tile.rows * problem_.tile.rows;
    return std::min(panels_.rows, std::max(least, wanted));
  }

  // Goes to the panel that is all of C; false where there is none.
  bool take_one_panel() {
    if (rows_at_once() < problem_.rows || panels_.columns < problem_.main_columns()) return false;
    for (int place = 0; place < 3; ++place) panel_[place] = all_lines(place);
    return true;
  }

  Range chunk_from(std::int64_t l) const { return {l, std::min<std::int64_t>(panels_.chunk, problem_.moduli - l)}; }
  Range terms_from(std::int64_t h) const { return {h, std::min(panels_.depth, problem_.terms - h)}; }

  // Which triangle of the product of bytes is C's.
  bool is_upper() const { return (*p_.triangle == Uplo::upper) != (first_ == 1); }
  std::int64_t diagonal(int place) const { return panel_[0].first - panel_[place].first; }

  // Whether the panel's rows by its columns, or by those of the edge, have an entry of what is wanted.
  bool is_wanted(int place) const {
    const Range &rows = panel_[0], &columns = panel_[place];
    if (columns.count == 0) return false;
    if (!p_.triangle) return true;
    return is_upper() ? columns.first + columns.count > rows.first : rows.first + rows.count > columns.first;
  }

  void multiply_panel() {
    for (std::int64_t l = 0; l < problem_.moduli; l += panels_.chunk) {
      const Range chunk = chunk_from(l);
      for (std::int64_t h = 0; h < problem_.terms; h += panels_.depth) {
        const Range terms = terms_from(h);
        if (panels_.levels > 0) {
          for (int place : {0, 1}) {
            const Loaded wanted{panel_[place], chunk, terms};
            if (std::exchange(loaded_[place], wanted) == wanted) continue;
            blocks_->find_factors(call_, place, chunk, residues_at_[place], moduli_);
            note_made(place);
          }
          blocks_->multiply(call_, chunk, residues_at_[0], residues_at_[1], result_residues_[0].buffer(), moduli_);
        } else {
          for (int place : column_places) multiply_columns(place, chunk, terms);
        }
      }
    }
  }

  // Panels of few lines of A, of which each takes the terms that it has, with all of B, whose residues stay; where
  // memory does not do for that, A's zeros are terms as others are.
  void cut_to_triangle() {
    const bool is_a_in_rows = first_ == 0;
    const std::int64_t lines = round_up(triangle_lines, is_a_in_rows ? problem_.tile.rows : problem_.tile.columns);
    const bool stays = is_a_in_rows ? panels_.columns >= problem_.main_columns() : panels_.rows >= problem_.rows;
    skips_terms_ = stays && panels_.chunk >= problem_.moduli && panels_.depth >= problem_.terms;
    if (!skips_terms_) return;
    std::int64_t& cut = is_a_in_rows ? panels_.rows : panels_.columns;
    cut = std::min(cut, lines);
  }

  int place_of_a(int column_place) const { return first_ == 0 ? 0 : column_place; }

  // Of `terms` those that a place takes in a product of the panel's rows by the columns at column_place.
  Range terms_at(int place, int column_place, Range terms) const {
    return place == place_of_a(column_place) ? terms_of_a(column_place, terms) : terms;
  }
  Range terms_of_a(int column_place, Range terms) const {
    if (!skips_terms_) return terms;
    const Range& lines = panel_[place_of_a(column_place)];
    constexpr std::int64_t block = DeviceProduct::triangle_block;
    if (*p_.triangle_of_a == Uplo::lower) {
      return {0, std::min(terms.count, round_up(lines.first + lines.count, block))};
    }
    const std::int64_t first = lines.first / block * block;
    return {first, terms.count - first};
  }

  // The panel's rows by its columns, or by those of the edge.
  void multiply_columns(int place, Range chunk, Range all_terms) {
    if (!is_wanted(place)) return;
    find_both_residues(place, chunk, terms_at(0, place, all_terms), terms_at(place, place, all_terms));
    const Range terms = terms_of_a(place, all_terms);
    ByteProduct product{residues_at_[0],
                        residues_at_[place],
                        result_residues_[place - 1].buffer(),
                        moduli_,
                        problem_.planes(0, chunk.first),
                        problem_.planes(chunk.first, chunk.count),
                        opencl::narrow(padded_lines(0) / tile_lines(0)),
                        opencl::narrow(padded_lines(place) / tile_lines(place)),
                        round_up(terms.count, problem_.tile.depth),
                        all_terms.first > 0};
    if (skips_terms_) {
      const int of_b = place_of_a(place) == 0 ? place : 0;
      const std::int64_t first = terms.first * tile_lines(of_b);
      const std::int64_t depth = round_up(all_terms.count, problem_.tile.depth);
      (of_b == 0 ? product.first_of_a : product.first_of_b) = first;
      (of_b == 0 ? product.depth_of_a : product.depth_of_b) = depth;
    }
    if (p_.triangle) product.triangle = {is_upper(), diagonal(place)};
    const auto launch = multiplier_[place - 1].launch(product);
    call_.launch(*launch.kernel, launch.global, launch.local, true);
  }

  // The residues of the panel's rows, and of its columns or those of the edge, unless they are there from before.
  void find_both_residues(int place, Range chunk, Range row_terms, Range column_terms) {
    const Loaded rows{panel_[0], chunk, row_terms}, columns{panel_[place], chunk, column_terms};
    const bool misses_rows = loaded_[0] != rows, misses_columns = loaded_[place] != columns;
    loaded_[0] = rows;
    loaded_[place] = columns;
    find_residues(place, misses_rows, misses_columns);
    if (misses_rows) note_made(0);
    if (misses_columns) note_made(place);
  }

  void find_residues(int place, bool misses_rows, bool misses_columns) {
    const Loaded &rows = loaded_[0], &columns = loaded_[place];
    if (misses_rows && misses_columns && residues_.serves_both() && rows.panel.first == columns.panel.first &&
        rows.terms == columns.terms) {
      return residues_.launch_both(call_, residue_block(0), residue_block(place));
    }
    if (misses_rows && misses_columns) return residues_.launch_two(call_, residue_block(0), residue_block(place));
    if (misses_rows) residues_.launch(call_, residue_block(0));
    if (misses_columns) residues_.launch(call_, residue_block(place));
  }

  void note_made(int place) {
    if (kept_[place]) kept_[place]->is_made = true;
  }

  // What is to be loaded at a place.
  ResidueBlock residue_block(int place) const {
    const Loaded& wanted = loaded_[place];
    return {operand_at(place),
            place != 0,
            wanted.panel,
            wanted.terms,
            wanted.chunk,
            padded_lines(place),
            round_up(wanted.terms.count, problem_.tile.depth),
            tile_lines(place),
            residues_at_[place]};
  }

  void rebuild_panel() {
    for (int place : column_places) rebuild_columns(place);
  }

  void rebuild_columns(int place) {
    if (!is_wanted(place)) return;
    opencl::matrix_view view = view_of(p_.c);
    if (first_ == 1) std::swap(view.row_stride, view.column_stride);
    const bool is_exact = plan_.accuracy == Accuracy::exact;
    const int shift = is_exact ? std::ilogb(p_.alpha.re.hi) : 0;
    auto exponents = [&](int of) { return operand_at(of) == 0 ? 0 : lines_of_a_; };
    ResiduePanel panel{result_residues_[place - 1].buffer(),
                       padded_lines(0),
                       padded_lines(place),
                       panel_[0].first,
                       panel_[0].count,
                       panel_[place].first,
                       panel_[place].count,
                       scaled_.exponents,
                       exponents(0),
                       exponents(place),
                       choice().bits[0] + choice().bits[1] - shift,
                       is_exact && p_.alpha.re.hi < 0.0,
                       p_.c.buffer,
                       view};
    if (p_.triangle) panel.wanted = {is_upper() ? 2 : 1, opencl::narrow(diagonal(place))};
    rebuilder_.launch(call_, panel);
  }

  opencl::Call& call_;
  const DevicePlan& plan_;
  const DeviceProduct& p_;
  int row_parts_;
  PreparedOperands prepared_;
  ScaledOperands scaled_;
  int first_;
  std::int64_t lines_of_a_;
  DevicePanels panels_;
  DevicePanelProblem problem_;
  ByteMultiplier multiplier_[2];  // this and result_residues_ by place - 1
  Rebuilder rebuilder_;
  Residues residues_;
  std::optional<BlockProduct> blocks_;
  cl::Buffer moduli_;
  opencl::Workspace operand_residues_[3], result_residues_[2];
  PreparedOperand::Kept* kept_[3] = {nullptr, nullptr, nullptr};  // instead
  cl::Buffer residues_at_[3];
  bool has_begun_ = false;
  bool skips_terms_ = false;  // beside A's triangle
  Range panel_[3];
  Loaded loaded_[3];
};

}  // namespace hilo::modular
