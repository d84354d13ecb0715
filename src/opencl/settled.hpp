// Whether a transfer into host memory has ended, also where calls fail.
#pragma once

#include "opencl/bindings.hpp"

namespace hilo::opencl {

/// Whether a call succeeds and says yes.
template <class Call>
bool is_certain(Call call) noexcept {
  try {
    return call();
  } catch (...) {
    return false;
  }
}

/// Without waiting. A command that has failed has ended too; a null event is none. Throws cl::Error.
inline bool has_ended(const cl::Event& busy) {
  return !busy() || busy.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() <= CL_COMPLETE;
}

/// Waits for a command of a queue; null then. Throws cl::Error.
inline void wait_for(cl::Event& busy) {
  if (busy()) busy.wait();
  busy = cl::Event();
}

/// wait_for, with every way to know; where it says no, the command may still run.
inline bool has_settled(cl::Event& busy, const cl::CommandQueue& queue) noexcept {
  return is_certain([&] { return wait_for(busy), true; }) || is_certain([&] { return has_ended(busy); }) ||
         is_certain([&] { return queue.finish(), true; });
}

}  // namespace hilo::opencl
