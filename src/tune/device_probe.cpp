#include "tune/device_probe.hpp"

#include <algorithm>

#include "gemm/modular/opencl/bytes.hpp"
#include "tune/issue_rate.hpp"

namespace hilo::tune {
namespace {

// 10^9 bytes a second, read and written.
double copy_rate(Queue& queue) {
  constexpr std::int64_t most = 256 << 20;
  constexpr int runs = 6;
  const DeviceInfo& d = queue.context().device();
  const auto bytes = static_cast<std::size_t>(std::min({most, d.max_allocation, d.global_memory / 4}));
  const cl::Context& context = queue.context().state()->context;
  cl::Buffer from(context, CL_MEM_READ_WRITE, bytes), to(context, CL_MEM_READ_WRITE, bytes);
  // Memory that was never written may be one page of zeros.
  queue.state()->queue.enqueueFillBuffer(from, cl_uchar{1}, 0, bytes);
  double best = 0.0;
  for (int i = 0; i < runs; ++i) {
    cl::Event event;
    queue.state()->queue.enqueueCopyBuffer(from, to, 0, 0, bytes, nullptr, &event);
    best = std::max(best, 2e-9 * static_cast<double>(bytes) / seconds_of(event));
  }
  return best;
}

// The best that the device has and that passes its test; empty where it has none.
std::string byte_unit(Queue& queue) {
  for (const modular::UnitFinding& finding : modular::find_units(*queue.context().state())) {
    if (finding.obstacle.empty()) return std::string(modular::name(finding.unit));
  }
  return "";
}

}  // namespace

model::Device probe_device(Queue& queue) {
  constexpr double giga = 1e9;
  const DeviceInfo& info = queue.context().device();
  model::Device d;
  d.key = "opencl";
  d.name = info.name;
  d.source = "measured by probes now";
  d.units = info.compute_units;
  d.gflops_s = 2.0 * issue_rate<float>(queue) / giga;
  if (info.fp64) {
    d.has_fma = info.fma;
    const double gops = issue_rate<double>(queue) / giga;
    d.gflops_d = 2.0 * gops;
    // A CPU adds beside its multiply-adds, on pipes of their own.
    if (info.type != DeviceType::cpu) d.double_gops = gops;
    // Other compilers complain of its text on standard error.
    if (info.compute_capability) d.matrix_gflops_d = 2.0 * matrix_issue_rate(queue).value_or(0.0) / giga;
  }
  d.byte_unit = byte_unit(queue);
  d.memory_gbytes = copy_rate(queue);
  return d;
}

}  // namespace hilo::tune
