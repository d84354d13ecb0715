// Platforms, devices and contexts.
#include <algorithm>
#include <utility>

#include "opencl/native.hpp"

namespace hilo {

namespace opencl {
namespace {

// Some drivers pad strings with blanks or zeros.
std::string trimmed(std::string s) {
  s.erase(std::find(s.begin(), s.end(), '\0'), s.end());
  auto first = s.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return s.substr(first, s.find_last_not_of(' ') - first + 1);
}

std::vector<cl::Platform> native_platforms() {
  std::vector<cl::Platform> found;
  try {
    cl::Platform::get(&found);
  } catch (const cl::Error& failure) {
    // The loader's word for none.
    constexpr cl_int platform_not_found = -1001;
    if (failure.err() != platform_not_found) throw;
    found.clear();
  }
  return found;
}

std::vector<cl::Device> native_devices(const cl::Platform& platform) {
  std::vector<cl::Device> found;
  try {
    platform.getDevices(CL_DEVICE_TYPE_ALL, &found);
  } catch (const cl::Error& failure) {
    if (failure.err() != CL_DEVICE_NOT_FOUND) throw;
    found.clear();
  }
  return found;
}

std::string list_of_devices() {
  std::string list;
  int p = 0;
  for (const PlatformInfo& platform : platforms()) {
    list += "\n  platform " + std::to_string(p++) + ": " + platform.name;
    int d = 0;
    for (const DeviceInfo& device : platform.devices) {
      list += "\n    device " + std::to_string(d++) + ": " + device.name + " (" + std::string(name(device.type)) + ")";
    }
    if (platform.devices.empty()) list += "\n    no device";
  }
  return list.empty() ? "no OpenCL platform is installed" : "there is" + list;
}

std::shared_ptr<ContextState> make_context(const cl::Device& device) {
  return std::make_shared<ContextState>(cl::Context(device), device);
}

std::shared_ptr<ContextState> default_context() {
  cl::Device chosen;
  for (const cl::Platform& platform : native_platforms()) {
    for (const cl::Device& device : native_devices(platform)) {
      if (device.getInfo<CL_DEVICE_TYPE>() & CL_DEVICE_TYPE_GPU) return make_context(device);
      if (!chosen()) chosen = copied(device);
    }
  }
  if (!chosen()) throw error(errc::no_device, "no OpenCL device: " + list_of_devices());
  return make_context(chosen);
}

std::shared_ptr<ContextState> numbered_context(int p, int d) {
  auto platforms = native_platforms();
  if (p < 0 || static_cast<std::size_t>(p) >= platforms.size()) {
    throw error(errc::no_device, "no OpenCL platform number " + std::to_string(p) + ": " + list_of_devices());
  }
  auto devices = native_devices(platforms[static_cast<std::size_t>(p)]);
  if (d < 0 || static_cast<std::size_t>(d) >= devices.size()) {
    throw error(errc::no_device, "no OpenCL device number " + std::to_string(d) + " on platform " + std::to_string(p) +
                                     ": " + list_of_devices());
  }
  return make_context(devices[static_cast<std::size_t>(d)]);
}

int compute_capability(const cl::Device& device, const std::string& extensions) {
  if (extensions.find("cl_nv_device_attribute_query") == std::string::npos) return 0;
  constexpr cl_device_info major_number = 0x4000, minor_number = 0x4001;
  cl_uint major = 0, minor = 0;
  for (auto [which, number] : {std::pair{major_number, &major}, {minor_number, &minor}}) {
    const cl_int status = clGetDeviceInfo(device(), which, sizeof *number, number, nullptr);
    if (status == CL_INVALID_VALUE) return 0;
    if (status != CL_SUCCESS) throw cl::Error(status, "clGetDeviceInfo");
  }
  return static_cast<int>(10 * major + minor);
}

}  // namespace

DeviceInfo describe(const cl::Device& device) {
  DeviceInfo info{};
  info.name = trimmed(device.getInfo<CL_DEVICE_NAME>());
  info.vendor = trimmed(device.getInfo<CL_DEVICE_VENDOR>());
  info.version = trimmed(device.getInfo<CL_DEVICE_VERSION>());
  info.driver = trimmed(device.getInfo<CL_DRIVER_VERSION>());
  cl_device_type type = device.getInfo<CL_DEVICE_TYPE>();
  info.type = (type & CL_DEVICE_TYPE_GPU)           ? DeviceType::gpu
              : (type & CL_DEVICE_TYPE_CPU)         ? DeviceType::cpu
              : (type & CL_DEVICE_TYPE_ACCELERATOR) ? DeviceType::accelerator
                                                    : DeviceType::other;
  info.compute_units = static_cast<int>(device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>());
  info.global_memory = static_cast<std::int64_t>(device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>());
  info.local_memory = static_cast<std::int64_t>(device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>());
  info.max_allocation = static_cast<std::int64_t>(device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>());
  const std::string extensions = device.getInfo<CL_DEVICE_EXTENSIONS>();
  info.fp64 = extensions.find("cl_khr_fp64") != std::string::npos;
  if (info.fp64) {
    info.fma = device.getInfo<CL_DEVICE_DOUBLE_FP_CONFIG>() & CL_FP_FMA;
    info.vector_width = static_cast<int>(device.getInfo<CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE>());
  }
  info.compute_capability = compute_capability(device, extensions);
  info.shares_memory = device.getInfo<CL_DEVICE_HOST_UNIFIED_MEMORY>();
  return info;
}

ContextState::ContextState(cl::Context c, cl::Device d)
    : context(std::move(c)),
      device(std::move(d)),
      info(describe(device)),
      workspaces(device, has_own_memory(info) ? info.global_memory / 8 * 5 : info.global_memory / 4),
      counters(device, 1 << 24, true) {}

}  // namespace opencl

std::vector<PlatformInfo> platforms() {
  using namespace opencl;
  return guarded("listing devices", [] {
    std::vector<PlatformInfo> list;
    for (const cl::Platform& platform : native_platforms()) {
      PlatformInfo info{trimmed(platform.getInfo<CL_PLATFORM_NAME>()),
                        trimmed(platform.getInfo<CL_PLATFORM_VENDOR>()),
                        trimmed(platform.getInfo<CL_PLATFORM_VERSION>()),
                        {}};
      for (const cl::Device& device : native_devices(platform)) info.devices.push_back(describe(device));
      list.push_back(std::move(info));
    }
    return list;
  });
}

Context::Context() : state_(opencl::guarded("making a context", [] { return opencl::default_context(); })) {}

Context::Context(int platform, int device)
    : state_(opencl::guarded("making a context", [&] { return opencl::numbered_context(platform, device); })) {}

Context::Context(_cl_context* context, _cl_device_id* device) {
  if (!context || !device) {
    throw error(errc::invalid_argument, std::string("Context: the ") + (context ? "device" : "context") + " is null");
  }
  state_ = opencl::guarded("taking over a context", [&] {
    const auto devices = cl::Context(context, true).getInfo<CL_CONTEXT_DEVICES>();
    if (std::ranges::none_of(devices, [&](const cl::Device& d) { return d() == device; })) {
      throw error(errc::invalid_argument, "Context: the device is none of the context's");
    }
    return std::make_shared<opencl::ContextState>(cl::Context(context, true), cl::Device(device, true));
  });
}

const DeviceInfo& Context::device() const { return state_->info; }
_cl_context* Context::native() const { return state_->context(); }
_cl_device_id* Context::native_device() const { return state_->device(); }

}  // namespace hilo
