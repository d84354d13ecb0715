#include "opencl/meeting.hpp"

#include <map>

#include "opencl/program.hpp"
#include "opencl/sequence.hpp"

namespace hilo::opencl {
namespace {

constexpr const char* finding = "work-groups meet";
constexpr const char* counting = "work-groups count arrivals";
constexpr int meetings = 100;
constexpr int looks = 1 << 20;  // a quarter of a second

bool do_meet(ContextState& context) {
  const DeviceInfo& device = context.info;
  if (device.compute_capability < 70) return false;
  const ProgramRecipe recipe{"probe/meeting.cl", "probe/meeting.cl", define("NVIDIA", 1)};
  const std::optional<cl::Program> program = built([&] { return context.programs.get(context, recipe); });
  if (!program) return false;
  cl::Kernel kernel(*program, "meet");
  cl::CommandQueue queue(context.context, context.device);
  const auto zeros = [&](std::size_t count) {
    cl::Buffer buffer(context.context, CL_MEM_READ_WRITE, 4 * count);
    queue.enqueueFillBuffer(buffer, cl_int{0}, 0, 4 * count);
    return buffer;
  };
  const auto groups = static_cast<std::size_t>(device.compute_units);
  const cl::Buffer state = zeros(2), words = zeros(2 * groups), wrong = zeros(1);
  set_arguments(kernel, state, words, wrong, cl_int{meetings}, cl_int{looks});
  const auto turn = turn_to_meet(context);
  queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(64 * groups), cl::NDRange(64));
  cl_int count = 0;
  queue.enqueueReadBuffer(wrong, CL_TRUE, 0, 4, &count);
  return count == 0;
}

}  // namespace

bool may_meet(ContextState& context) {
  return context.findings.get(finding, [&] { return do_meet(context) ? 1 : 0; }) != 0;
}

void forbid_meeting(ContextState& context) { context.findings.put(finding, 0); }

bool must_count_arrivals(ContextState& context) {
  return context.findings.get(counting, [] { return 0; }) != 0;
}
void count_arrivals(ContextState& context) { context.findings.put(counting, 1); }

std::unique_lock<std::mutex> turn_to_meet(const ContextState& context) {
  static std::mutex mutex;
  static std::map<cl_device_id, std::mutex> turns;
  std::mutex* turn = nullptr;
  {
    const std::lock_guard lock(mutex);
    turn = &turns[context.device()];
  }
  return std::unique_lock(*turn);
}

}  // namespace hilo::opencl
