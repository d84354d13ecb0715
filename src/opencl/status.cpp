// OpenCL's status numbers, in words and as hilo's errors.
#include <algorithm>
#include <iterator>

#include "opencl/native.hpp"

namespace hilo::opencl {
namespace {

struct Named {
  cl_int status;
  const char* name;
};

#define HILO_STATUS(x) \
  { x, #x }
const Named names[] = {
    HILO_STATUS(CL_DEVICE_NOT_FOUND),
    HILO_STATUS(CL_DEVICE_NOT_AVAILABLE),
    HILO_STATUS(CL_COMPILER_NOT_AVAILABLE),
    HILO_STATUS(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    HILO_STATUS(CL_OUT_OF_RESOURCES),
    HILO_STATUS(CL_OUT_OF_HOST_MEMORY),
    HILO_STATUS(CL_PROFILING_INFO_NOT_AVAILABLE),
    HILO_STATUS(CL_MEM_COPY_OVERLAP),
    HILO_STATUS(CL_BUILD_PROGRAM_FAILURE),
    HILO_STATUS(CL_MAP_FAILURE),
    HILO_STATUS(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    HILO_STATUS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    HILO_STATUS(CL_INVALID_VALUE),
    HILO_STATUS(CL_INVALID_PLATFORM),
    HILO_STATUS(CL_INVALID_DEVICE),
    HILO_STATUS(CL_INVALID_CONTEXT),
    HILO_STATUS(CL_INVALID_QUEUE_PROPERTIES),
    HILO_STATUS(CL_INVALID_COMMAND_QUEUE),
    HILO_STATUS(CL_INVALID_MEM_OBJECT),
    HILO_STATUS(CL_INVALID_BINARY),
    HILO_STATUS(CL_INVALID_BUILD_OPTIONS),
    HILO_STATUS(CL_INVALID_PROGRAM),
    HILO_STATUS(CL_INVALID_PROGRAM_EXECUTABLE),
    HILO_STATUS(CL_INVALID_KERNEL_NAME),
    HILO_STATUS(CL_INVALID_KERNEL),
    HILO_STATUS(CL_INVALID_ARG_INDEX),
    HILO_STATUS(CL_INVALID_ARG_VALUE),
    HILO_STATUS(CL_INVALID_ARG_SIZE),
    HILO_STATUS(CL_INVALID_KERNEL_ARGS),
    HILO_STATUS(CL_INVALID_WORK_DIMENSION),
    HILO_STATUS(CL_INVALID_WORK_GROUP_SIZE),
    HILO_STATUS(CL_INVALID_WORK_ITEM_SIZE),
    HILO_STATUS(CL_INVALID_EVENT_WAIT_LIST),
    HILO_STATUS(CL_INVALID_EVENT),
    HILO_STATUS(CL_INVALID_OPERATION),
    HILO_STATUS(CL_INVALID_BUFFER_SIZE),
    HILO_STATUS(CL_INVALID_GLOBAL_WORK_SIZE),
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
};
#undef HILO_STATUS

}  // namespace

std::string status_name(cl_int status) {
  auto found = std::find_if(std::begin(names), std::end(names), [&](const Named& n) { return n.status == status; });
  return std::string(found == std::end(names) ? "status" : found->name) + " (" + std::to_string(status) + ")";
}

void fail(const std::string& doing, const cl::Error& failure) {
  cl_int status = failure.err();
  bool is_memory = status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_HOST_MEMORY;
  throw error(is_memory ? errc::out_of_memory : errc::device_failure,
              "OpenCL failed while " + doing + ": " + failure.what() + " returned " + status_name(status));
}

}  // namespace hilo::opencl
