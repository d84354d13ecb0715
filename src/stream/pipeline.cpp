#include "stream/pipeline.hpp"

#include <algorithm>
#include <chrono>
#include <complex>
#include <utility>

#include "host/team.hpp"
#include "opencl/host_memory.hpp"
#include "opencl/settled.hpp"
#include "stream/device_columns.hpp"

namespace hilo::stream {
namespace {

// For one way: both copy at a time.
int threads_of_ways(bool are_two) {
  const int all = host::default_threads();
  return are_two ? (all + 1) / 2 : all;
}

}  // namespace

std::int64_t Pipeline::bytes(const Cut& cut, const int (&slots)[2], int spare, const HostMatrix (&operands)[2],
                             const HostMatrix& c, bool reads_panels) {
  std::int64_t places = 0, longest = 0;
  for (int o = 0; o < 2; ++o) {
    if (operands[o].resident) continue;
    places += slots[o] * cut.panel_lines(o);
    longest = std::max(longest, cut.panel_lines(o));
  }
  const std::int64_t lines = reads_panels ? places : spare * longest, terms = operands[0].columns;
  const std::int64_t of_c = c.resident ? 0 : spare * cut.rows() * cut.columns();
  return (lines * terms + of_c) * c.element_bytes;
}

Pipeline::Pipeline(Lanes& lanes, const HostMatrix (&operands)[2], const HostMatrix& c, const Cut& cut,
                   const int (&slots)[2], int spare, PanelEngine& engine)
    : lanes_(lanes),
      operands_{operands[0], operands[1]},
      c_(c),
      cut_(cut),
      engine_(engine),
      carrier_(lanes, operands[0].is_pinned && operands[1].is_pinned && c.is_pinned, threads_of_ways(!c.is_pinned)) {
  opencl::ContextState& context = *lanes.compute.context;
  auto take = [&](std::vector<Place>& places, std::size_t count, std::int64_t elements, const char* what) {
    for (std::size_t i = 0; i < count; ++i) {
      Place place{context.workspaces.borrow(context, lanes.compute.queue, false, elements * c.element_bytes, what), {}};
      place.last_use = opencl::copied(place.memory.busy());
      places.push_back(std::move(place));
    }
  };
  constexpr const char* what[2] = {"panels of A", "panels of B"};
  std::int64_t longest = 0;
  for (int o = 0; o < 2; ++o) {
    if (operands[o].resident) continue;
    const std::int64_t elements = cut.panel_lines(o) * operands[0].columns;
    longest = std::max(longest, elements);
    if (engine.reads_panels()) take(places_[o], static_cast<std::size_t>(slots[o]), elements, what[o]);
  }
  if (!engine.reads_panels() && longest > 0) {
    take(passing_, static_cast<std::size_t>(spare), longest, "panels of A and B");
  }
  if (!c.resident) take(of_c_, static_cast<std::size_t>(spare), cut.rows() * cut.columns(), "panels of C");
  if (!c.is_pinned) returns_ = std::make_unique<Returns>(context, lanes.out, threads_of_ways(true));
}

Pipeline::~Pipeline() {
  returns_.reset();
  carrier_.settle();
  for (std::vector<Place>* places : {&places_[0], &places_[1], &passing_, &of_c_}) {
    for (Place& place : *places) place.memory.release(lanes_.compute.queue, {});
  }
}

HostMatrix Pipeline::panel_of(int operand, int panel) const {
  const std::int64_t first = cut_.first(operand, panel), count = cut_.count(operand, panel);
  const HostMatrix& x = operands_[operand];
  return operand == 0 ? x.sub(first, 0, count, x.columns) : x.sub(0, first, x.rows, count);
}

// Returns the last command of the way there, which waits for the place's last use.
cl::Event Pipeline::send(const HostMatrix& from, Place& to) {
  return carrier_.send(from, to.memory.buffer(), std::exchange(to.last_use, {}));
}

void Pipeline::load(const Load& load) {
  if (DeviceColumns* matrix = operands_[load.operand].resident) {
    const HostMatrix panel = panel_of(load.operand, load.panel);
    matrix->wait_for(panel);
    computed_.push_back(engine_.prepare(load, matrix->view(panel), {}));
    return;
  }
  const bool stays = engine_.reads_panels();
  Place& place =
      stays ? places_[load.operand][static_cast<std::size_t>(load.slot)] : passing_[next_passing_++ % passing_.size()];
  const HostMatrix panel = panel_of(load.operand, load.panel);
  const cl::Event sent = send(panel, place);
  const Event prepared = engine_.prepare(load, panel.on_device(place.memory.buffer()), {sent});
  place.last_use = cl::Event(prepared.native(), true);
  computed_.push_back(prepared);
}

void Pipeline::take_back(const HostMatrix& to, Place& from, const cl::Event& ready) {
  if (returns_) {
    const opencl::HostLines lines = to.lines();
    bytes_returned_ += static_cast<std::int64_t>(lines.bytes());
    from.copy = returns_->add(from.memory.buffer(), lines, to.data, ready);
    return;
  }
  from.last_use = carrier_.fetch(from.memory.buffer(), to, ready);
}

void Pipeline::multiply(const Step& step, bool takes_c, bool returns_c) {
  const HostMatrix to = c_.sub(cut_.first(0, step.pair.panel[0]), cut_.first(1, step.pair.panel[1]),
                               cut_.count(0, step.pair.panel[0]), cut_.count(1, step.pair.panel[1]));
  Place* place = c_.resident ? nullptr : &of_c_[next_of_c_++ % of_c_.size()];
  std::vector<cl::Event> wait;
  if (place) {
    if (returns_) returns_->wait(place->copy);
    if (takes_c || (step.triangle && returns_c)) {
      wait.push_back(send(to, *place));
    } else if (const cl::Event last = std::exchange(place->last_use, {}); last()) {
      wait.push_back(last);
    }
  }
  const Event done = engine_.multiply(step, place ? to.on_device(place->memory.buffer()) : c_.resident->view(to), wait);
  const cl::Event ready(done.native(), true);
  if (engine_.reads_panels()) {
    for (int o = 0; o < 2; ++o) {
      if (!places_[o].empty()) places_[o][static_cast<std::size_t>(step.slot[o])].last_use = opencl::copied(ready);
    }
  }
  computed_.push_back(done);
  if (!place) return;
  place->last_use = opencl::copied(ready);
  if (returns_c) take_back(to, *place, ready);
}

void Pipeline::run(const std::vector<Step>& steps, bool takes_c, bool returns_c, const std::atomic<bool>& is_stopped) {
  for (const Step& step : steps) {
    if (is_stopped) break;
    for (const Load& its : step.loads) load(its);
    multiply(step, takes_c, returns_c);
  }
  if (returns_) returns_->wait_all();
}

void Pipeline::finish() {
  carrier_.finish();
  for (const Event& e : computed_) e.wait();
}

Traffic Pipeline::traffic() const {
  Traffic all = carrier_.traffic();
  for (const Event& e : computed_) all.seconds_kernel += seconds_of(e);
  if (returns_) all.seconds_out += returns_->seconds();
  all.bytes_out += bytes_returned_;
  return all;
}

}  // namespace hilo::stream
