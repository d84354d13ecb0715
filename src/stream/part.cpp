#include "stream/part.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "gemm/device_cost.hpp"
#include "matrix/sizes.hpp"
#include "stream/device_bytes.hpp"
#include "stream/device_columns.hpp"

namespace hilo::stream {
namespace {

// What is expected of a bus (PCI Express 5): from pinned memory, and with a copy on the way.
constexpr double pinned_rate = 50e9, staged_rate = 25e9;
// What a panel's commands take, and copies by a team of threads, however small it is.
constexpr double command_seconds = 1e-4, staged_seconds = 5e-4;
// Lines that a first look takes of each operand, at most.
constexpr std::int64_t sampled_lines = 256;

// What panels have a multiple of, so that few tiles are cut; and where memory has no room for such ones.
constexpr std::int64_t least_unit = 16;
std::int64_t unit_of(const DevicePlan& plan) {
  const auto* own = std::get_if<modular::DevicePlan>(&plan.engine);
  if (!own) return 64;
  std::int64_t most = 1;
  for (const modular::ByteTile& tile : modular::byte_tiles(own->unit))
    most = std::max<std::int64_t>({most, tile.rows, tile.columns});
  return most;
}

// What panels take of a device that multiplies them by residues, and for how long.
PanelCost cost_by_residues(const DeviceInfo& device, const modular::DevicePlan& plan, const HostProduct& host,
                           const Cut& cut, int spare, int levels, int moduli) {
  const std::int64_t lines[2] = {cut.rows(), cut.columns()}, k = host.shape.k;
  const int no_slots[2] = {0, 0};
  const modular::PanelProduct product(plan, host.product, lines, levels);
  const modular::PanelBytes bytes[2] = {product.bytes(device, 0, moduli), product.bytes(device, 1, moduli)};
  const auto padded = [&](int operand) { return round_up(lines[operand], product.padding(operand)); };
  const PanelSeconds seconds = expected_of_panels(device, plan.unit, host.product.precision, moduli, padded(0),
                                                  padded(1), k, levels, product.stretch(device, moduli));
  PanelCost cost{};
  cost.largest_buffer = bytes[0].pair;
  for (int o = 0; o < 2; ++o) {
    cost.slot_bytes[o] = bytes[o].operand;
    cost.prepare_seconds[o] = seconds.prepare_row * static_cast<double>(padded(o));
    cost.padding[o] = product.padding(o);
    const std::int64_t passing = host.operands[o].resident ? 0 : lines[o] * k * host.shape.element_bytes;
    cost.largest_buffer = std::max({cost.largest_buffer, cost.slot_bytes[o], passing});
  }
  cost.working_bytes = Pipeline::bytes(cut, no_slots, spare, host.operands, host.c, false) +
                       std::max(bytes[0].scanning, bytes[1].scanning) + bytes[0].pair;
  cost.pair_seconds = seconds.pair;
  return cost;
}

// And of one that reads them as they came.
PanelCost cost_of_reading(opencl::ContextState& context, const HostProduct& host, const GemmOptions& options,
                          const Cut& cut, int spare) {
  const GemmShape& s = host.shape;
  const int no_slots[2] = {0, 0};
  const HostProduct panel = host.part(0, cut.rows(), 0, cut.columns());
  PanelCost cost{};
  for (int o = 0; o < 2; ++o) {
    cost.slot_bytes[o] = host.operands[o].resident ? 0 : cut.panel_lines(o) * s.k * s.element_bytes;
  }
  const std::int64_t of_c = host.c.resident ? 0 : cut.rows() * cut.columns() * s.element_bytes;
  cost.largest_buffer = std::max({cost.slot_bytes[0], cost.slot_bytes[1], of_c});
  cost.working_bytes = Pipeline::bytes(cut, no_slots, spare, host.operands, host.c, true) +
                       plan_routine_product(context, panel.shape, panel.product, options).told.workspace_bytes;
  cost.pair_seconds = expected_directly(context.info, host.product.precision, cut.rows(), cut.columns(), s.k);
  return cost;
}

std::vector<int> levels_of(const modular::DevicePlan& plan, const Cut& cut, std::int64_t terms) {
  return modular::PanelProduct::levels_of(plan, {cut.rows(), cut.columns()}, terms);
}

bool multiplies_blocks(const Way& way) {
  const auto* own = std::get_if<modular::DevicePlan>(&way.plan.engine);
  return own && modular::multiplies(*way.queue->context, own->unit, modular::BytePart::blocks);
}

// With the fused multiply-adds of the whole, which an engine that was asked for may bring along.
GemmOptions directly(GemmOptions options, const GemmPlan& whole) {
  options.engine = Engine::direct;
  options.fma = whole.fma ? Fma::on : Fma::off;
  return options;
}

PlanRequest request_of(const Way& way, const HostProduct& host, const GemmOptions& options, std::int64_t bytes,
                       int moduli, const Sharing (&sharing)[2], bool may_have_levels) {
  opencl::ContextState& context = *way.queue->context;
  const GemmShape& s = host.shape;
  const bool is_pinned = host.operands[0].is_pinned && host.operands[1].is_pinned && host.c.is_pinned;
  const auto* own = std::get_if<modular::DevicePlan>(&way.plan.engine);
  PlanRequest request{};
  request.m = s.m;
  request.n = s.n;
  request.k = s.k;
  request.element_bytes = s.element_bytes;
  request.takes_c = host.reads_c() && !host.c.resident;
  request.triangle = host.triangle;
  request.passes_through = own != nullptr;
  request.cuts_lines[0] = host.operands[0].by_columns();
  request.cuts_lines[1] = !host.operands[1].by_columns();
  request.device_bytes = bytes;
  request.buffer_bytes = context.info.max_allocation;
  request.bytes_per_second_in = request.bytes_per_second_out = is_pinned ? pinned_rate : staged_rate;
  for (int o = 0; o < 2; ++o) {
    request.share_in[o] = 1.0 / static_cast<double>(sharing[o].devices);
    request.bytes_between[o] = sharing[o].devices * sharing[o].bytes;
    if (const DeviceColumns* matrix = host.operands[o].resident) {
      const double rate = matrix->bytes_per_second();
      request.share_in[o] = rate > 0.0 ? request.bytes_per_second_in / rate : 0.0;
    }
  }
  if (host.c.resident) request.bytes_per_second_out = std::numeric_limits<double>::infinity();
  request.command_seconds = is_pinned ? command_seconds : staged_seconds;
  request.unit = unit_of(way.plan);
  if (own) {
    request.cost = [&context, own, &host, moduli](const Cut& cut, int spare, int levels) {
      return cost_by_residues(context.info, *own, host, cut, spare, levels, moduli);
    };
    if (may_have_levels) {
      request.wanted_levels = std::max(own->levels, 0);
      request.levels = [own, k = s.k](const Cut& cut) { return levels_of(*own, cut, k); };
    }
  } else {
    request.cost = [&context, &host, direct = directly(options, way.plan.told)](const Cut& cut, int spare, int) {
      return cost_of_reading(context, host, direct, cut, spare);
    };
  }
  return request;
}

Plan plan_of(const Way& way, const HostProduct& host, const GemmOptions& options, std::int64_t bytes, int moduli,
             const Sharing (&sharing)[2], bool may_have_levels) {
  PlanRequest request = request_of(way, host, options, bytes, moduli, sharing, may_have_levels);
  const DeviceInfo& device = way.queue->context->info;
  std::int64_t least = 0;
  std::optional<Plan> found = choose_panels(request, least);
  if (!found) {
    // Panels of cut tiles are better than none.
    request.unit = least_unit;
    found = choose_panels(request, least);
  }
  // To find out takes a while, so who has no levels does not.
  if (found && found->levels > 0 && !multiplies_blocks(way)) {
    return plan_of(way, host, options, bytes, moduli, sharing, false);
  }
  if (found) return *std::move(found);
  throw error(
      errc::out_of_memory,
      "gemm: panels of " + std::to_string(request.k) + " terms take at least " + std::to_string(least) +
          " bytes of device memory, and there are " + std::to_string(request.device_bytes) + " of " + device.name +
          (way.matrix_bytes > 0 ? " beside the " + std::to_string(way.matrix_bytes) + " that the matrices take" : ""));
}

}  // namespace

Part::Part(const Way& way, HostProduct product, const GemmOptions& options)
    : way_(way),
      host_(std::move(product)),
      options_(options),
      lanes_(way.queue->context),
      bytes_(way.room_bytes > 0 ? way.room_bytes : device_bytes(device(), options)) {
  lanes_.compute.trace = way.queue->trace;
}

Part::~Part() {
  // What was sent so has ended before its places are others'.
  for (SharedPanels::Member* shared : shared_) {
    if (shared) shared->settle();
  }
}

void Part::share(int operand, SharedPanels::Member& by, const Sharing& sharing) {
  shared_[operand] = &by;
  sharing_[operand] = sharing;
  bytes_ -= sharing.bytes;
}

void Part::share_nothing() {
  pipeline_.reset();
  by_residues_.reset();
  product_.reset();
  plain_.reset();
  panels_.reset();
  for (int o = 0; o < 2; ++o) {
    shared_[o] = nullptr;
    bytes_ += std::exchange(sharing_[o], {}).bytes;
  }
}

Plan Part::plan(int moduli, std::int64_t bytes) const {
  return plan_of(way_, host_, options_, bytes, moduli, sharing_, !host_.triangle);
}

void Part::take_panels(const Plan& of_largest, const Part& largest, int moduli) {
  panels_.reset();
  has_taken_panels_ = false;
  const std::optional<Cut> own = of_largest.cut.of(host_.shape.m, host_.shape.n);
  if (!own) return;
  panels_ = of_largest;
  panels_->cut = *own;
  if (panels_->levels > 0) {
    // Those that it can have itself, in no more memory.
    const modular::DevicePlan& plan = modular_plan();
    const std::vector<int> levels = levels_of(plan, *own, host_.shape.k);
    const bool has = std::ranges::find(levels, panels_->levels) != levels.end();
    if (!has || plan.unit != largest.modular_plan().unit || !multiplies_blocks(way_)) panels_->levels = 0;
  }
  panels_moduli_ = moduli;
  has_taken_panels_ = true;
}

template <class Start>
void Part::with_room(int moduli, Start start) {
  // Others have more of the device than was expected, or it is in pieces.
  constexpr int attempts = 6;
  for (int attempt = 1;; ++attempt) {
    if (!panels_ || panels_moduli_ != moduli) {
      panels_ = plan(moduli, bytes_);
      has_taken_panels_ = false;
    }
    panels_moduli_ = moduli;
    // What others left counts where the caller does, and is in the way where there is no memory beside it.
    opencl::ContextState& context = *way_.queue->context;
    if (options_.device_bytes > 0) {
      context.workspaces.let_go();
    } else {
      context.workspaces.let_go_beyond(device_bytes(device(), options_) - *context.buffer_bytes);
    }
    try {
      return opencl::guarded("taking memory for panels", start);
    } catch (const error& failure) {
      if (failure.code() != errc::out_of_memory || attempt == attempts) throw;
    }
    pipeline_.reset();
    by_residues_.reset();
    bytes_ -= bytes_ / 4;
    panels_.reset();
  }
}

void Part::take_room() {
  with_room(0, [&] {
    plain_.emplace(lanes_.compute, host_.shape, host_.product, directly(options_, way_.plan.told), panels_->slots);
    pipeline_.emplace(lanes_, host_.operands, host_.c, panels_->cut, panels_->slots, panels_->spare, *plain_);
  });
}

void Part::take_room(const modular::ScalingChoice& choice, ModularPanels::Task task) {
  task_ = task;
  with_room(choice.moduli, [&] {
    product_.emplace(panel_product(panels_->cut, panels_->levels));
    product_->choose(choice);
    begin(*product_, panels_->cut);
    by_residues_.emplace(lanes_.compute, *product_, panels_->slots, task);
    pipeline_.emplace(lanes_, host_.operands, host_.c, panels_->cut, panels_->slots, panels_->spare, *by_residues_);
  });
}

void Part::run(const std::atomic<bool>& is_stopped, bool are_shared) {
  for (int o = 0; o < 2 && are_shared; ++o) {
    if (shared_[o]) pipeline_->let_send(o, *shared_[o]);
  }
  using Task = ModularPanels::Task;
  std::vector<int> held[2] = {nobody(panels_->slots[0]), nobody(panels_->slots[1])};
  run(*pipeline_, schedule(panels_->cut, panels_->order, held), task_ != Task::test, is_stopped);
  if (plain_) entries_recomputed_ = plain_->entries_recomputed();
  if (product_ && !is_stopped) figures_ = end(*product_);
  pipeline_.reset();
  by_residues_.reset();
  product_.reset();
  plain_.reset();
}

void Part::run(Pipeline& pipeline, const std::vector<Step>& steps, bool returns_c,
               const std::atomic<bool>& is_stopped) {
  pipeline.run(steps, host_.reads_c() && returns_c, returns_c, is_stopped);
  pipeline.finish();
  traffic_.add(pipeline.traffic());
  for (SharedPanels::Member* shared : shared_) {
    if (shared) traffic_.add(shared->traffic());
  }
  ++passes_;
}

modular::PanelProduct Part::panel_product(const Cut& cut, int levels) const {
  const std::int64_t lines[2] = {cut.rows(), cut.columns()};
  return {modular_plan(), host_.product, lines, levels};
}

void Part::begin(modular::PanelProduct& product, const Cut& cut) {
  opencl::Call call(lanes_.compute, {});
  product.begin(call, cut.panels(0), cut.panels(1));
  call.finish();
}

modular::PanelFigures Part::end(modular::PanelProduct& product) {
  opencl::Call call(lanes_.compute, {});
  return product.end(call);
}

std::optional<modular::ScalingChoice> Part::choice_of_terms() const {
  return panel_product(Cut(host_.shape.m, host_.shape.n, 1, 1)).choice_of_terms();
}

std::optional<modular::ScalingChoice> Part::first_look() {
  const std::int64_t of_line = host_.shape.k * host_.shape.element_bytes;
  // An eighth of the memory for both operands; the rest is for what is made of them.
  std::int64_t lines = std::clamp<std::int64_t>(bytes_ / 16 / of_line, 1, sampled_lines);
  while (true) {
    try {
      return opencl::guarded("looking at a few lines", [&] { return look_at(lines); });
    } catch (const error& failure) {
      if (failure.code() != errc::out_of_memory || lines == 1) throw;
    }
    lines = (lines + 1) / 2;
  }
}

std::optional<modular::ScalingChoice> Part::look_at(std::int64_t lines) {
  const Cut sample(host_.shape.m, host_.shape.n, lines, lines);
  modular::PanelProduct product = panel_product(sample);
  begin(product, sample);
  const int slots[2] = {1, 1};
  ModularPanels engine(lanes_.compute, product, slots, ModularPanels::Task::test);
  Pipeline pipeline(lanes_, host_.operands, host_.c, sample, slots, 1, engine);
  std::vector<int> held[2] = {nobody(1), nobody(1)};
  run(pipeline, schedule(sample, {{{0, 0}}}, held), false, false);
  return product.settle(end(product));
}

std::optional<modular::ScalingChoice> Part::settle(const modular::PanelFigures& figures) const {
  return panel_product(panels_->cut).settle(figures);
}

void Part::describe(const modular::ScalingChoice& choice, GemmPlan& told) const {
  modular::PanelProduct product = panel_product(panels_->cut, panels_->levels);
  product.choose(choice);
  product.describe(told);
}

StreamReport Part::report() const {
  StreamReport stream;
  stream.panel_rows = panels_->cut.rows();
  stream.panel_columns = panels_->cut.columns();
  stream.row_panels = panels_->cut.panels(0);
  stream.column_panels = panels_->cut.panels(1);
  stream.passes = passes_;
  add(stream, traffic_);
  stream.seconds_expected = panels_->seconds;
  return stream;
}

}  // namespace hilo::stream
