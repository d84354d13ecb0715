#include "cli/device_time.hpp"

#include <algorithm>

#if HILO_HAS_OPENCL
#include "opencl/native.hpp"
#endif

namespace hilo::cli {

#if HILO_HAS_OPENCL

namespace {

// Has a queue's launches written down while it lives.
class Traced {
 public:
  explicit Traced(Queue& queue) : queue_(queue) { queue_.state()->trace = &trace_; }
  ~Traced() { queue_.state()->trace = nullptr; }
  Traced(const Traced&) = delete;
  Traced& operator=(const Traced&) = delete;

  const std::vector<opencl::Trace::Launch>& launches() const { return trace_.launches; }

 private:
  Queue& queue_;
  opencl::Trace trace_;
};

}  // namespace

void trace_kernels(Queue& queue, const std::function<Event()>& product, DeviceTime& time) {
  const Traced traced(queue);
  time.seconds_other = product().seconds();
  for (const auto& launch : traced.launches()) {
    const double seconds = Event(launch.event()).seconds();
    auto found = std::find_if(time.kernels.begin(), time.kernels.end(),
                              [&](const KernelTime& known) { return known.kernel == launch.kernel; });
    if (found == time.kernels.end()) found = time.kernels.insert(found, {launch.kernel});
    ++found->launches;
    found->seconds += seconds;
    time.seconds_other -= seconds;
  }
  time.seconds_other = std::max(time.seconds_other, 0.0);  // commands may overlap
}

#else

void trace_kernels(Queue&, const std::function<Event()>&, DeviceTime&) {}

#endif

}  // namespace hilo::cli
