// How many multiply-adds a second a device computes in registers: the ceilings of its products.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "opencl/native.hpp"

namespace hilo::tune {

inline double seconds_of(const cl::Event& event) {
  event.wait();
  return 1e-9 * static_cast<double>(event.getProfilingInfo<CL_PROFILING_COMMAND_END>() -
                                    event.getProfilingInfo<CL_PROFILING_COMMAND_START>());
}

/// The least of the seconds of a kernel with the arguments of kernels/probe/issue_rate.cl, in groups of 128 work-items:
/// of 5 runs or more, as many as take 0.2 s, since a device that was idle needs a while to reach its clock.
inline double issue_seconds(Queue& queue, const opencl::ProgramText& text, int items, std::size_t bytes) {
  opencl::ContextState& context = *queue.context().state();
  cl::Kernel kernel(context.programs.get(context, text), text.name.c_str());
  cl::Buffer out(context.context, CL_MEM_READ_WRITE, bytes);
  kernel.setArg(0, out);
  kernel.setArg(1, 0.999999);
  kernel.setArg(2, 1e-7);
  double best = 1e300, all = 0.0;
  for (int repeat = 0; repeat < 5 || all < 0.2; ++repeat) {
    cl::Event event;
    queue.state()->queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(static_cast<std::size_t>(items)),
                                              cl::NDRange(128), nullptr, &event);
    double seconds = seconds_of(event);
    best = std::min(best, seconds);
    all += seconds;
  }
  return best;
}

/// Fused multiply-adds of Word (double or float) a second, all lanes together.
template <class Word>
double issue_rate(Queue& queue) {
  constexpr int chains = 8;
  const DeviceInfo& d = queue.context().device();
  const bool is_cpu = d.type == DeviceType::cpu;
  const int lanes = is_cpu ? std::max(d.vector_width, 1) * static_cast<int>(sizeof(double) / sizeof(Word)) : 1;
  const int iterations = is_cpu ? 1 << 13 : 1 << 16;
  const int items = d.compute_units * (is_cpu ? 8 : 16) * 128;
  std::string word = sizeof(Word) == sizeof(double) ? "double" : "float";
  auto text = opencl::program_text("issue_rate", "probe/issue_rate.cl",
                                   "-DWORD=" + word + (lanes > 1 ? std::to_string(lanes) : "") + " -DCHAINS=" +
                                       std::to_string(chains) + " -DITERATIONS=" + std::to_string(iterations));
  const std::size_t bytes = sizeof(Word) * static_cast<std::size_t>(items * lanes);
  return static_cast<double>(items) * lanes * iterations * chains / issue_seconds(queue, text, items, bytes);
}

/// Double multiply-adds a second of NVIDIA's matrix units; nothing where the device's compiler has no such instruction.
inline std::optional<double> matrix_issue_rate(Queue& queue) try {
  constexpr int chains = 8, iterations = 1 << 11;
  constexpr double step = 16.0 * 8.0 * 16.0;
  const int items = queue.context().device().compute_units * 16 * 128;
  auto text =
      opencl::program_text("issue_rate_mma", "probe/issue_rate_mma.cl",
                           "-DCHAINS=" + std::to_string(chains) + " -DITERATIONS=" + std::to_string(iterations));
  const std::size_t bytes = sizeof(double) * static_cast<std::size_t>(items);
  return items / 32 * step * iterations * chains / issue_seconds(queue, text, items, bytes);
} catch (const error& e) {
  if (e.code() != errc::build_failure) throw;
  return std::nullopt;
}

}  // namespace hilo::tune
