#include "gemm/modular/opencl/product.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gemm/modular/guarantee.hpp"
#include "gemm/modular/moduli.hpp"
#include "gemm/modular/opencl/block_product.hpp"
#include "gemm/modular/opencl/direct_entries.hpp"
#include "gemm/modular/opencl/residues.hpp"
#include "gemm/modular/opencl/scaling.hpp"
#include "gemm/modular/opencl/tables.hpp"
#include "matrix/sizes.hpp"

namespace hilo::modular {
namespace {

using opencl::narrow;

constexpr std::int64_t least_part_rows = 512;  // fewer leave a large device idle
// Of A with zeros beside a triangle, whose terms are left out panel by panel, in whole slabs of a product of bytes.
constexpr std::int64_t triangle_lines = 512;
constexpr std::int64_t most_tile_depth = 64;
static_assert(DeviceProduct::triangle_block % most_tile_depth == 0);

// Whether alpha and beta come after rounding.
bool has_factors(const DevicePlan& plan, const DeviceProduct& p) {
  return plan.accuracy != Accuracy::exact && !(p.alpha == dd_complex(1) && p.beta == dd_complex(0));
}

// What multiplies bytes of what is wanted of a product.
ByteMultiplier multiplier(opencl::Call& call, const DevicePlan& plan, const DeviceProduct& p, int levels,
                          const ByteTile& tile) {
  const BytePart part = levels > 0 ? BytePart::blocks : p.triangle ? BytePart::triangle : BytePart::whole;
  return byte_multiplier(call.context(), plan.unit, tile, ByteResult::residue, part);
}

// The product of scaled operands, panel by panel: residues, their products, C.
class Multiplication {
 public:
  // Takes its kernels and its memory. `plan`, `product`, `operand` and `call` must outlive it. Throws build_failure,
  // out_of_memory.
  Multiplication(opencl::Call& call, const DevicePlan& plan, const DeviceProduct& p, const DeviceOperand (&operand)[2],
                 const ScaledOperands& scaled, int row_parts)
      : call_(call),
        plan_(plan),
        p_(p),
        row_parts_(row_parts),
        scaled_(scaled),
        first_(plan.is_transposed ? 1 : 0),
        lines_of_a_(operand[0].lines),
        panels_(panels_for(call.context(), plan, scaled.choice.moduli, row_parts)),
        problem_(plan.problem_of(scaled.choice.moduli, panels_.levels)),
        multiplier_{multiplier(call, plan, p, panels_.levels, problem_.tile),
                    multiplier(call, plan, p, panels_.levels, problem_.edge)},
        rebuilder_(call.context(), rebuild_unit(call.context()), ElementKind(p.precision), scaled.choice.moduli,
                   has_factors(plan, p), p.triangle.has_value()),
        residues_(call.context(), ElementKind(p.precision), operand, scaled) {
    if (p.triangle_of_a) cut_to_triangle();
    if (panels_.levels > 0) blocks_.emplace(call.context(), residues_, multiplier_[0], problem_, panels_, first_);
    if (has_factors(plan, p)) rebuilder_.set_factors(p.alpha, p.beta);
    moduli_ = moduli_of_planes(call.context(), scaled.choice.moduli, problem_.is_complex);
    const std::int64_t lines[3] = {panels_.rows, panels_.columns, panels_.edge};
    for (int place = 0; place < 3; ++place) {
      if (lines[place] == 0) continue;
      operand_residues_[place] = call.lend(panels_.operand_bytes(problem_, lines[place]), "residues of an operand");
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

  // Multiplies without writing to C, where that is one panel.
  void begin() {
    if (rows_at_once() < problem_.rows || panels_.columns < problem_.main_columns()) return;
    panel_[0] = {0, problem_.rows};
    panel_[1] = {0, problem_.main_columns()};
    panel_[2] = {problem_.main_columns(), problem_.edge_columns()};
    multiply_panel();
    has_begun_ = true;
  }

  // The parts of C that are complete before the others; none where all are at the end.
  std::vector<Part> run() {
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
        rebuild_panel();
        if (has_parts) parts.push_back({i, panel_[0].count, call_.last()});
      }
    }
    release();
    return parts;
  }

  // Gives its memory back.
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
      const Range chunk{l, std::min<std::int64_t>(panels_.chunk, problem_.moduli - l)};
      for (std::int64_t h = 0; h < problem_.terms; h += panels_.depth) {
        const Range terms{h, std::min(panels_.depth, problem_.terms - h)};
        if (panels_.levels > 0) {
          blocks_->multiply(call_, chunk, operand_residues_[0].buffer(), operand_residues_[1].buffer(),
                            result_residues_[0].buffer(), moduli_);
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
    ByteProduct product{operand_residues_[0].buffer(),
                        operand_residues_[place].buffer(),
                        result_residues_[place - 1].buffer(),
                        moduli_,
                        problem_.planes(0, chunk.first),
                        problem_.planes(chunk.first, chunk.count),
                        narrow(padded_lines(0) / tile_lines(0)),
                        narrow(padded_lines(place) / tile_lines(place)),
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
    if (misses_rows && misses_columns && residues_.serves_both() && rows.panel.first == columns.panel.first &&
        row_terms == column_terms) {
      return residues_.launch_both(call_, residue_block(0), residue_block(place));
    }
    if (misses_rows) residues_.launch(call_, residue_block(0));
    if (misses_columns) residues_.launch(call_, residue_block(place));
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
            operand_residues_[place].buffer()};
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
    if (p_.triangle) panel.wanted = {is_upper() ? 2 : 1, narrow(diagonal(place))};
    rebuilder_.launch(call_, panel);
  }

  opencl::Call& call_;
  const DevicePlan& plan_;
  const DeviceProduct& p_;
  int row_parts_;
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
  bool has_begun_ = false;
  bool skips_terms_ = false;  // beside A's triangle
  Range panel_[3];
  Loaded loaded_[3];
};

// Whether to begin before the figures are there: where that takes no longer than a wait or two for the device, and
// where nobody counts the memory.
bool is_worth_beginning(const DevicePlan& plan, const DeviceProduct& p, const ScalingChoice& expected) {
  constexpr double most_operations = 1e12;
  const double operations = 2.0 * static_cast<double>(p.m()) * static_cast<double>(p.n()) * static_cast<double>(p.k()) *
                            planes_of(expected.moduli, is_complex(p.precision));
  return !plan.is_bounded && operations <= most_operations;
}

// Exponents alone are asked for: moduli and bits follow from the terms.
DeviceOutcome execute_unwatched(const DevicePlan& plan, const DeviceProduct& p, opencl::Call& call) {
  const ElementKind kind(p.precision);
  const DeviceOperand operand[2] = {DeviceOperand::left(p.a), DeviceOperand::right(p.b)};
  const Guarantee promised = guarantee(plan.accuracy, p.k(), kind.words, kind.is_complex());
  Scan scan(call, kind, operand, {.keeps_codes = false, .finds_balance = false, .tests_sums = false, .limit = 0});
  ScaledOperands scaled{.choice = {}, .exponents = opencl::copied(scan.found().exponents), .balance = {}};
  const int count = plan.problem.moduli, bits = largest_bits(count, p.k(), kind.is_complex());
  scaled.choice.moduli = count;
  scaled.choice.bits[0] = scaled.choice.bits[1] = bits;
  Multiplication product(call, plan, p, operand, scaled, 0);
  DeviceOutcome outcome{};
  outcome.path = Path::modular;
  outcome.bits = bits;
  outcome.moduli = count;
  outcome.error_bound_u2 = error_bound(promised, p.k(), kind.words, kind.is_complex());
  product.describe(outcome);
  product.run();
  Scan::spoil(call, kind, scaled.exponents, p.c, triangle_of(p));
  return outcome;
}

}  // namespace

DeviceOutcome execute(const DevicePlan& plan, const DeviceProduct& p, opencl::Call& call, int row_parts) {
  if (plan.is_unwatched) return execute_unwatched(plan, p, call);
  const ElementKind kind(p.precision);
  if (has_factors(plan, p)) require_doubles(call.context(), kind, "alpha other than 1 or beta other than 0");
  const DeviceOperand operand[2] = {DeviceOperand::left(p.a), DeviceOperand::right(p.b)};
  Guardrail guardrail(call, kind, operand,
                      {plan.accuracy, plan.bits, plan.most_moduli, plan.unit, triangle_of(p), plan.is_tentative});
  std::optional<Multiplication> product;
  if (const auto expected = guardrail.expected(); expected && is_worth_beginning(plan, p, expected->choice)) {
    try {
      product.emplace(call, plan, p, operand, *expected, row_parts);
      product->begin();
    } catch (const error& e) {
      // What is expected may take more than what it turns out to be.
      if (e.code() != errc::out_of_memory) throw;
      product.reset();
    }
  }
  const DeviceScaling scaling = guardrail.settle();
  if (product && product->choice() != scaling.choice) {
    product->release();
    product.reset();
  }
  DeviceOutcome outcome{};
  outcome.path = scaling.choice.path;
  if (!outcome.is_modular()) return outcome;
  outcome.bits = scaling.choice.most_bits();
  outcome.moduli = scaling.choice.moduli;
  outcome.esc = scaling.esc;
  outcome.error_bound_u2 = scaling.error_bound_u2;
  outcome.entries_direct = scaling.direct.count;
  if (!product) product.emplace(call, plan, p, operand, scaling, row_parts);
  product->describe(outcome);
  if (scaling.direct.count == 0) {
    outcome.parts = product->run();
    return outcome;
  }
  DirectDeviceEntries direct(call, plan, p, scaling.direct.positions, scaling.direct.count);
  product->run();
  // Those of the accuracies that only this engine has are never finite.
  const double of_direct = is_needed(plan.accuracy) ? 0.0 : direct.error_bound_u2();
  outcome.error_bound_u2 = std::max(outcome.error_bound_u2, of_direct);
  outcome.recomputed = direct.write();
  return outcome;
}

}  // namespace hilo::modular
