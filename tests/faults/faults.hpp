// Failures of OpenCL calls, asked for by number, and what calls leave alive. The program that holds this is its own
// OpenCL library: entry_points.cpp defines what hilo calls, and passes it on to the one that is installed.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace hilo::test::faults {

enum class When : std::uint8_t {
  once,          ///< one call fails
  from_then_on,  ///< it and all after it
  lost,          ///< the same but for retaining and releasing, as where a device is gone
  random         ///< one call in `call`, by a seed
};

inline constexpr std::array<std::string_view, 4> when_names = {"once", "from_then_on", "lost", "random"};

struct Fault {
  std::int64_t call;  ///< from 1 on, counted from arm()
  cl_int status = CL_OUT_OF_RESOURCES;
  When when = When::once;
  std::uint64_t seed = 0;
};

/// Of random faults and of sweeps: memory, resources, memory of the host, and NVIDIA's for all else.
inline constexpr std::array<cl_int, 4> usual_statuses = {CL_OUT_OF_RESOURCES, CL_MEM_OBJECT_ALLOCATION_FAILURE,
                                                         CL_OUT_OF_HOST_MEMORY, -9999};

void arm(const Fault& fault);
void disarm();
/// Since arm(), failed ones included; the kinds of call that failed.
std::int64_t calls();
std::set<std::string> failed();

enum class Kind : std::uint8_t { context, device, queue, buffer, mapping, program, kernel, event };
inline constexpr std::size_t kinds = 8;
inline constexpr std::array<std::string_view, kinds> kind_names = {"context", "device",  "queue",  "buffer",
                                                                   "mapping", "program", "kernel", "event"};

/// References that were not given back, by kind; a release that was made to fail counts as one, or not.
using Live = std::array<std::int64_t, kinds>;
Live live(bool counts_failed_releases = true);
/// "2 buffer, 1 event" more in `now` than in `before`; empty where there is nothing more.
std::string more(const Live& now, const Live& before);
/// References given back that were not held.
std::int64_t released_too_often();
/// Gives back what releases that were made to fail have left. Only where nobody holds anything.
void settle();

// For entry_points.cpp.

/// The status that a call is to fail with; CL_SUCCESS where it is to be passed on.
cl_int next_call(const char* name, bool is_reference = false);
void note_created(Kind kind, void* object);
void note_retained(Kind kind, void* object);
/// Whether there is a reference to give back.
bool note_released(void* object);
void note_failed_release(void* object, void (*release)(void*));
void note_mapped(void* buffer, int change);

}  // namespace hilo::test::faults
