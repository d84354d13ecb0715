#include "stream/panel_engines.hpp"

#include "gemm/plan.hpp"

namespace hilo::stream {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// A's lines are rows, B's columns.
modular::DeviceOperand operand_of(int operand, const DeviceView& panel) {
  return operand == 0 ? modular::DeviceOperand::left(panel) : modular::DeviceOperand::right(panel);
}

}  // namespace

PlainPanels::PlainPanels(opencl::QueueState& queue, const GemmShape& shape, const DeviceProduct& product,
                         const GemmOptions& options, const int (&slots)[2])
    : queue_(queue), shape_(shape), product_(product), options_(options) {
  for (int o = 0; o < 2; ++o) {
    panels_[o].resize(at(slots[o]));
    arrivals_[o].resize(at(slots[o]));
  }
}

Event PlainPanels::prepare(const Load& load, const DeviceView& panel, const std::vector<cl::Event>& wait_list) {
  panels_[load.operand][at(load.slot)] = DeviceView(panel);
  arrivals_[load.operand][at(load.slot)] = std::vector<cl::Event>(wait_list);
  return {};
}

Event PlainPanels::multiply(const Step& step, const DeviceView& c, const std::vector<cl::Event>& wait_list) {
  std::vector<cl::Event> wait = wait_list;
  for (int o = 0; o < 2; ++o) {
    const std::vector<cl::Event>& arrival = arrivals_[o][at(step.slot[o])];
    wait.insert(wait.end(), arrival.begin(), arrival.end());
  }
  DeviceProduct x = product_;
  // By moves of copies: a wrapper that is assigned another object, and cannot retain it, would release it all the same.
  x.a = DeviceView(panels_[0][at(step.slot[0])]);
  x.b = DeviceView(panels_[1][at(step.slot[1])]);
  x.c = DeviceView(c);
  x.triangle = step.triangle;
  const std::tuple kind{c.rows, c.columns, step.triangle.has_value()};
  auto plan = plans_.find(kind);
  if (plan == plans_.end()) {
    const GemmShape panel =
        packed_shape(shape_.layout, shape_.opa, shape_.opb, c.rows, c.columns, shape_.k, shape_.element_bytes);
    plan = plans_.emplace(kind, plan_routine_product(*queue_.context, panel, x, options_)).first;
  }
  runs_.push_back(execute(plan->second, x, queue_, wait));
  return runs_.back().event;
}

std::int64_t PlainPanels::entries_recomputed() {
  std::int64_t recomputed = 0;
  for (DeviceRun& run : runs_) {
    if (!run.recomputed.buffer()()) continue;
    std::vector<cl_uint> counts(static_cast<std::size_t>(run.counters));
    run.event.wait();
    queue_.queue.enqueueReadBuffer(run.recomputed.buffer(), CL_TRUE, 0, sizeof(cl_uint) * counts.size(), counts.data());
    run.recomputed.release(queue_.queue, {});
    for (cl_uint count : counts) recomputed += count;
  }
  runs_.clear();
  return recomputed;
}

ModularPanels::ModularPanels(opencl::QueueState& queue, modular::PanelProduct& product, const int (&slots)[2],
                             Task task)
    : queue_(queue), product_(product), task_(task) {
  try {
    opencl::Call call(queue_, {});
    for (int o = 0; o < 2; ++o) {
      for (int i = 0; i < slots[o]; ++i) panels_[o].push_back(product_.place(call, o, task_ != Task::test));
    }
    product_.reserve(call);
    call.finish();
  } catch (...) {
    give_back();
    throw;
  }
}

ModularPanels::~ModularPanels() { give_back(); }

void ModularPanels::give_back() noexcept {
  try {
    opencl::Call call(queue_, {});
    for (auto& panels : panels_) {
      for (modular::PreparedPanel& panel : panels) panel.give_back(call);
    }
    call.finish();
  } catch (...) {
    // Memory that cannot be given back is let go of.
  }
}

Event ModularPanels::prepare(const Load& load, const DeviceView& panel, const std::vector<cl::Event>& wait_list) {
  opencl::Call call(queue_, wait_list);
  modular::PreparedPanel& prepared = panels_[load.operand][at(load.slot)];
  const modular::DeviceOperand x = operand_of(load.operand, panel);
  product_.scan(call, load.operand, load.panel, x, prepared);
  if (task_ != Task::test) product_.find_residues(call, load.operand, x, prepared);
  return call.finish();
}

Event ModularPanels::multiply(const Step& step, const DeviceView& c, const std::vector<cl::Event>& wait_list) {
  if (task_ == Task::test && !product_.has_sum_test()) return opencl::marker_after(queue_, wait_list);
  opencl::Call call(queue_, wait_list);
  const modular::PreparedPanel &a = panels_[0][at(step.slot[0])], &b = panels_[1][at(step.slot[1])];
  if (task_ != Task::multiply && product_.has_sum_test()) product_.test_sums(call, a, b);
  if (task_ != Task::test) product_.multiply(call, a, b, c, step.triangle);
  return call.finish();
}

}  // namespace hilo::stream
