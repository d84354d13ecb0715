#include "gemm/modular/opencl/panel_product.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "gemm/modular/moduli.hpp"
#include "gemm/modular/opencl/block_product.hpp"
#include "gemm/modular/opencl/residues.hpp"
#include "gemm/modular/opencl/tables.hpp"
#include "matrix/sizes.hpp"

namespace hilo::modular {
namespace {

using opencl::Call;
using opencl::narrow;

constexpr std::int64_t figure_bytes = 4 * figure_count;

// Of words of 32 bits for each line.
constexpr std::int64_t line_bytes(std::int64_t lines) { return 4 * lines; }

}  // namespace

PanelFigures PanelFigures::of_nothing() {
  return {{line_of_zeros, {0, 0}, {0, 0}}, {line_of_zeros, line_of_zeros}, {false, false}};
}

void PanelFigures::add(const PanelFigures& other) {
  sums.asked = std::max(sums.asked, other.sums.asked);
  for (int o = 0; o < 2; ++o) {
    sums.norm[o] = std::max(sums.norm[o], other.sums.norm[o]);
    sums.shift[o] = std::max(sums.shift[o], other.sums.shift[o]);
    largest[o] = std::max(largest[o], other.largest[o]);
    has_bad_lines[o] = has_bad_lines[o] || other.has_bad_lines[o];
  }
}

PanelFigures PanelFigures::of_panel(int operand, const Figures& scanned) {
  PanelFigures its = of_nothing();
  its.sums.norm[operand] = scanned[figure_norm];
  its.sums.shift[operand] = scanned[figure_shift];
  its.largest[operand] = scanned[figure_largest];
  its.has_bad_lines[operand] = scanned[figure_bad] > 0;
  return its;
}

void PreparedPanel::give_back(Call& call) {
  for (opencl::Workspace* w : {&exponents, &norms, &magnitudes, &residues}) call.give_back(*w);
}

bool PanelProduct::suits(Accuracy accuracy, std::int64_t terms) {
  return modular::has_sum_test(accuracy, terms) ||
         (accuracy == Accuracy::normwise && terms >= 1 && terms <= max_device_depth);
}

std::vector<int> PanelProduct::levels_of(const DevicePlan& plan, const std::int64_t (&lines)[2], std::int64_t terms) {
  DevicePanelProblem panels = plan.problem;
  panels.rows = lines[plan.is_transposed ? 1 : 0];
  panels.columns = lines[plan.is_transposed ? 0 : 1];
  panels.terms = terms;
  panels.tile = byte_tile(plan.unit, panels.rows, panels.columns);
  std::vector<int> all;
  for (int levels = plan.levels_at_most(); levels > 0; --levels) {
    if (has_blocks(panels, levels, plan.depth)) all.push_back(levels);
  }
  all.push_back(0);
  return all;
}

PanelProduct::PanelProduct(const DevicePlan& plan, const DeviceProduct& p, const std::int64_t (&lines)[2], int levels)
    : plan_(plan),
      kind_(p.precision),
      alpha_(p.alpha),
      beta_(p.beta),
      terms_(p.k()),
      lines_{lines[0], lines[1]},
      tile_(byte_tile(plan.unit, lines[rows_operand()], lines[1 - rows_operand()])),
      levels_(levels),
      guarantee_(guarantee(plan.accuracy, p.k(), kind_.words, kind_.is_complex())),
      has_sums_(modular::has_sum_test(plan.accuracy, p.k())) {}

std::int64_t PanelProduct::block_lines(int operand, std::int64_t lines) const {
  return round_up(blocks(lines, block_grid(levels_)), tile_lines(operand));
}
std::int64_t PanelProduct::block_depth() const { return round_up(blocks(terms_, block_grid(levels_)), tile_.depth); }
std::int64_t PanelProduct::padded_lines(int operand, std::int64_t lines) const {
  return block_grid(levels_) * block_lines(operand, lines);
}

// Of one operand alone, which Scan takes as A.
MagnitudeSizes PanelProduct::magnitude_sizes(int operand, std::int64_t lines) const {
  ByteTile tile = tile_;
  tile.rows = tile_lines(operand);
  return {tile, lines, 0, terms_};
}

PanelBytes PanelProduct::bytes(const DeviceInfo& device, int operand, int count) const {
  const std::int64_t lines = lines_[operand], others = lines_[1 - operand],
                     planes = planes_of(count, kind_.is_complex());
  const std::int64_t padded = padded_lines(operand, lines), padded_others = padded_lines(1 - operand, others);
  const std::int64_t of_sums = has_sums_ ? magnitude_sizes(operand, lines).bytes() + line_bytes(lines) : 0;
  return {residue_bytes(operand, planes) + of_sums + line_bytes(lines),
          Scan::code_bytes(has_sums_ ? lines : 0, 0, terms_) + line_bytes(lines) + Scan::line_bytes(lines),
          planes * padded * padded_others + line_bytes(lines + others) + scratch_bytes(device, planes)};
}

ScalingChoice PanelProduct::usual_choice() const {
  const ModuliAndBits usual = usual_moduli(guarantee_, plan_.accuracy, terms_, kind_.is_complex());
  return {Path::modular, {usual.bits, usual.bits}, {0, 0}, usual.moduli, has_sums_};
}

std::optional<ScalingChoice> PanelProduct::choice_of_terms() const {
  if (!plan_.is_unwatched) return std::nullopt;
  const int count = plan_.problem.moduli, bits = largest_bits(count, terms_, kind_.is_complex());
  return ScalingChoice{Path::modular, {bits, bits}, {0, 0}, count, false};
}

void PanelProduct::begin(Call& call, int panels_of_a, int panels_of_b) {
  panels_[0] = panels_of_a;
  panels_[1] = panels_of_b;
  is_scanned_.assign(static_cast<std::size_t>(panels_of_a + panels_of_b), false);
  const std::int64_t bytes = figure_bytes * (1 + panels_of_a + panels_of_b);
  figures_ = call.lend(bytes, "figures of panels");
  call.fill(figures_.buffer(), cl_int{line_of_zeros}, static_cast<std::size_t>(bytes));
}

PreparedPanel PanelProduct::place(Call& call, int operand, bool has_residues) const {
  const std::int64_t lines = lines_[operand];
  PreparedPanel panel;
  panel.exponents = call.lend(line_bytes(lines), "exponents of lines");
  if (has_sums_) {
    panel.norms = call.lend(line_bytes(lines), "norms of lines");
    panel.magnitudes = call.lend(magnitude_sizes(operand, lines).bytes(), "magnitudes of an operand");
  }
  if (has_residues) {
    const std::int64_t planes = planes_of(choice_.moduli, kind_.is_complex());
    panel.residues = call.lend(residue_bytes(operand, planes), "residues of an operand");
  }
  return panel;
}

void PanelProduct::reserve(Call& call) const {
  const int planes = planes_of(choice_.moduli, kind_.is_complex());
  const int of_rows = rows_operand(), of_columns = 1 - of_rows;
  const std::int64_t rows = padded_lines(of_rows, lines_[of_rows]),
                     columns = padded_lines(of_columns, lines_[of_columns]);
  std::vector<opencl::Workspace> taken;
  taken.push_back(call.lend(planes * rows * columns, "residues of the product"));
  if (levels_ > 0) taken.push_back(call.lend(scratch_bytes(call.context().info, planes), "sums of blocks"));
  if (has_sums_)
    taken.push_back(call.lend(Scan::code_bytes(std::max(lines_[0], lines_[1]), 0, terms_), "magnitudes of elements"));
  for (opencl::Workspace& w : taken) call.give_back(w);
}

std::int64_t PanelProduct::residue_bytes(int operand, std::int64_t planes) const {
  return planes * block_factors(levels_) * block_lines(operand, lines_[operand]) * block_depth();
}

std::int64_t PanelProduct::block_tiles(std::int64_t planes) const {
  const int of_rows = rows_operand(), of_columns = 1 - of_rows;
  return planes * (block_lines(of_rows, lines_[of_rows]) / tile_.rows) *
         (block_lines(of_columns, lines_[of_columns]) / tile_.columns);
}

std::int64_t PanelProduct::scratch_bytes(const DeviceInfo& device, std::int64_t planes) const {
  return block_scratch_bytes(plan_.unit, tile_, device.compute_units, levels_, block_tiles(planes));
}

std::int64_t PanelProduct::padding(int operand) const { return block_grid(levels_) * tile_lines(operand); }

double PanelProduct::stretch(const DeviceInfo& device, int count) const {
  const std::int64_t groups = groups_at_once(plan_.unit, tile_, device.compute_units);
  if (groups == 0) return 1.0;
  const std::int64_t tiles = block_tiles(planes_of(count, kind_.is_complex()));
  return static_cast<double>(round_up(tiles, groups)) / static_cast<double>(tiles);
}

void PanelProduct::scan(Call& call, int operand, int index, const DeviceOperand& x, PreparedPanel& panel) {
  const DeviceOperand operands[2] = {x, {{}, {}, 0, x.terms}};
  Scan scan(call, kind_, operands,
            {.keeps_codes = has_sums_, .finds_balance = false, .tests_sums = has_sums_, .limit = 0});
  panel.lines = x.lines;
  if (has_sums_) {
    scan.find_magnitudes(magnitude_sizes(operand, x.lines), panel.magnitudes.buffer(), panel.exponents.buffer());
    call.copy(scan.norms(), 0, panel.norms.buffer(), 0, line_bytes(x.lines));
    scan.release();
  } else {
    scan.finish(true);
    call.copy(scan.found().exponents, 0, panel.exponents.buffer(), 0, line_bytes(x.lines));
  }
  const int at = (operand == 0 ? 0 : panels_[0]) + index;
  call.copy(scan.figures(), 0, figures_.buffer(), figure_bytes * (1 + at), figure_bytes);
  is_scanned_[static_cast<std::size_t>(at)] = true;
}

void PanelProduct::find_residues(Call& call, int operand, const DeviceOperand& x, PreparedPanel& panel) {
  const DeviceOperand operands[2] = {x, {{}, {}, 0, x.terms}};
  const ScaledOperands scaled{choice_, opencl::copied(panel.exponents.buffer()), {}};
  const ResidueBlock block{0,
                           operand != rows_operand(),
                           {0, x.lines},
                           {0, terms_},
                           {0, choice_.moduli},
                           block_lines(operand, x.lines),
                           block_depth(),
                           tile_lines(operand),
                           panel.residues.buffer()};
  Residues residues(call.context(), kind_, operands, scaled, tile_);
  if (levels_ == 0) return residues.launch(call, block);
  BlockFactors factors(call.context(), residues, levels_, forms_at_once_);
  // What does not build is not tried again for each panel.
  forms_at_once_ = factors.forms_at_once();
  factors.find(call, block, 0, planes_of(choice_.moduli, kind_.is_complex()),
               moduli_of_planes(call.context(), choice_.moduli, kind_.is_complex()));
}

void PanelProduct::test_sums(Call& call, const PreparedPanel& a, const PreparedPanel& b) {
  const PreparedPanel &rows = rows_operand() == 0 ? a : b, &columns = rows_operand() == 0 ? b : a;
  Scan::multiply_magnitudes(call, plan_.unit, MagnitudeSizes(tile_, rows.lines, columns.lines, terms_),
                            {rows.magnitudes.buffer(), columns.magnitudes.buffer(), 0, rows.norms.buffer(),
                             columns.norms.buffer(), 0, rows.lines, columns.lines},
                            false, figures_.buffer());
}

void PanelProduct::multiply(Call& call, const PreparedPanel& a, const PreparedPanel& b, const DeviceView& c,
                            std::optional<Uplo> triangle) {
  const PreparedPanel &rows = rows_operand() == 0 ? a : b, &columns = rows_operand() == 0 ? b : a;
  const int planes = planes_of(choice_.moduli, kind_.is_complex());
  const std::int64_t padded_rows = padded_lines(rows_operand(), rows.lines),
                     padded_columns = padded_lines(1 - rows_operand(), columns.lines);
  Rebuilder rebuilder(call.context(), rebuild_unit(call.context()), kind_, choice_.moduli, {alpha_, beta_},
                      triangle.has_value());
  const cl::Buffer of_planes = moduli_of_planes(call.context(), choice_.moduli, kind_.is_complex());

  opencl::Workspace exponents = call.lend(line_bytes(rows.lines + columns.lines), "exponents of lines");
  Scan::join_lines(call, kind_, {rows.exponents.buffer(), rows.lines}, {columns.exponents.buffer(), columns.lines},
                   exponents.buffer());
  opencl::Workspace result = call.lend(planes * padded_rows * padded_columns, "residues of the product");
  ByteProduct bytes{rows.residues.buffer(),
                    columns.residues.buffer(),
                    result.buffer(),
                    of_planes,
                    0,
                    planes,
                    narrow(block_lines(rows_operand(), rows.lines) / tile_.rows),
                    narrow(block_lines(1 - rows_operand(), columns.lines) / tile_.columns),
                    block_depth(),
                    false};
  bytes.levels = levels_;
  // Of the product of bytes, whose rows may be C's columns.
  const bool is_upper = triangle && (*triangle == Uplo::upper) != plan_.is_transposed;
  if (triangle) bytes.triangle = {is_upper, 0};
  const BytePart part = levels_ > 0 ? BytePart::blocks : triangle ? BytePart::triangle : BytePart::whole;
  const ByteMultiplier multiplier = byte_multiplier(call.context(), plan_.unit, tile_, ByteResult::residue, part);
  if (levels_ > 0) {
    multiply_blocks(call, multiplier, bytes);
  } else {
    const auto product = multiplier.launch(bytes);
    call.launch(*product.kernel, product.global, product.local, true);
  }

  opencl::matrix_view view = view_of(c);
  if (plan_.is_transposed) std::swap(view.row_stride, view.column_stride);
  ResiduePanel rebuilt{result.buffer(),
                       padded_rows,
                       padded_columns,
                       0,
                       rows.lines,
                       0,
                       columns.lines,
                       exponents.buffer(),
                       0,
                       rows.lines,
                       choice_.bits[0] + choice_.bits[1],
                       false,
                       c.buffer,
                       view};
  if (triangle) rebuilt.wanted = {is_upper ? 2 : 1, 0};
  rebuilder.launch(call, rebuilt);
  call.give_back(result);
  call.give_back(exponents);
}

PanelFigures PanelProduct::end(Call& call) {
  std::vector<Figures> all(1 + is_scanned_.size());
  call.read(figures_.buffer(), static_cast<std::size_t>(figure_bytes) * all.size(), all.data());
  call.give_back(figures_);
  PanelFigures found = PanelFigures::of_nothing();
  found.sums.asked = all[0][figure_asked];
  for (std::size_t i = 0; i < is_scanned_.size(); ++i) {
    if (!is_scanned_[i]) continue;
    found.add(PanelFigures::of_panel(static_cast<int>(i) < panels_[0] ? 0 : 1, all[i + 1]));
  }
  return found;
}

std::optional<ScalingChoice> PanelProduct::settle(const PanelFigures& figures) const {
  const std::int64_t most = most_exponent(plan_.accuracy, terms_, kind_.is_complex());
  const bool has_bad_lines = figures.has_bad_lines[0] || figures.has_bad_lines[1];
  if (has_bad_lines || figures.largest[0] + figures.largest[1] > most) return std::nullopt;
  if (!has_sums_) return usual_choice();
  const ModuliAndBits found = settle_by_sums(guarantee_, figures.sums, terms_, kind_.is_complex());
  if (found.moduli == 0) return std::nullopt;
  return ScalingChoice{
      Path::modular, {found.bits, found.bits}, {figures.sums.shift[0], figures.sums.shift[1]}, found.moduli, true};
}

void PanelProduct::describe(GemmPlan& told) const {
  told.path = choice_.path;
  told.levels = levels_;
  told.bits = choice_.most_bits();
  told.moduli = choice_.moduli;
  if (has_sums_) {
    told.esc = std::max(told.bits - guarantee_.bits, 0);
    told.error_bound_u2 = sum_test_bound(guarantee_, terms_, kind_.words, kind_.is_complex());
  } else {
    told.esc = 0;
    told.error_bound_u2 = error_bound(guarantee_, terms_, kind_.words, kind_.is_complex());
  }
}

}  // namespace hilo::modular
