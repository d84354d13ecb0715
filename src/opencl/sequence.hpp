// Commands of one call, one after the other on its queue.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "opencl/native.hpp"

namespace hilo::opencl {

/// Commands one after the other, whether the queue is in order or not.
class Sequence {
 public:
  Sequence(QueueState& queue, std::vector<cl::Event> wait_list)
      : queue_(queue),
        wait_(std::move(wait_list)),
        may_fail_(!wait_.empty()),
        is_lean_(!queue.is_profiled && queue.context->info.type != DeviceType::cpu) {}

  void wait_also(const cl::Event& event) {
    if (event()) wait_.push_back(event);
  }

  /// Commands on the same queue that were not given through this sequence, which does not end before them.
  void include(const cl::Event& event) {
    wait_also(event);
    ends_with_others_ = true;
  }

  /// What commands on the same queue that are not of this sequence wait for to come after it.
  std::vector<cl::Event> pending() const {
    std::vector<cl::Event> events = wait_;
    if (queue_.in_order && may_fail_ && last_()) events.push_back(last_);
    return events;
  }

  void fill_zero(const cl::Buffer& buffer, std::size_t bytes) { fill(buffer, cl_uint{0}, bytes); }

  template <class Pattern>
  void fill(const cl::Buffer& buffer, Pattern pattern, std::size_t bytes) {
    step([&](cl::Event* event) { queue_.queue.enqueueFillBuffer(buffer, pattern, 0, bytes, &wait_, event); });
  }

  void fill_zero_at(const cl::Buffer& buffer, std::size_t offset, std::size_t bytes) {
    step([&](cl::Event* event) { queue_.queue.enqueueFillBuffer(buffer, cl_uint{0}, offset, bytes, &wait_, event); });
  }

  void copy(const cl::Buffer& from, std::int64_t from_byte, const cl::Buffer& to, std::int64_t to_byte,
            std::int64_t bytes) {
    step([&](cl::Event* event) {
      queue_.queue.enqueueCopyBuffer(from, to, static_cast<std::size_t>(from_byte), static_cast<std::size_t>(to_byte),
                                     static_cast<std::size_t>(bytes), &wait_, event);
    });
  }

  /// is_followed: by other commands of the call, whose events will do. An event takes about as long as all else of a
  /// launch, and a queue that is in order needs none but to be timed: a marker at the end takes half as long. After a
  /// wait list all commands have one, since a failure of its events goes from one to the next; PoCL aborts the process
  /// where there is none.
  void launch(const cl::Kernel& kernel, const cl::NDRange& global, const cl::NDRange& local, bool is_followed = false,
              const cl::NDRange& offset = cl::NullRange) {
    step([&](cl::Event* event) { queue_.queue.enqueueNDRangeKernel(kernel, offset, global, local, &wait_, event); },
         is_followed);
    if (queue_.trace) queue_.trace->launches.push_back({kernel.getInfo<CL_KERNEL_FUNCTION_NAME>(), last_});
  }

  void launch_groups(const cl::Kernel& kernel, std::int64_t groups, std::int64_t items) {
    launch(kernel, cl::NDRange(static_cast<std::size_t>(groups * items)), cl::NDRange(static_cast<std::size_t>(items)));
  }

  /// One work-item for each of rows × columns, by its global ids, in groups of 16 × 16: rows and columns alike are
  /// whole memory sectors. More than 65535 groups beside the first dimension, which not every device takes, are several
  /// launches.
  void launch_over(const cl::Kernel& kernel, std::int64_t rows, std::int64_t columns) {
    constexpr std::int64_t most = 65535 * 16;
    for (std::int64_t first = 0; first < columns; first += most) {
      const cl::NDRange offset = first == 0 ? cl::NullRange : cl::NDRange(0, static_cast<std::size_t>(first));
      launch(kernel, cl::NDRange(padded(rows, 16), padded(std::min(columns - first, most), 16)), cl::NDRange(16, 16),
             false, offset);
    }
  }

  /// One work-item for each of `items`.
  void launch_over(const cl::Kernel& kernel, std::int64_t items, bool is_followed = false) {
    launch(kernel, cl::NDRange(padded(items, 256)), cl::NDRange(256), is_followed);
  }

  /// Waits for all that was asked for, and for the bytes.
  void read(const cl::Buffer& buffer, std::size_t bytes, void* to) { read_at(buffer, 0, bytes, to); }

  void read_at(const cl::Buffer& buffer, std::size_t offset, std::size_t bytes, void* to) {
    step([&](cl::Event* event) { queue_.queue.enqueueReadBuffer(buffer, CL_TRUE, offset, bytes, to, &wait_, event); });
  }

  /// Returns when the bytes are there, after all that was asked for.
  void write(const cl::Buffer& buffer, std::size_t bytes, const void* from) {
    step([&](cl::Event* event) { queue_.queue.enqueueWriteBuffer(buffer, CL_TRUE, 0, bytes, from, &wait_, event); });
  }

  /// Begins to read them after all that was asked for, which is started; `to` says when they are there. What follows
  /// does not wait for it.
  void begin_read(const cl::Buffer& buffer, std::size_t bytes, Pinned& to) {
    const cl::Event& after = last();
    queue_.queue.flush();
    to.begin_read(buffer, bytes, after);
  }

  /// The first and the last command: the first is null before there is one, and where nothing is timed; the last is a
  /// marker then, after what the first would wait for.
  const cl::Event& first() const { return first_; }
  const cl::Event& last() const {
    if (!has_last_ || !last_() || ends_with_others_) {
      cl::Event marker;
      queue_.queue.enqueueMarkerWithWaitList(wait_.empty() ? nullptr : &wait_, &marker);
      last_ = std::move(marker);
    }
    has_last_ = true;
    ends_with_others_ = false;
    return last_;
  }

  /// All of them as one event.
  Event finish() {
    const cl::Event& end = last();
    queue_.queue.flush();
    return Event(std::make_shared<EventState>(EventState{first_, end}));
  }

 private:
  static std::size_t padded(std::int64_t x, std::int64_t to) {
    return static_cast<std::size_t>((x + to - 1) / to * to);
  }

  template <class Command>
  void step(Command command, bool is_followed = false) {
    has_last_ = !queue_.in_order || queue_.trace || may_fail_ || (!is_lean_ && (!is_followed || !first_()));
    cl::Event event;
    command(has_last_ ? &event : nullptr);
    // Not as the command's failure, after which it may be given again.
    guarded("keeping a command's event", [&] {
      if (!first_()) first_ = copied(event);
      last_ = copied(event);
      wait_.clear();
      ends_with_others_ = false;
      if (!queue_.in_order) wait_.push_back(event);
    });
  }

  QueueState& queue_;
  std::vector<cl::Event> wait_;
  bool may_fail_, is_lean_;
  cl::Event first_;
  mutable cl::Event last_;
  mutable bool has_last_ = true, ends_with_others_ = false;
};

/// Complete when the events are; nothing to wait for where there are none.
inline Event marker_after(QueueState& queue, const std::vector<cl::Event>& events) {
  if (events.empty()) return {};
  cl::Event marker;
  queue.queue.enqueueMarkerWithWaitList(&events, &marker);
  queue.queue.flush();
  return Event(std::make_shared<EventState>(EventState{marker, marker}));
}

template <class... Arguments>
void set_arguments(cl::Kernel& kernel, const Arguments&... arguments) {
  cl_uint i = 0;
  (kernel.setArg(i++, arguments), ...);
}

template <class... Arguments>
void set_arguments(BorrowedKernel& kernel, const Arguments&... arguments) {
  set_arguments(*kernel, arguments...);
}

inline cl_int narrow(std::int64_t x) { return static_cast<cl_int>(x); }

}  // namespace hilo::opencl
