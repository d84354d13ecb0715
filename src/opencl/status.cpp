// OpenCL's status numbers, in words and as hilo's errors.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <new>
#include <system_error>

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

// Copied without memory.
const error no_memory_at_all(errc::out_of_memory, "OpenCL failed: host memory ended");

[[noreturn]] void fail_of_host(errc code, const std::string& doing, const std::exception& failure) {
  throw error(code, "OpenCL failed while " + doing + ": " + failure.what());
}

// What is being handled, if there is memory to say it.
[[noreturn]] void fail_with_message(const std::string& doing) {
  try {
    throw;
  } catch (const error&) {
    throw;
  } catch (const cl::Error& failure) {
    fail(doing, failure);
  } catch (const std::bad_alloc&) {
    throw error(errc::out_of_memory, "OpenCL failed while " + doing + ": host memory ended");
  } catch (const std::length_error& failure) {
    fail_of_host(errc::out_of_memory, doing, failure);
  } catch (const std::filesystem::filesystem_error& failure) {
    fail_of_host(errc::io, doing, failure);
  } catch (const std::system_error& failure) {
    // Threads and locks that there is no room for.
    const bool is_memory =
        failure.code() == std::errc::resource_unavailable_try_again || failure.code() == std::errc::not_enough_memory;
    fail_of_host(is_memory ? errc::out_of_memory : errc::io, doing, failure);
  } catch (const std::exception& failure) {
    fail_of_host(errc::device_failure, doing, failure);
  }
}

}  // namespace

std::string status_name(cl_int status) {
  auto found = std::find_if(std::begin(names), std::end(names), [&](const Named& n) { return n.status == status; });
  return std::string(found == std::end(names) ? "status" : found->name) + " (" + std::to_string(status) + ")";
}

bool is_want_of_memory(cl_int status) {
  return status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_RESOURCES ||
         status == CL_OUT_OF_HOST_MEMORY || status == CL_INVALID_BUFFER_SIZE;
}

void fail(const std::string& doing, const cl::Error& failure) {
  cl_int status = failure.err();
  bool is_memory = status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_HOST_MEMORY;
  throw error(is_memory ? errc::out_of_memory : errc::device_failure,
              "OpenCL failed while " + doing + ": " + failure.what() + " returned " + status_name(status));
}

void fail_as_error(const char* doing) {
  try {
    fail_with_message(doing);
  } catch (const std::bad_alloc&) {
    throw no_memory_at_all;
  }
}

}  // namespace hilo::opencl
