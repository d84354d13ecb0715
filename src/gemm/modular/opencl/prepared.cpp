#include "gemm/modular/opencl/prepared.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "opencl/settled.hpp"

namespace hilo::modular {
namespace {

std::int64_t size_of(const opencl::Workspace& w) {
  return w.buffer()() ? static_cast<std::int64_t>(w.buffer().getInfo<CL_MEM_SIZE>()) : 0;
}

// Whether residues of one form are those of another, which a product asks for.
bool serves(const ResidueForm& made, const ResidueForm& wanted, ElementKind kind) {
  return made.is_of_columns == wanted.is_of_columns && made.lines == wanted.lines &&
         made.padded_lines == wanted.padded_lines && made.padded_terms == wanted.padded_terms &&
         made.tile_lines == wanted.tile_lines && made.levels == wanted.levels && made.in_quads == wanted.in_quads &&
         made.is_montgomery == wanted.is_montgomery && makes_same_residues(made.choice, wanted.choice, kind);
}

// Whether a product may want both: its main columns, and those at the edge.
bool go_together(const ResidueForm& x, const ResidueForm& y, ElementKind kind) {
  const bool are_apart =
      x.lines.first + x.lines.count <= y.lines.first || y.lines.first + y.lines.count <= x.lines.first;
  return are_apart && x.is_of_columns == y.is_of_columns && x.padded_terms == y.padded_terms && x.levels == y.levels &&
         makes_same_residues(x.choice, y.choice, kind);
}

}  // namespace

void PreparedOperand::begin(const opencl::QueueState& queue, std::vector<cl::Event>& wait_list) {
  // One look, as it may fail between two.
  const cl_int status = last_() ? last_.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() : CL_COMPLETE;
  if (status < 0) forget();
  // A failure goes from one call to the next where the first one had something to wait for, as within a call.
  const bool is_after = is_in_order_ && queue_() == queue.queue() && !may_fail_;
  if (last_() && !is_after && status != CL_COMPLETE) wait_list.push_back(opencl::copied(last_));
  may_fail_ = !wait_list.empty();
}

bool PreparedOperand::has_failed() const { return last_() && last_.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() < 0; }

void PreparedOperand::end(opencl::Call& call) {
  last_ = opencl::copied(call.last());
  queue_ = opencl::copied(call.queue().queue);
  is_in_order_ = call.queue().in_order;
}

PreparedOperand::Lines& PreparedOperand::lines(opencl::Call& call, const MagnitudeSizes& sizes, Look look) {
  const ByteTile& tile = sizes.tile;
  const bool has_sums = look == Look::sums;
  const bool are_there = lines_ && lines_->figures && lines_->look == look;
  if (are_there && (!has_sums || (lines_->tile_lines == tile.rows && lines_->in_quads == tile.in_quads &&
                                  lines_->depth == sizes.depth))) {
    return *lines_;
  }
  if (lines_ && last_()) {
    // This call has not used it.
    for (opencl::Workspace* w : lines_->memory()) w->release(queue_, last_);
  }
  lines_.emplace(Lines{{}, {}, {}, std::nullopt, tile.rows, tile.in_quads, sizes.depth, look});
  lines_->exponents = call.lend(4 * sizes.rows, "exponents of lines", true);
  if (has_sums) {
    lines_->norms = call.lend(4 * sizes.rows, "norms of lines", true);
    lines_->magnitudes = call.lend(sizes.bytes(), "magnitudes of an operand", true);
  }
  return *lines_;
}

PreparedOperand::Kept& PreparedOperand::residues(opencl::Call& call, const ResidueForm& form, ElementKind kind,
                                                 std::int64_t bytes) {
  const auto found = std::find_if(kept_.begin(), kept_.end(),
                                  [&](const Kept& x) { return x.bytes >= bytes && serves(x.form, form, kind); });
  if (found != kept_.end()) return *found;
  for (auto x = kept_.begin(); x != kept_.end();) {
    if (go_together(x->form, form, kind)) {
      ++x;
    } else {
      call.give_back(x->memory);
      x = kept_.erase(x);
    }
  }
  return kept_.emplace_back(Kept{form, call.lend(bytes, "residues of a prepared operand", true), bytes, false});
}

std::optional<ScalingChoice> PreparedOperand::made_with() const {
  const auto made = std::find_if(kept_.begin(), kept_.end(), [](const Kept& x) { return x.is_made; });
  return made == kept_.end() ? std::nullopt : std::optional(made->form.choice);
}

void PreparedOperand::drop_unmade() noexcept {
  std::erase_if(kept_, [](const Kept& x) { return !x.is_made; });
}

std::int64_t PreparedOperand::residue_bytes() const {
  std::int64_t all = 0;
  for (const Kept& x : kept_) all += size_of(x.memory);
  return all;
}

std::int64_t PreparedOperand::bytes() const {
  std::int64_t all = residue_bytes();
  if (!lines_) return all;
  for (const opencl::Workspace* w : {&lines_->exponents, &lines_->norms, &lines_->magnitudes}) all += size_of(*w);
  return all;
}

void PreparedOperand::reset() noexcept {
  const auto release = [&](opencl::Workspace& w) {
    opencl::is_certain([&] { return w.release(queue_, last_), true; });
  };
  if (last_() && lines_) {
    for (opencl::Workspace* w : lines_->memory()) release(*w);
  }
  if (last_()) {
    for (Kept& x : kept_) release(x.memory);
  }
  forget();
}

void PreparedOperand::forget() noexcept {
  lines_.reset();
  kept_.clear();
  // Assigning nothing to it throws where the release fails.
  cl::Event gone;
  std::swap(last_, gone);
}

cl::Buffer find_exponents(opencl::Call& call, ElementKind kind, const DeviceOperand (&operand)[2],
                          const PreparedOperands& prepared) {
  const auto scan = [&](const DeviceOperand(&operands)[2]) {
    const ScanRequest request{
        .keeps_codes = false, .finds_balance = false, .tests_sums = false, .limit = 0, .has_figures = false};
    return opencl::copied(Scan(call, kind, operands, request).found().exponents);
  };
  if (!prepared.any()) return scan(operand);
  cl::Buffer found[2];
  for (int o = 0; o < 2; ++o) {
    const DeviceOperand& x = operand[o];
    const DeviceOperand alone[2] = {x, {{}, {}, 0, x.terms}};
    if (!prepared.of[o]) {
      found[o] = scan(alone);
      continue;
    }
    PreparedOperand::Lines& kept =
        prepared.of[o]->lines(call, {{1, 1, 1, false, false}, x.lines, 0, x.terms}, PreparedOperand::Look::exponents);
    found[o] = opencl::copied(kept.exponents.buffer());
    if (kept.figures) continue;
    call.copy(scan(alone), 0, found[o], 0, 4 * x.lines);
    kept.figures = PanelFigures::of_nothing();
  }
  cl::Buffer both = call.borrow(4 * (operand[0].lines + operand[1].lines), "exponents of lines");
  Scan::join_lines(call, kind, {found[0], operand[0].lines}, {found[1], operand[1].lines}, both);
  return both;
}

bool PreparedScaling::suits(const DevicePlan& plan, const DeviceProduct& p) {
  return !p.triangle && !p.triangle_of_a && !p.triangle_of_b && !plan.is_tentative && !plan.is_unwatched &&
         PanelProduct::suits(plan.accuracy, p.k());
}

PreparedScaling::PreparedScaling(opencl::Call& call, const DevicePlan& plan, const DeviceProduct& p,
                                 const DeviceOperand (&operand)[2], const PreparedOperands& prepared)
    : call_(call),
      plan_(plan),
      kind_(p.precision),
      lines_{operand[0].lines, operand[1].lines},
      terms_(p.k()),
      prepared_(prepared),
      whole_(plan, p, lines_, 0),
      sizes_(byte_tile(plan.unit, lines_[0], lines_[1]), lines_[0], lines_[1], terms_) {
  for (int o = 0; o < 2; ++o) find(o, operand[o]);
  if (whole_.has_sum_test()) test_sums();
  exponents_ = call.borrow(4 * (lines_[0] + lines_[1]), "exponents of lines");
  Scan::join_lines(call, kind_, {found_[0].exponents, lines_[0]}, {found_[1].exponents, lines_[1]}, exponents_);
}

// Of one alone, which Scan takes as A.
MagnitudeSizes PreparedScaling::sizes_of(int operand) const {
  ByteTile tile = sizes_.tile;
  if (operand == 1) tile.rows = tile.columns;
  return {tile, lines_[operand], 0, terms_};
}

void PreparedScaling::find(int operand, const DeviceOperand& x) {
  Found& found = found_[operand];
  const bool has_sums = whole_.has_sum_test();
  PreparedOperand* prepared = prepared_.of[operand];
  if (!prepared) {
    found.exponents = call_.borrow(4 * x.lines, "exponents of lines");
    if (has_sums) {
      magnitudes_[operand] = call_.lend(sizes_of(operand).bytes(), "magnitudes of an operand");
      found.magnitudes = opencl::copied(magnitudes_[operand].buffer());
    }
    found.norms = scan(operand, x, found.exponents, found.magnitudes);
    return;
  }
  PreparedOperand::Lines& kept = prepared->lines(
      call_, sizes_of(operand), has_sums ? PreparedOperand::Look::sums : PreparedOperand::Look::figures);
  kept_[operand] = &kept;
  found = {opencl::copied(kept.exponents.buffer()), opencl::copied(kept.norms.buffer()),
           opencl::copied(kept.magnitudes.buffer())};
  if (kept.figures) return;
  const cl::Buffer norms = scan(operand, x, found.exponents, found.magnitudes);
  if (has_sums) call_.copy(norms, 0, found.norms, 0, 4 * x.lines);
}

cl::Buffer PreparedScaling::scan(int operand, const DeviceOperand& x, const cl::Buffer& exponents,
                                 const cl::Buffer& magnitudes) {
  const bool has_sums = whole_.has_sum_test();
  const DeviceOperand operands[2] = {x, {{}, {}, 0, x.terms}};
  Scan scan(call_, kind_, operands,
            {.keeps_codes = has_sums, .finds_balance = false, .tests_sums = has_sums, .limit = 0});
  scans_[operand].emplace(Read{opencl::copied(scan.figures()), {}});
  if (has_sums) {
    scan.find_magnitudes(sizes_of(operand), magnitudes, exponents);
    scan.release();
    return opencl::copied(scan.norms());
  }
  scan.finish(true);
  call_.copy(scan.found().exponents, 0, exponents, 0, 4 * x.lines);
  return {};
}

// Its answer joins the figures of a scan where there is one alone.
void PreparedScaling::test_sums() {
  const bool has_one_scan = scans_[0].has_value() != scans_[1].has_value();
  if (!has_one_scan) {
    of_sums_.emplace(Read{call_.borrow(sizeof(Figures), "figures of a sum test"), {}});
    call_.fill(of_sums_->figures, cl_int{line_of_zeros}, sizeof(Figures));
  }
  const Read& joined = of_sums_ ? *of_sums_ : scans_[0] ? *scans_[0] : *scans_[1];
  Scan::multiply_magnitudes(
      call_, plan_.unit, sizes_,
      {found_[0].magnitudes, found_[1].magnitudes, 0, found_[0].norms, found_[1].norms, 0, lines_[0], lines_[1]}, false,
      joined.figures);
}

void PreparedScaling::release() {
  for (opencl::Workspace& w : magnitudes_) call_.give_back(w);
}

void PreparedScaling::begin_read() {
  opencl::ContextState& context = call_.context();
  for (std::optional<Read>* read : {&scans_[0], &scans_[1], &of_sums_}) {
    if (!*read) continue;
    (*read)->to = context.pinned.borrow(context.context, context.device);
    call_.begin_read((*read)->figures, sizeof(Figures), (*read)->to);
  }
}

Figures PreparedScaling::figures_of(Read& read) {
  Figures figures;
  read.to.wait();
  std::memcpy(figures.data(), read.to.data(), sizeof figures);
  return figures;
}

std::optional<ScaledOperands> PreparedScaling::expected() const {
  auto choice = noted_choice(call_.context(), kind_, plan_.accuracy, terms_);
  if (!choice) return std::nullopt;
  // Residues that are there do not give way to what is only expected.
  std::optional<ScalingChoice> made;
  for (const PreparedOperand* prepared : prepared_.of) {
    const auto its = prepared ? prepared->made_with() : std::nullopt;
    if (its && made && !makes_same_residues(*its, *made, kind_)) return std::nullopt;
    if (its) made = its;
  }
  if (made && !makes_same_residues(*made, *choice, kind_)) choice = made;
  if (!choice->is_by_sums || choice->moduli > plan_.most_moduli) return std::nullopt;
  return ScaledOperands{*choice, exponents_, {}};
}

std::optional<DeviceScaling> PreparedScaling::settle() {
  PanelFigures all = PanelFigures::of_nothing();
  if (of_sums_) all.sums.asked = figures_of(*of_sums_)[figure_asked];
  for (int o = 0; o < 2; ++o) {
    if (scans_[o]) {
      const Figures scanned = figures_of(*scans_[o]);
      const PanelFigures its = PanelFigures::of_panel(o, scanned);
      if (!of_sums_) all.sums.asked = scanned[figure_asked];
      if (kept_[o]) kept_[o]->figures = its;
      all.add(its);
    } else {
      all.add(*kept_[o]->figures);
    }
  }
  // What was made on the same queue has been waited for with the figures.
  bool has_failed = false;
  prepared_.each([&](const PreparedOperand& x) { has_failed = has_failed || x.has_failed(); });
  if (has_failed) {
    prepared_.each([](PreparedOperand& x) { x.forget(); });
    return std::nullopt;
  }
  const std::optional<ScalingChoice> choice = whole_.settle(all);
  if (!choice || choice->moduli > plan_.most_moduli) return std::nullopt;
  note_choice(call_.context(), kind_, plan_.accuracy, terms_, choice);
  whole_.choose(*choice);
  GemmPlan told{};
  whole_.describe(told);
  DeviceScaling scaling;
  scaling.choice = *choice;
  scaling.exponents = opencl::copied(exponents_);
  scaling.esc = told.esc;
  scaling.error_bound_u2 = told.error_bound_u2;
  return scaling;
}

}  // namespace hilo::modular
