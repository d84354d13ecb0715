#include "stream/pipeline.hpp"

#include <algorithm>
#include <chrono>
#include <complex>
#include <utility>

#include "host/team.hpp"
#include "opencl/host_memory.hpp"
#include "opencl/settled.hpp"

namespace hilo::stream {
namespace {

constexpr cl::array<cl::size_type, 3> origin = {0, 0, 0};
cl::size_type pitch_of(const opencl::HostLines& lines) { return lines.lines == 1 ? lines.line_bytes : lines.pitch; }

// 0 where they cannot be had: the product is done, and nothing else depends on them.
template <class Ask>
double seconds_or_none(Ask ask) noexcept {
  try {
    return ask();
  } catch (...) {
    return 0.0;
  }
}

double seconds_of(const cl::Event& event) {
  return seconds_or_none([&] {
    const auto begin = event.getProfilingInfo<CL_PROFILING_COMMAND_START>(),
               end = event.getProfilingInfo<CL_PROFILING_COMMAND_END>();
    return end > begin ? static_cast<double>(end - begin) * 1e-9 : 0.0;
  });
}

double seconds_of(const Event& event) {
  return event.native() ? seconds_or_none([&] { return event.seconds(); }) : 0.0;
}

}  // namespace

HostMatrix HostMatrix::sub(std::int64_t i, std::int64_t j, std::int64_t block_rows, std::int64_t block_columns) const {
  HostMatrix x = *this;
  x.data += (i * row_stride + j * column_stride) * element_bytes;
  x.rows = block_rows;
  x.columns = block_columns;
  return x;
}

opencl::HostLines HostMatrix::lines() const {
  return {static_cast<std::size_t>((by_columns() ? rows : columns) * element_bytes),
          static_cast<std::size_t>(by_columns() ? columns : rows),
          static_cast<std::size_t>((by_columns() ? column_stride : row_stride) * element_bytes)};
}

DeviceView HostMatrix::on_device(const cl::Buffer& buffer) const {
  return {opencl::copied(buffer), 0, rows, columns, by_columns() ? 1 : columns, by_columns() ? rows : 1, conjugate};
}

HostMatrix host_matrix(const void* data, const ViewLines& x, std::int64_t element_bytes) {
  HostMatrix matrix{static_cast<std::byte*>(const_cast<void*>(data)),
                    x.rows,
                    x.columns,
                    x.row_stride,
                    x.column_stride,
                    x.conjugate,
                    element_bytes,
                    false};
  if (x.rows > 0 && x.columns > 0) {
    const opencl::HostLines lines = matrix.lines();
    matrix.is_pinned = opencl::is_pinned(data, lines.pitch * (lines.lines - 1) + lines.line_bytes);
  }
  return matrix;
}

Lanes::Lanes(const std::shared_ptr<opencl::ContextState>& context)
    : compute{context, cl::CommandQueue(context->context, context->device, cl::QueueProperties::Profiling), true, true},
      in(context->context, context->device, cl::QueueProperties::Profiling),
      out(context->context, context->device, cl::QueueProperties::Profiling) {}

std::int64_t Pipeline::bytes(const Cut& cut, const int (&slots)[2], int spare, std::int64_t terms,
                             std::int64_t element_bytes, bool reads_panels) {
  std::int64_t lines = 0;
  if (reads_panels) {
    lines = slots[0] * cut.rows() + slots[1] * cut.columns();
  } else {
    lines = spare * std::max(cut.rows(), cut.columns());
  }
  return (lines * terms + spare * cut.rows() * cut.columns()) * element_bytes;
}

Pipeline::Pipeline(Lanes& lanes, const HostMatrix (&operands)[2], const HostMatrix& c, const Cut& cut,
                   const int (&slots)[2], int spare, PanelEngine& engine)
    : lanes_(lanes), operands_{operands[0], operands[1]}, c_(c), cut_(cut), engine_(engine) {
  opencl::ContextState& context = *lanes.compute.context;
  auto take = [&](std::vector<Place>& places, std::size_t count, std::int64_t elements, const char* what) {
    for (std::size_t i = 0; i < count; ++i) {
      Place place{context.workspaces.borrow(context, lanes.compute.queue, false, elements * c.element_bytes, what), {}};
      place.last_use = opencl::copied(place.memory.busy());
      places.push_back(std::move(place));
    }
  };
  const std::int64_t terms = operands[0].columns;
  if (engine.reads_panels()) {
    take(places_[0], static_cast<std::size_t>(slots[0]), cut.rows() * terms, "panels of A");
    take(places_[1], static_cast<std::size_t>(slots[1]), cut.columns() * terms, "panels of B");
  } else {
    take(passing_, static_cast<std::size_t>(spare), std::max(cut.rows(), cut.columns()) * terms, "panels of A and B");
  }
  take(of_c_, static_cast<std::size_t>(spare), cut.rows() * cut.columns(), "panels of C");
  // Both ways copy at a time.
  const int threads = c.is_pinned ? host::default_threads() : (host::default_threads() + 1) / 2;
  if (!operands[0].is_pinned || !operands[1].is_pinned || !c.is_pinned) {
    staging_ = context.staging.borrow(context.context, context.device);
    if (staging_) staging_.set_threads(threads);
  }
  if (!c.is_pinned) returns_ = std::make_unique<Returns>(context, lanes.out, threads);
}

Pipeline::~Pipeline() {
  returns_.reset();
  staging_ = {};
  // Where a call has failed, no other may still move the caller's memory.
  for (const cl::CommandQueue* queue : {&lanes_.in, &lanes_.compute.queue, &lanes_.out}) {
    for (int attempt = 0; attempt < 2 && !opencl::is_certain([&] { return queue->finish(), true; }); ++attempt) {
    }
  }
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
  const opencl::HostLines lines = from.lines();
  const cl::Event ready = std::exchange(to.last_use, {});
  traffic_.bytes_in += static_cast<std::int64_t>(lines.bytes());
  if (!from.is_pinned && staging_) {
    if (ready()) ready.wait();
    const auto begin = std::chrono::steady_clock::now();
    cl::Event sent = staging_.upload(to.memory.buffer(), lines, from.data, {});
    traffic_.seconds_in += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return sent;
  }
  std::vector<cl::Event> wait;
  if (ready()) wait.push_back(ready);
  cl::Event sent;
  lanes_.in.enqueueWriteBufferRect(to.memory.buffer(), from.is_pinned ? CL_FALSE : CL_TRUE, origin, origin,
                                   {lines.line_bytes, lines.lines, 1}, lines.line_bytes, 0, pitch_of(lines), 0,
                                   from.data, &wait, &sent);
  lanes_.in.flush();
  sent_.push_back(opencl::copied(sent));
  return sent;
}

void Pipeline::load(const Load& load) {
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
  const opencl::HostLines lines = to.lines();
  traffic_.bytes_out += static_cast<std::int64_t>(lines.bytes());
  if (returns_) {
    from.copy = returns_->add(from.memory.buffer(), lines, to.data, ready);
    return;
  }
  const std::vector<cl::Event> wait = {ready};
  cl::Event returned;
  lanes_.out.enqueueReadBufferRect(from.memory.buffer(), CL_FALSE, origin, origin, {lines.line_bytes, lines.lines, 1},
                                   lines.line_bytes, 0, pitch_of(lines), 0, to.data, &wait, &returned);
  lanes_.out.flush();
  from.last_use = opencl::copied(returned);
  returned_.push_back(std::move(returned));
}

void Pipeline::run(const std::vector<Step>& steps, bool takes_c, bool returns_c, const std::atomic<bool>& is_stopped) {
  for (const Step& step : steps) {
    if (is_stopped) break;
    for (const Load& its : step.loads) load(its);
    const HostMatrix to = c_.sub(cut_.first(0, step.pair.panel[0]), cut_.first(1, step.pair.panel[1]),
                                 cut_.count(0, step.pair.panel[0]), cut_.count(1, step.pair.panel[1]));
    Place& place = of_c_[next_of_c_++ % of_c_.size()];
    if (returns_) returns_->wait(place.copy);
    std::vector<cl::Event> wait;
    if (takes_c) {
      wait.push_back(send(to, place));
    } else if (const cl::Event last = std::exchange(place.last_use, {}); last()) {
      wait.push_back(last);
    }
    const Event done = engine_.multiply(step, to.on_device(place.memory.buffer()), wait);
    const cl::Event ready(done.native(), true);
    if (engine_.reads_panels()) {
      for (int o = 0; o < 2; ++o) places_[o][static_cast<std::size_t>(step.slot[o])].last_use = opencl::copied(ready);
    }
    place.last_use = opencl::copied(ready);
    computed_.push_back(done);
    if (returns_c) take_back(to, place, ready);
  }
  if (returns_) returns_->wait_all();
}

void Pipeline::finish() {
  lanes_.in.finish();
  lanes_.compute.queue.finish();
  lanes_.out.finish();
  // A failure of a command shows in its event alone.
  for (const std::vector<cl::Event>* events : {&sent_, &returned_}) {
    for (const cl::Event& e : *events) e.wait();
  }
  for (const Event& e : computed_) e.wait();
}

Traffic Pipeline::traffic() const {
  Traffic all = traffic_;
  for (const cl::Event& e : sent_) all.seconds_in += seconds_of(e);
  for (const cl::Event& e : returned_) all.seconds_out += seconds_of(e);
  for (const Event& e : computed_) all.seconds_kernel += seconds_of(e);
  if (returns_) all.seconds_out += returns_->seconds();
  return all;
}

}  // namespace hilo::stream
