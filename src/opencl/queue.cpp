// Queues and events.
#include "opencl/native.hpp"

namespace hilo {
namespace opencl {

std::vector<cl::Event> native_events(const std::vector<Event>& wait_list, const Queue& queue) {
  std::vector<cl::Event> events;
  for (const Event& event : wait_list) {
    if (!event.native()) continue;
    if (asked<cl_context>(clGetEventInfo, "clGetEventInfo", event.native(), CL_EVENT_CONTEXT) !=
        queue.context().native()) {
      throw error(errc::invalid_argument, "event " + std::to_string(&event - wait_list.data()) +
                                              " of the wait list belongs to another context than the queue");
    }
    // Some drivers wait for ever for commands behind an event that has failed.
    if (event.status() == EventStatus::failed) {
      throw error(errc::device_failure, "an event of the wait list belongs to commands that failed");
    }
    events.emplace_back(event.native(), true);
  }
  return events;
}

}  // namespace opencl

Queue::Queue(const Context& context, Profiling profiling) {
  state_ = opencl::guarded("making a queue", [&] {
    const auto& state = context.state();
    const auto properties = profiling == Profiling::on ? cl::QueueProperties::Profiling : cl::QueueProperties::None;
    return std::make_shared<opencl::QueueState>(opencl::QueueState{
        state, cl::CommandQueue(state->context, state->device, properties), true, profiling == Profiling::on});
  });
}

Queue::Queue(_cl_command_queue* queue) {
  if (!queue) throw error(errc::invalid_argument, "Queue: the command queue is null");
  state_ = opencl::guarded("taking over a queue", [&] {
    cl::CommandQueue native(queue, true);
    auto native_context =
        opencl::asked<cl_context>(clGetCommandQueueInfo, "clGetCommandQueueInfo", queue, CL_QUEUE_CONTEXT);
    auto device = opencl::asked<cl_device_id>(clGetCommandQueueInfo, "clGetCommandQueueInfo", queue, CL_QUEUE_DEVICE);
    auto context = std::make_shared<opencl::ContextState>(cl::Context(native_context, true), cl::Device(device, true));
    const auto properties = native.getInfo<CL_QUEUE_PROPERTIES>();
    return std::make_shared<opencl::QueueState>(
        opencl::QueueState{context, native, !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE),
                           (properties & CL_QUEUE_PROFILING_ENABLE) != 0});
  });
}

Context Queue::context() const { return Context(state_->context); }

void Queue::finish() const {
  opencl::guarded("finishing a queue", [&] { state_->queue.finish(); });
}

_cl_command_queue* Queue::native() const { return state_->queue(); }

Event::Event(_cl_event* event) {
  if (!event) throw error(errc::invalid_argument, "Event: the event is null");
  state_ = opencl::guarded("taking over an event", [&] {
    cl::Event native(event, true);
    return std::make_shared<opencl::EventState>(opencl::EventState{native, native});
  });
}

void Event::wait() const {
  if (!state_) return;
  opencl::guarded("waiting for an event", [&] { state_->last.wait(); });
}

EventStatus Event::status() const {
  if (!state_) return EventStatus::complete;
  cl_int status = opencl::guarded("asking an event's status",
                                  [&] { return state_->last.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>(); });
  if (status < 0) return EventStatus::failed;
  if (status == CL_COMPLETE) return EventStatus::complete;
  return status == CL_RUNNING ? EventStatus::running : EventStatus::queued;
}

double Event::seconds() const {
  if (!state_) return 0.0;
  wait();
  const char* why = "no times for this event: its queue was made without profiling";
  if (!state_->first()) throw error(errc::unsupported, why);
  return opencl::guarded("asking an event's times", [&] {
    try {
      auto time = [](const cl::Event& event, cl_profiling_info which) {
        return opencl::asked<cl_ulong>(clGetEventProfilingInfo, "clGetEventProfilingInfo", event(), which);
      };
      const cl_ulong start = time(state_->first, CL_PROFILING_COMMAND_START);
      const cl_ulong end = time(state_->last, CL_PROFILING_COMMAND_END);
      return end > start ? 1e-9 * static_cast<double>(end - start) : 0.0;
    } catch (const cl::Error& failure) {
      if (failure.err() != CL_PROFILING_INFO_NOT_AVAILABLE) throw;
      throw error(errc::unsupported, std::string(why) + "; " + opencl::status_name(failure.err()));
    }
  });
}

_cl_event* Event::native() const { return state_ ? state_->last() : nullptr; }

}  // namespace hilo
