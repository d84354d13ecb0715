// The part of a product in panels that one device has.
#pragma once

#include <atomic>
#include <optional>

#include "gemm/modular/opencl/panel_product.hpp"
#include "stream/panel_engines.hpp"
#include "stream/plan.hpp"
#include "stream/product.hpp"
#include "stream/shared_panels.hpp"

namespace hilo::stream {

/// The devices that bring an operand's panels together, and bytes of the places that each has for that.
struct Sharing {
  std::int64_t devices = 1, bytes = 0;
};

class Part {
 public:
  Part(const Way& way, HostProduct product, const GemmOptions& options);
  ~Part();

  /// An operand's panels are sent by `by` in runs that say so; what its places take of the device's memory is not to be
  /// had.
  void share(int operand, SharedPanels::Member& by, const Sharing& sharing);
  /// And gives back what it has taken.
  void share_nothing();
  /// Of device memory, that it may take.
  std::int64_t bytes() const { return bytes_; }
  /// The panels that it would take of so many bytes by so many moduli, or by an engine that reads them as they come: 0.
  Plan plan(int moduli, std::int64_t bytes) const;
  /// Takes those of a part with no fewer lines of either operand, as many; none where its own lines are too few.
  /// Levels are its own: those of the largest, or 0.
  void take_panels(const Plan& of_largest, const Part& largest, int moduli);
  /// Whether they are those, as memory had room for them.
  bool has_taken_panels() const { return panels_ && has_taken_panels_; }

  /// Takes the memory for a run by an engine that reads panels as they come, or by residues of a choice for the whole.
  /// Throws out_of_memory where the device has no room for the smallest panels.
  void take_room();
  void take_room(const modular::ScalingChoice& choice, ModularPanels::Task task);
  /// Runs, and gives the memory back. Stops between panels once is_stopped, which leaves C undefined. are_shared: the
  /// operands that are, whose panels all parts have taken alike.
  void run(const std::atomic<bool>& is_stopped, bool are_shared = false);

  /// What the number of terms decides, where nothing else does.
  std::optional<modular::ScalingChoice> choice_of_terms() const;
  /// What a few lines of A and B say of moduli; none where they say that panels will not do.
  std::optional<modular::ScalingChoice> first_look();

  /// Of the panels of the last run; where it tested no sums, they do not tell of them.
  const modular::PanelFigures& figures() const { return figures_; }
  /// What figures of the whole decide.
  std::optional<modular::ScalingChoice> settle(const modular::PanelFigures& figures) const;
  void describe(const modular::ScalingChoice& choice, GemmPlan& told) const;

  void add_to(GemmReport& report) const { report.entries_recomputed += entries_recomputed_; }
  StreamReport report() const;
  std::int64_t lines(int operand) const { return operand == 0 ? host_.shape.m : host_.shape.n; }
  const DeviceInfo& device() const { return way_.queue->context->info; }

 private:
  const modular::DevicePlan& modular_plan() const { return std::get<modular::DevicePlan>(way_.plan.engine); }
  modular::PanelProduct panel_product(const Cut& cut, int levels = 0) const;
  void begin(modular::PanelProduct& product, const Cut& cut);
  void run(Pipeline& pipeline, const std::vector<Step>& steps, bool returns_c, const std::atomic<bool>& is_stopped);
  modular::PanelFigures end(modular::PanelProduct& product);
  // start(), which takes all memory, and again with smaller panels where there is less than there seemed.
  template <class Start>
  void with_room(int moduli, Start start);
  std::optional<modular::ScalingChoice> look_at(std::int64_t lines);

  const Way& way_;
  const HostProduct host_;
  const GemmOptions& options_;
  Lanes lanes_;
  std::int64_t bytes_;
  std::optional<Plan> panels_;  // once there is something to do
  int panels_moduli_ = 0;
  bool has_taken_panels_ = false;
  SharedPanels::Member* shared_[2] = {nullptr, nullptr};
  Sharing sharing_[2];
  std::optional<modular::PanelProduct> product_;
  std::optional<PlainPanels> plain_;
  std::optional<ModularPanels> by_residues_;
  std::optional<Pipeline> pipeline_;
  ModularPanels::Task task_ = ModularPanels::Task::multiply;
  modular::PanelFigures figures_ = modular::PanelFigures::of_nothing();
  std::int64_t entries_recomputed_ = 0;
  Traffic traffic_;
  int passes_ = 0;
};

}  // namespace hilo::stream
