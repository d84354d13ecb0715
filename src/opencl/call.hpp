// A call on a queue: its commands, and the memory and kernels that it borrows for them.
#pragma once

#include <list>
#include <string>
#include <utility>
#include <vector>

#include "opencl/sequence.hpp"

namespace hilo::opencl {

/// Commands one after the other, with memory that is given back at their end. A call that fails half-way lets its
/// memory go, which the OpenCL runtime frees when its commands are done.
class Call : public Sequence {
 public:
  Call(QueueState& queue, std::vector<cl::Event> wait_list) : Sequence(queue, std::move(wait_list)), queue_(queue) {}

  QueueState& queue() { return queue_; }
  ContextState& context() { return *queue_.context; }

  /// At least so many bytes until the end of the call. Throws out_of_memory, naming `what`.
  cl::Buffer borrow(std::int64_t bytes, const char* what) { return memory_.emplace_back(lend(bytes, what)).buffer(); }

  /// So many words of 32 bits that are 0, and that the call's commands leave so. Throws out_of_memory, naming `what`.
  cl::Buffer borrow_counters(std::int64_t count, const char* what) {
    Workspace w = context().counters.borrow(context(), queue_.queue, queue_.in_order, 4 * count, what);
    take_over(w);
    return memory_.emplace_back(std::move(w)).buffer();
  }

  /// The same for who gives it back later: after this call, perhaps, where it will stay.
  Workspace lend(std::int64_t bytes, const char* what, bool will_stay = false) {
    Workspace w = context().workspaces.borrow(context(), queue_.queue, queue_.in_order, bytes, what, will_stay);
    take_over(w);
    return w;
  }

  /// What was lent, after all commands that were asked for; nothing where there is none. Best where they have an event.
  void give_back(Workspace& w) {
    if (w.buffer()()) w.release(queue_.queue, last());
  }

  BorrowedKernel kernel(const cl::Program& program, const std::string& name) {
    return context().kernels.borrow(program, name);
  }

  /// All commands as one event; what was borrowed is free after them.
  Event finish() {
    Event event = Sequence::finish();
    for (Workspace& w : memory_) w.release(queue_.queue, last());
    memory_.clear();
    return event;
  }

 private:
  void take_over(const Workspace& w) {
    if (queue_.stands_apart && w.busy()()) {
      w.busy().wait();
    } else {
      wait_also(w.busy());
    }
  }

  QueueState& queue_;
  std::list<Workspace> memory_;
};

}  // namespace hilo::opencl
