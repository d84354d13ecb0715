#include "gemm/modular/opencl/product.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "gemm/modular/guarantee.hpp"
#include "gemm/modular/opencl/direct_entries.hpp"
#include "gemm/modular/opencl/rebuild.hpp"
#include "gemm/modular/opencl/scaling.hpp"
#include "gemm/modular/opencl/tables.hpp"
#include "gemm/modular/opencl/units.hpp"
#include "matrix/sizes.hpp"

namespace hilo::modular {
namespace {

using opencl::narrow;
using opencl::set_arguments;
using opencl::Workspace;

constexpr std::int64_t terms_at_once = 16;
// Of kernels/modular/residues_mma.cl: warps of a work-group, elements of a lane.
constexpr int residue_warps = 2, lane_elements = 4;
constexpr std::int64_t least_part_rows = 512;  // fewer leave a large device idle

std::size_t size(std::int64_t x) { return static_cast<std::size_t>(x); }

std::string define(const char* macro, int value) { return std::string(" -D") + macro + "=" + std::to_string(value); }

std::string element_options(opencl::ContextState& context, ElementKind kind) {
  const bool has_dp4a = byte_features(context).compute_capability >= 61;
  return define("WORDS", kind.words) + define("PARTS", kind.parts) + define("HAS_DP4A", has_dp4a);
}

// Whether residues_mma.cl finds residues: NVIDIA's matrix units have bytes, and doubles round.
bool has_matrix_unit(opencl::ContextState& context) {
  return context.info.fp64 && byte_features(context).compute_capability >= 80;
}

cl::Program residue_program(opencl::ContextState& context, ElementKind kind, int limbs) {
  const char* root = has_matrix_unit(context) ? "modular/residues_mma.cl" : "modular/residues_dot.cl";
  return context.programs.get(context, opencl::ProgramRecipe{"residues", root,
                                                             element_options(context, kind) + define("LIMBS", limbs) +
                                                                 define("WARPS", residue_warps)});
}

cl::Buffer uploaded(const opencl::ContextState& context, std::vector<std::uint32_t> words) {
  return cl::Buffer(context.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(std::uint32_t) * words.size(),
                    words.data());
}

// Whether alpha and beta come after rounding.
bool has_factors(const DevicePlan& plan, const DeviceProduct& p) {
  return plan.accuracy != Accuracy::exact && !(p.alpha == dd_complex(1) && p.beta == dd_complex(0));
}

// The product of the scaled operands, panel by panel, into C.
class Multiplication {
 public:
  Multiplication(opencl::Call& call, const DevicePlan& plan, const DeviceProduct& p, const DeviceOperand (&operand)[2],
                 const ScaledOperands& scaled, int row_parts)
      : call_(call),
        plan_(plan),
        p_(p),
        row_parts_(row_parts),
        kind_(p.precision),
        operand_(operand),
        scaled_(scaled),
        first_(plan.is_transposed ? 1 : 0),
        problem_(plan.problem_of(scaled.choice.moduli)),
        panels_(plan.panels_of(scaled.choice.moduli)),
        multiplier_{byte_multiplier(call.context(), plan.unit, problem_.tile),
                    byte_multiplier(call.context(), plan.unit, problem_.edge)},
        rebuilder_(call.context(), rebuild_unit(call.context()), kind_, scaled.choice.moduli, has_factors(plan, p)) {
    opencl::ContextState& context = call.context();
    if (has_factors(plan, p)) rebuilder_.set_factors(p.alpha, p.beta);
    const int limbs = integer_limbs(choice().most_bits() + (kind_.is_complex() ? 1 : 0));
    residues_ = context.kernels.borrow(residue_program(context, kind_, limbs), "residues");
    auto table = [&](const std::string& name, auto make) {
      return context.tables.get(name, [&] { return uploaded(context, make()); });
    };
    const std::string count = std::to_string(choice().moduli);
    for (int i = 0; i < 2; ++i) {
      tables_[i] = table("residues " + count + ' ' + std::to_string(limbs) + ' ' + std::to_string(i),
                         [&] { return residue_table(choice().moduli, limbs, i == 1); });
    }
    moduli_ = table("moduli " + count + ' ' + std::to_string(kind_.products()),
                    [&] { return plane_moduli(choice().moduli, kind_.products()); });
    table_words_ = residue_table_stride(limbs);
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
    outcome.workspace_bytes = panels_.bytes(problem_);
  }

  const ScalingChoice& choice() const { return scaled_.choice; }

  /// Multiplies without writing to C, where that is one panel.
  void begin() {
    if (rows_at_once() < problem_.rows || panels_.columns < problem_.main_columns()) return;
    panel_[0] = {0, problem_.rows};
    panel_[1] = {0, problem_.main_columns()};
    panel_[2] = {problem_.main_columns(), problem_.edge_columns()};
    multiply_panel();
    has_begun_ = true;
  }

  /// The parts of C that are complete before the others; none where all are at the end.
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
        if (!has_begun_) multiply_panel();
        has_begun_ = false;
        rebuild_panel();
        if (has_parts) parts.push_back({i, panel_[0].count, call_.last()});
      }
    }
    release();
    return parts;
  }

  /// Gives its memory back.
  void release() {
    for (Workspace& w : operand_residues_) w.release(call_.queue().queue, call_.last());
    for (Workspace& w : result_residues_) w.release(call_.queue().queue, call_.last());
  }

 private:
  struct Range {
    std::int64_t first = -1, count = 0;
    bool operator==(const Range&) const = default;
  };

  // By place: the operand of the product's rows, of its columns, and of the last columns, which are the edge.
  static constexpr int column_places[] = {1, 2};
  const DeviceOperand& at_place(int place) const { return operand_[place == 0 ? first_ : 1 - first_]; }
  int operand_at(int place) const { return place == 0 ? first_ : 1 - first_; }
  std::int64_t line_count(int place) const { return at_place(place).lines; }
  int tile_lines(int place) const {
    return place == 0 ? problem_.tile.rows : place == 1 ? problem_.tile.columns : problem_.edge.columns;
  }
  std::int64_t padded_lines(int place) const { return round_up(panel_[place].count, tile_lines(place)); }

  // A panel's rows, or fewer for the parts asked for, unless the columns' residues would be found again for each part.
  std::int64_t rows_at_once() const {
    const bool stay = panels_.columns >= problem_.main_columns() && panels_.chunk >= problem_.moduli &&
                      panels_.depth >= problem_.terms;
    if (row_parts_ <= 1 || !stay) return panels_.rows;
    const std::int64_t least = round_up(least_part_rows, problem_.tile.rows);
    const std::int64_t wanted = problem_.rows / row_parts_ / problem_.tile.rows * problem_.tile.rows;
    return std::min(panels_.rows, std::max(least, wanted));
  }

  void multiply_panel() {
    for (std::int64_t l = 0; l < problem_.moduli; l += panels_.chunk) {
      const Range chunk{l, std::min<std::int64_t>(panels_.chunk, problem_.moduli - l)};
      for (std::int64_t h = 0; h < problem_.terms; h += panels_.depth) {
        const Range terms{h, std::min(panels_.depth, problem_.terms - h)};
        find_residues(0, chunk, terms);
        for (int place : column_places) multiply_columns(place, chunk, terms);
      }
    }
  }

  // The panel's rows by its columns, or by those of the edge.
  void multiply_columns(int place, Range chunk, Range terms) {
    if (panel_[place].count == 0) return;
    find_residues(place, chunk, terms);
    const auto launch = multiplier_[place - 1].launch(
        {operand_residues_[0].buffer(), operand_residues_[place].buffer(), result_residues_[place - 1].buffer(),
         moduli_, narrow(chunk.first * problem_.products), narrow(chunk.count * problem_.products),
         narrow(padded_lines(0) / tile_lines(0)), narrow(padded_lines(place) / tile_lines(place)),
         round_up(terms.count, problem_.tile.depth), terms.first > 0});
    call_.launch(*launch.kernel, launch.global, launch.local, true);
  }

  // The residues of an operand's panel, unless they are there from before.
  void find_residues(int place, Range chunk, Range terms) {
    const Loaded wanted{panel_[place], chunk, terms};
    if (loaded_[place] == wanted) return;
    loaded_[place] = wanted;
    const int o = operand_at(place);
    const DeviceOperand& x = operand_[o];
    const std::int64_t lines = padded_lines(place), depth = round_up(terms.count, problem_.tile.depth);
    const cl::Buffer& exponents = scaled_.exponents[o];
    const bool is_balanced = scaled_.balance() != nullptr;
    set_arguments(residues_, x.buffer, x.view, narrow(panel_[place].first), narrow(panel_[place].count),
                  narrow(terms.first), narrow(terms.count), narrow(lines), narrow(depth), tile_lines(place), exponents,
                  choice().bits[o], is_balanced ? scaled_.balance : exponents,
                  narrow(!is_balanced ? 0
                         : o == 0     ? 1
                                      : -1),
                  tables_[place == 0 ? 0 : 1], narrow(chunk.first * table_words_), narrow(chunk.count),
                  operand_residues_[place].buffer());
    if (has_matrix_unit(call_.context())) {
      const std::int64_t group = 32 * residue_warps;
      call_.launch(*residues_, cl::NDRange(size(round_up(lines * depth / lane_elements, group))),
                   cl::NDRange(size(group)), true);
    } else {
      const std::int64_t group = lines % 128 == 0 ? 128 : 16;
      call_.launch(*residues_, cl::NDRange(size(lines), size(depth / terms_at_once), size(problem_.products)),
                   cl::NDRange(size(group), 1, 1), true);
    }
  }

  void rebuild_panel() {
    for (int place : column_places) rebuild_columns(place);
  }

  void rebuild_columns(int place) {
    if (panel_[place].count == 0) return;
    const bool is_transposed = first_ == 1;
    const opencl::matrix_view view{p_.c.offset, is_transposed ? p_.c.column_stride : p_.c.row_stride,
                                   is_transposed ? p_.c.row_stride : p_.c.column_stride, 0};
    const bool is_exact = plan_.accuracy == Accuracy::exact;
    const int shift = is_exact ? std::ilogb(p_.alpha.re.hi) : 0;
    auto exponents = [&](int of) { return scaled_.exponents[operand_at(of)]; };
    rebuilder_.launch(
        call_, {result_residues_[place - 1].buffer(), padded_lines(0), padded_lines(place), panel_[0].first,
                panel_[0].count, panel_[place].first, panel_[place].count, exponents(0), exponents(place),
                choice().bits[0] + choice().bits[1] - shift, is_exact && p_.alpha.re.hi < 0.0, p_.c.buffer, view});
  }

  struct Loaded {
    Range panel, chunk, terms;
    bool operator==(const Loaded&) const = default;
  };

  opencl::Call& call_;
  const DevicePlan& plan_;
  const DeviceProduct& p_;
  int row_parts_;
  ElementKind kind_;
  const DeviceOperand (&operand_)[2];
  ScaledOperands scaled_;
  int first_;
  DevicePanelProblem problem_;
  DevicePanels panels_;
  ByteMultiplier multiplier_[2];  // this and result_residues_ by place - 1
  Rebuilder rebuilder_;
  opencl::BorrowedKernel residues_;
  cl::Buffer tables_[2], moduli_;
  std::int64_t table_words_;
  Workspace operand_residues_[3], result_residues_[2];
  bool has_begun_ = false;
  Range panel_[3];
  Loaded loaded_[3];
};

// Whether to begin before the figures are there: where that takes no longer than a wait or two for the device, and
// where nobody counts the memory.
bool is_worth_beginning(const DevicePlan& plan, const DeviceProduct& p, const ScalingChoice& expected) {
  constexpr double most_operations = 1e12;
  const double operations = 2.0 * static_cast<double>(p.m()) * static_cast<double>(p.n()) * static_cast<double>(p.k()) *
                            expected.moduli * ElementKind(p.precision).products();
  return !plan.is_bounded && operations <= most_operations;
}

bool is_modular(Path path) { return path == Path::modular || path == Path::modular_balanced; }

}  // namespace

DeviceOutcome execute(const DevicePlan& plan, const DeviceProduct& p, opencl::Call& call, int row_parts) {
  const ElementKind kind(p.precision);
  if (has_factors(plan, p)) require_doubles(call.context(), kind, "alpha other than 1 or beta other than 0");
  const DeviceOperand operand[2] = {DeviceOperand::left(p.a), DeviceOperand::right(p.b)};
  Guardrail guardrail(call, kind, operand, {plan.accuracy, plan.bits, plan.most_moduli});
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
  DeviceScaling scaling = guardrail.settle();
  if (product && product->choice() != scaling) {
    product->release();
    product.reset();
  }
  DeviceOutcome outcome{};
  outcome.path = scaling.path;
  if (is_modular(scaling.path)) {
    outcome.bits = scaling.most_bits();
    outcome.moduli = scaling.moduli;
    outcome.esc = scaling.esc;
    outcome.error_bound_u2 = scaling.error_bound_u2;
    outcome.entries_direct = scaling.entries_direct;
    if (!product) product.emplace(call, plan, p, operand, scaling.operands(), row_parts);
    product->describe(outcome);
    if (scaling.entries_direct) {
      DirectDeviceEntries direct(call, plan, p, scaling.direct.buffer(), scaling.entries_direct);
      product->run();
      // Those of the accuracies that only this engine has are never finite.
      const double of_direct = is_needed(plan.accuracy) ? 0.0 : direct.error_bound_u2();
      outcome.error_bound_u2 = std::max(outcome.error_bound_u2, of_direct);
      outcome.recomputed = direct.write();
    } else {
      outcome.parts = product->run();
    }
  }
  for (Workspace* w : {&scaling.exponents[0], &scaling.exponents[1], &scaling.balance, &scaling.direct}) {
    w->release(call.queue().queue, call.last());
  }
  return outcome;
}

}  // namespace hilo::modular
