#include "stream/carrier.hpp"

#include <chrono>

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

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

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

void Traffic::add(const Traffic& other) {
  bytes_in += other.bytes_in;
  bytes_out += other.bytes_out;
  bytes_passed += other.bytes_passed;
  seconds_in += other.seconds_in;
  seconds_out += other.seconds_out;
  seconds_kernel += other.seconds_kernel;
}

void add(StreamReport& report, const Traffic& traffic) {
  Traffic all = traffic_of(report);
  all.add(traffic);
  report.bytes_in = all.bytes_in;
  report.bytes_out = all.bytes_out;
  report.bytes_passed = all.bytes_passed;
  report.seconds_in = all.seconds_in;
  report.seconds_out = all.seconds_out;
  report.seconds_kernel = all.seconds_kernel;
}

Traffic traffic_of(const StreamReport& report) {
  return {report.bytes_in,    report.bytes_out,      report.seconds_in,
          report.seconds_out, report.seconds_kernel, report.bytes_passed};
}

Lanes::Lanes(const std::shared_ptr<opencl::ContextState>& context, Profiling of_compute)
    : compute{context,
              cl::CommandQueue(
                  context->context, context->device,
                  of_compute == Profiling::on ? cl::QueueProperties::Profiling : cl::QueueProperties::None),
              true, of_compute == Profiling::on},
      in(context->context, context->device, cl::QueueProperties::Profiling),
      out(context->context, context->device, cl::QueueProperties::Profiling) {}

void settle(Lanes& lanes) noexcept {
  // Where a call has failed, no other may still move the caller's memory.
  for (const cl::CommandQueue* queue : {&lanes.in, &lanes.compute.queue, &lanes.out}) {
    for (int attempt = 0; attempt < 2 && !opencl::is_certain([&] { return queue->finish(), true; }); ++attempt) {
    }
  }
}

Carrier::Carrier(Lanes& lanes, bool is_pinned, int threads) : lanes_(lanes) {
  if (is_pinned) return;
  opencl::ContextState& context = *lanes.compute.context;
  staging_ = context.staging.borrow(context.context, context.device);
  if (staging_) staging_.set_threads(threads);
}

Carrier::~Carrier() { settle(); }

void Carrier::settle() noexcept {
  staging_ = {};
  stream::settle(lanes_);
}

cl::Event Carrier::send(const HostMatrix& from, const cl::Buffer& to, const cl::Event& ready) {
  if (from.sender) {
    cl::Event sent = from.sender->send(lanes_, from, to, ready);
    sent_by_others_.push_back(opencl::copied(sent));
    return sent;
  }
  const opencl::HostLines lines = from.lines();
  traffic_.bytes_in += static_cast<std::int64_t>(lines.bytes());
  if (!from.is_pinned && staging_) {
    if (ready()) ready.wait();
    const auto begin = std::chrono::steady_clock::now();
    cl::Event sent = staging_.upload(to, lines, from.data, {});
    traffic_.seconds_in += seconds_since(begin);
    return sent;
  }
  std::vector<cl::Event> wait;
  if (ready()) wait.push_back(ready);
  cl::Event sent;
  lanes_.in.enqueueWriteBufferRect(to, from.is_pinned ? CL_FALSE : CL_TRUE, origin, origin,
                                   {lines.line_bytes, lines.lines, 1}, lines.line_bytes, 0, pitch_of(lines), 0,
                                   from.data, &wait, &sent);
  lanes_.in.flush();
  sent_.push_back(opencl::copied(sent));
  return sent;
}

cl::Event Carrier::fetch(const cl::Buffer& from, const HostMatrix& to, const cl::Event& ready) {
  const opencl::HostLines lines = to.lines();
  traffic_.bytes_out += static_cast<std::int64_t>(lines.bytes());
  if (!to.is_pinned && staging_) {
    ready.wait();
    const auto begin = std::chrono::steady_clock::now();
    staging_.download(from, lines, to.data, {{0, lines.bytes(), {}}});
    traffic_.seconds_out += seconds_since(begin);
    return {};
  }
  const std::vector<cl::Event> wait = {ready};
  cl::Event fetched;
  lanes_.out.enqueueReadBufferRect(from, to.is_pinned ? CL_FALSE : CL_TRUE, origin, origin,
                                   {lines.line_bytes, lines.lines, 1}, lines.line_bytes, 0, pitch_of(lines), 0, to.data,
                                   &wait, &fetched);
  lanes_.out.flush();
  fetched_.push_back(opencl::copied(fetched));
  return fetched;
}

void Carrier::finish() {
  lanes_.in.finish();
  lanes_.compute.queue.finish();
  lanes_.out.finish();
  // A failure of a command shows in its event alone.
  for (const std::vector<cl::Event>* events : {&sent_, &fetched_, &sent_by_others_}) {
    for (const cl::Event& e : *events) e.wait();
  }
}

Traffic Carrier::traffic() const {
  Traffic all = traffic_;
  for (const cl::Event& e : sent_) all.seconds_in += seconds_of(e);
  for (const cl::Event& e : fetched_) all.seconds_out += seconds_of(e);
  return all;
}

}  // namespace hilo::stream
