#include "stream/visit.hpp"

#include <algorithm>

#include "opencl/settled.hpp"

namespace hilo::stream {

Visit::Visit(Lanes& lanes, int threads) : lanes_(lanes), carrier_(lanes, false, threads) {}

Visit::~Visit() {
  carrier_.settle();
  for (opencl::Workspace& memory : memory_) memory.release(lanes_.compute.queue, {});
}

DeviceView Visit::bring(const HostMatrix& x) {
  opencl::ContextState& context = *lanes_.compute.context;
  const auto bytes = static_cast<std::int64_t>(x.lines().bytes());
  opencl::Workspace& memory = memory_.emplace_back(context.workspaces.borrow(
      context, lanes_.compute.queue, false, std::max<std::int64_t>(bytes, 1), "a matrix of host memory"));
  if (bytes > 0) arrivals_.push_back(carrier_.send(x, memory.buffer(), opencl::copied(memory.busy())));
  return x.on_device(memory.buffer());
}

std::vector<cl::Event> Visit::arrivals() const {
  std::vector<cl::Event> all;
  for (const cl::Event& e : arrivals_) all.push_back(opencl::copied(e));
  return all;
}

void Visit::take_back(const DeviceView& from, const HostMatrix& to) {
  cl::Event ready;
  lanes_.compute.queue.enqueueMarkerWithWaitList(nullptr, &ready);
  lanes_.compute.queue.flush();
  // What was computed is known to be right before the caller's memory is touched.
  ready.wait();
  has_written_ = true;
  carrier_.fetch(from.buffer, to, ready);
  carrier_.finish();
}

}  // namespace hilo::stream
